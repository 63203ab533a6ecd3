// SPDX-License-Identifier: Apache-2.0
// OffsetForLeaderEpoch, versions 2 to 4: where a leader's epoch ended in the log (KIP-101,
// KIP-320).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

struct OffsetForLeaderEpochRequest {
  static constexpr ApiKey kApi = ApiKey::kOffsetForLeaderEpoch;

  struct Partition {
    std::int32_t index = 0;
    // -1: not checked.
    std::int32_t current_leader_epoch = -1;
    // The one that is asked about.
    std::int32_t leader_epoch = -1;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  std::vector<Topic> topics;
};

struct OffsetForLeaderEpochResponse {
  static constexpr ApiKey kApi = ApiKey::kOffsetForLeaderEpoch;

  struct Partition {
    std::int16_t error_code = 0;
    std::int32_t index = 0;
    // The largest epoch up to the one that was asked about, and the offset after its last record;
    // both -1 where the broker knows none.
    std::int32_t leader_epoch = -1;
    std::int64_t end_offset = -1;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<Topic> topics;
};

// Requires of all: a version that this module supports.
void EncodeBody(const OffsetForLeaderEpochRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const OffsetForLeaderEpochResponse& response, std::int16_t version, Bytes& to);
// Errors: kafka_protocol.
Result<OffsetForLeaderEpochRequest> DecodeOffsetForLeaderEpochRequest(ByteView body,
                                                                      std::int16_t version);
Result<OffsetForLeaderEpochResponse> DecodeOffsetForLeaderEpochResponse(ByteView body,
                                                                        std::int16_t version);

}  // namespace frazil::kafka::wire
