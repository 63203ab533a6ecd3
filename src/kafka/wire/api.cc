// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/api.h"

#include <algorithm>

namespace frazil::kafka::wire {

namespace {

std::optional<ApiKey> ToApiKey(std::int16_t number) {
  for (const ApiKey api :
       {ApiKey::kFetch, ApiKey::kListOffsets, ApiKey::kMetadata, ApiKey::kApiVersions}) {
    if (static_cast<std::int16_t>(api) == number) return api;
  }
  return std::nullopt;
}

}  // namespace

VersionRange SupportedVersions(ApiKey api) {
  switch (api) {
    case ApiKey::kFetch:
      return {4, 13};
    case ApiKey::kListOffsets:
      return {2, 7};
    case ApiKey::kMetadata:
      return {4, 12};
    case ApiKey::kApiVersions:
      return {0, 3};
  }
  return {0, -1};
}

std::string_view NameOf(ApiKey api) {
  switch (api) {
    case ApiKey::kFetch:
      return "Fetch";
    case ApiKey::kListOffsets:
      return "ListOffsets";
    case ApiKey::kMetadata:
      return "Metadata";
    case ApiKey::kApiVersions:
      return "ApiVersions";
  }
  return "unknown";
}

bool IsFlexible(ApiKey api, std::int16_t version) {
  switch (api) {
    case ApiKey::kFetch:
      return version >= 12;
    case ApiKey::kListOffsets:
      return version >= 6;
    case ApiKey::kMetadata:
      return version >= 9;
    case ApiKey::kApiVersions:
      return version >= 3;
  }
  return false;
}

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
  const std::optional<ApiKey> known = ToApiKey(api);
  if (!plain.failed() && !known.has_value()) {
    return Error(ErrorCode::kUnsupported,
                 "There is no such Kafka request here: " + std::to_string(api) + ".");
  }
  header.api = known.value_or(ApiKey::kApiVersions);
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
