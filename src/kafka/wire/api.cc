// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/api.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace frazil::kafka::wire {

namespace {

struct ApiRow {
  ApiKey api;
  std::string_view name;
  // Read and written here.
  VersionRange versions;
  // From which version on the messages have compact types and tagged fields.
  std::int16_t first_flexible;
};

// By key.
constexpr auto kApis = std::to_array<ApiRow>({
    {ApiKey::kProduce, "Produce", {0, 9}, 9},
    {ApiKey::kFetch, "Fetch", {4, 13}, 12},
    {ApiKey::kListOffsets, "ListOffsets", {2, 8}, 6},
    {ApiKey::kMetadata, "Metadata", {4, 12}, 9},
    {ApiKey::kOffsetCommit, "OffsetCommit", {2, 8}, 8},
    {ApiKey::kOffsetFetch, "OffsetFetch", {1, 7}, 6},
    {ApiKey::kFindCoordinator, "FindCoordinator", {0, 3}, 3},
    {ApiKey::kApiVersions, "ApiVersions", {0, 3}, 3},
    {ApiKey::kCreateTopics, "CreateTopics", {2, 7}, 5},
    {ApiKey::kDeleteTopics, "DeleteTopics", {1, 6}, 4},
    {ApiKey::kDeleteRecords, "DeleteRecords", {0, 2}, 2},
    {ApiKey::kInitProducerId, "InitProducerId", {0, 4}, 2},
    {ApiKey::kOffsetForLeaderEpoch, "OffsetForLeaderEpoch", {2, 4}, 4},
    {ApiKey::kDescribeConfigs, "DescribeConfigs", {1, 4}, 4},
    {ApiKey::kCreatePartitions, "CreatePartitions", {0, 3}, 2},
    {ApiKey::kDescribeProducers, "DescribeProducers", {0, 0}, 0},
});

// nullptr for a key that is not in ApiKey.
const ApiRow* FindRow(std::int16_t key) {
  const auto* found = std::ranges::find(
      kApis, key, [](const ApiRow& row) { return static_cast<std::int16_t>(row.api); });
  return found == kApis.end() ? nullptr : found;
}

const ApiRow& RowOf(ApiKey api) {
  const ApiRow* row = FindRow(static_cast<std::int16_t>(api));
  FRAZIL_CHECK(row != nullptr);
  return *row;
}

}  // namespace

VersionRange SupportedVersions(ApiKey api) { return RowOf(api).versions; }

std::string_view NameOf(ApiKey api) { return RowOf(api).name; }

bool IsFlexible(ApiKey api, std::int16_t version) { return version >= RowOf(api).first_flexible; }

std::optional<std::int16_t> ChooseVersion(VersionRange ours, VersionRange theirs) {
  const std::int16_t version = std::min(ours.last, theirs.last);
  if (version < ours.first || version < theirs.first) return std::nullopt;
  return version;
}

void AppendRequestHeader(const RequestHeader& header, Bytes& to) {
  AppendBigEndian(static_cast<std::int16_t>(header.api), to);
  AppendBigEndian(header.version, to);
  AppendBigEndian(header.correlation_id, to);
  // The client id is never compact, so that old brokers can read it.
  Writer(to, false).NullableString(header.client_id);
  Writer(to, IsFlexible(header.api, header.version)).Tags();
}

Result<RequestHeader> DecodeRequestHeader(ByteView frame, ByteView& body) {
  RequestHeader header;
  std::int16_t api = 0;
  Reader plain(frame, false);
  plain.Integer(api);
  plain.Integer(header.version);
  plain.Integer(header.correlation_id);
  plain.NullableString(header.client_id);
  const ApiRow* const known = FindRow(api);
  if (!plain.failed() && known == nullptr) {
    return Error(ErrorCode::kUnsupported,
                 "There is no such Kafka request here: " + std::to_string(api) + ".");
  }
  header.api = known == nullptr ? ApiKey::kApiVersions : known->api;
  Reader rest(frame.last(plain.remaining()), IsFlexible(header.api, header.version));
  rest.Tags();
  body = frame.last(rest.remaining());
  if (plain.failed() || rest.failed()) {
    return Error(ErrorCode::kKafkaProtocol, "The header of a Kafka request cannot be read.");
  }
  return header;
}

void AppendResponseHeader(ApiKey api, std::int16_t version, std::int32_t correlation_id,
                          Bytes& to) {
  AppendBigEndian(correlation_id, to);
  Writer(to, api != ApiKey::kApiVersions && IsFlexible(api, version)).Tags();
}

Result<std::int32_t> DecodeResponseHeader(ByteView frame, ApiKey api, std::int16_t version,
                                          ByteView& body) {
  std::int32_t correlation_id = 0;
  Reader reader(frame, api != ApiKey::kApiVersions && IsFlexible(api, version));
  reader.Integer(correlation_id);
  reader.Tags();
  body = frame.last(reader.remaining());
  if (reader.failed()) {
    return Error(ErrorCode::kKafkaProtocol, "The header of a Kafka response cannot be read.");
  }
  return correlation_id;
}

}  // namespace frazil::kafka::wire
