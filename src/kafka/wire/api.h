// SPDX-License-Identifier: Apache-2.0
// The requests that Frazil speaks, their versions, and the headers that every message has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "kafka/wire/codec.h"

namespace frazil::kafka::wire {

// Each has a row in api.cc.
enum class ApiKey : std::int16_t {
  kProduce = 0,
  kFetch = 1,
  kListOffsets = 2,
  kMetadata = 3,
  kOffsetCommit = 8,
  kOffsetFetch = 9,
  kFindCoordinator = 10,
  kApiVersions = 18,
  kCreateTopics = 19,
  kDeleteTopics = 20,
  kDeleteRecords = 21,
  kInitProducerId = 22,
  kOffsetForLeaderEpoch = 23,
  kDescribeConfigs = 32,
  kCreatePartitions = 37,
  kDescribeProducers = 61,
};

struct VersionRange {
  std::int16_t first = 0;
  std::int16_t last = 0;

  friend bool operator==(VersionRange, VersionRange) = default;
};

// The versions that this module reads and writes.
VersionRange SupportedVersions(ApiKey api);
std::string_view NameOf(ApiKey api);
// Whether the version has compact types and tagged fields.
bool IsFlexible(ApiKey api, std::int16_t version);
// The highest version in both; nullopt when there is none.
std::optional<std::int16_t> ChooseVersion(VersionRange ours, VersionRange theirs);

struct RequestHeader {
  ApiKey api = ApiKey::kApiVersions;
  std::int16_t version = 0;
  std::int32_t correlation_id = 0;
  std::optional<std::string> client_id;
};

// A whole request as it goes over a connection: length, header (version 1 or 2), body.
// Requires: header.version is supported by this module; client_id of at most 32767 bytes.
template <typename Request>
Bytes EncodeRequestFrame(const RequestHeader& header, const Request& request);

// Without the length in front. `body` gets what follows the header.
// Errors: kafka_protocol; unsupported for a request that is not in ApiKey.
Result<RequestHeader> DecodeRequestHeader(ByteView frame, ByteView& body);

// The correlation id of a response, without the length in front, to a request of this version.
// `body` gets what follows the header.
// Errors: kafka_protocol.
Result<std::int32_t> DecodeResponseHeader(ByteView frame, ApiKey api, std::int16_t version,
                                          ByteView& body);

// A whole response: length, header (version 0 or 1; always 0 for ApiVersions), body.
template <typename Response>
Bytes EncodeResponseFrame(std::int32_t correlation_id, std::int16_t version,
                          const Response& response);

// Parts of the two templates.
void AppendRequestHeader(const RequestHeader& header, Bytes& to);
void AppendResponseHeader(ApiKey api, std::int16_t version, std::int32_t correlation_id, Bytes& to);

template <typename Request>
Bytes EncodeRequestFrame(const RequestHeader& header, const Request& request) {
  Bytes frame(4);
  AppendRequestHeader(header, frame);
  EncodeBody(request, header.version, frame);
  StoreBigEndian(static_cast<std::int32_t>(frame.size() - 4), frame.data());
  return frame;
}

template <typename Response>
Bytes EncodeResponseFrame(std::int32_t correlation_id, std::int16_t version,
                          const Response& response) {
  Bytes frame(4);
  AppendResponseHeader(Response::kApi, version, correlation_id, frame);
  EncodeBody(response, version, frame);
  StoreBigEndian(static_cast<std::int32_t>(frame.size() - 4), frame.data());
  return frame;
}

}  // namespace frazil::kafka::wire
