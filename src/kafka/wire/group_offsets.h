// SPDX-License-Identifier: Apache-2.0
// Where a group of consumers has come to: FindCoordinator (versions 0 to 3), OffsetCommit (2 to 8),
// OffsetFetch (1 to 7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

enum class CoordinatorKind : std::int8_t { kGroup = 0, kTransaction = 1 };

struct FindCoordinatorRequest {
  static constexpr ApiKey kApi = ApiKey::kFindCoordinator;

  std::string key;
  // From version 1.
  std::int8_t kind = static_cast<std::int8_t>(CoordinatorKind::kGroup);
};

struct FindCoordinatorResponse {
  static constexpr ApiKey kApi = ApiKey::kFindCoordinator;

  // From version 1.
  std::int32_t throttle_time_ms = 0;
  std::int16_t error_code = 0;
  // From version 1.
  std::optional<std::string> error_message;
  std::int32_t node_id = -1;
  std::string host;
  std::int32_t port = -1;
};

struct OffsetCommitRequest {
  static constexpr ApiKey kApi = ApiKey::kOffsetCommit;

  struct Partition {
    std::int32_t index = 0;
    std::int64_t offset = -1;
    // From version 6.
    std::int32_t leader_epoch = -1;
    std::optional<std::string> metadata;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  std::string group_id;
  // -1 for a consumer that was assigned its partitions by hand.
  std::int32_t generation_id = -1;
  std::string member_id;
  // From version 7.
  std::optional<std::string> group_instance_id;
  std::vector<Topic> topics;
};

struct OffsetCommitResponse {
  static constexpr ApiKey kApi = ApiKey::kOffsetCommit;

  struct Partition {
    std::int32_t index = 0;
    std::int16_t error_code = 0;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  // From version 3.
  std::int32_t throttle_time_ms = 0;
  std::vector<Topic> topics;
};

struct OffsetFetchRequest {
  static constexpr ApiKey kApi = ApiKey::kOffsetFetch;

  struct Topic {
    std::string name;
    std::vector<std::int32_t> partitions;
  };

  std::string group_id;
  // nullopt, from version 2 on: all that the group has committed.
  std::optional<std::vector<Topic>> topics;
  // From version 7.
  bool require_stable = false;
};

struct OffsetFetchResponse {
  static constexpr ApiKey kApi = ApiKey::kOffsetFetch;

  struct Partition {
    std::int32_t index = 0;
    // -1: none was committed.
    std::int64_t offset = -1;
    // From version 5.
    std::int32_t leader_epoch = -1;
    std::optional<std::string> metadata;
    std::int16_t error_code = 0;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  // From version 3.
  std::int32_t throttle_time_ms = 0;
  std::vector<Topic> topics;
  // From version 2.
  std::int16_t error_code = 0;
};

// Requires of all: a version that this module supports.
void EncodeBody(const FindCoordinatorRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const FindCoordinatorResponse& response, std::int16_t version, Bytes& to);
void EncodeBody(const OffsetCommitRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const OffsetCommitResponse& response, std::int16_t version, Bytes& to);
void EncodeBody(const OffsetFetchRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const OffsetFetchResponse& response, std::int16_t version, Bytes& to);
// Errors: kafka_protocol.
Result<FindCoordinatorRequest> DecodeFindCoordinatorRequest(ByteView body, std::int16_t version);
Result<FindCoordinatorResponse> DecodeFindCoordinatorResponse(ByteView body, std::int16_t version);
Result<OffsetCommitRequest> DecodeOffsetCommitRequest(ByteView body, std::int16_t version);
Result<OffsetCommitResponse> DecodeOffsetCommitResponse(ByteView body, std::int16_t version);
Result<OffsetFetchRequest> DecodeOffsetFetchRequest(ByteView body, std::int16_t version);
Result<OffsetFetchResponse> DecodeOffsetFetchResponse(ByteView body, std::int16_t version);

}  // namespace frazil::kafka::wire
