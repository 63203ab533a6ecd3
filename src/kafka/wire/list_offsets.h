// SPDX-License-Identifier: Apache-2.0
// ListOffsets, versions 2 to 8: where partitions begin and end, and the first record of a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

enum class IsolationLevel : std::int8_t { kReadUncommitted = 0, kReadCommitted = 1 };

// Instead of a time: the log's end (the high watermark, or the last stable offset for
// kReadCommitted), its start, the record with the largest time (from version 7), and the start of
// what lies on the broker's own disks (from version 8).
inline constexpr std::int64_t kLatestTimestamp = -1;
inline constexpr std::int64_t kEarliestTimestamp = -2;
inline constexpr std::int64_t kMaxTimestamp = -3;
inline constexpr std::int64_t kEarliestLocalTimestamp = -4;

struct ListOffsetsRequest {
  static constexpr ApiKey kApi = ApiKey::kListOffsets;

  struct Partition {
    std::int32_t index = 0;
    // From version 4; -1: not checked.
    std::int32_t current_leader_epoch = -1;
    std::int64_t timestamp = kLatestTimestamp;
  };
  struct Topic {
    std::string name;
    // Each partition at most once; brokers refuse more.
    std::vector<Partition> partitions;
  };

  std::int8_t isolation_level = static_cast<std::int8_t>(IsolationLevel::kReadCommitted);
  std::vector<Topic> topics;
};

struct ListOffsetsResponse {
  static constexpr ApiKey kApi = ApiKey::kListOffsets;

  struct Partition {
    std::int32_t index = 0;
    std::int16_t error_code = 0;
    // -1 and -1 when no record has that time or a later one.
    std::int64_t timestamp = -1;
    std::int64_t offset = -1;
    // From version 4.
    std::int32_t leader_epoch = -1;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<Topic> topics;
};

// Requires of all: a version that this module supports.
void EncodeBody(const ListOffsetsRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const ListOffsetsResponse& response, std::int16_t version, Bytes& to);
// Errors: kafka_protocol.
Result<ListOffsetsRequest> DecodeListOffsetsRequest(ByteView body, std::int16_t version);
Result<ListOffsetsResponse> DecodeListOffsetsResponse(ByteView body, std::int16_t version);

}  // namespace frazil::kafka::wire
