// SPDX-License-Identifier: Apache-2.0
// Fetch, versions 4 to 13, without sessions: record batches of partitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/uuid.h"
#include "kafka/wire/aborted_transactions.h"
#include "kafka/wire/api.h"
#include "kafka/wire/list_offsets.h"

namespace frazil::kafka::wire {

// From this version on a topic is named by its id alone.
inline constexpr std::int16_t kFetchByTopicId = 13;

struct FetchRequest {
  static constexpr ApiKey kApi = ApiKey::kFetch;

  struct Partition {
    std::int32_t index = 0;
    // From version 9; -1: not checked.
    std::int32_t current_leader_epoch = -1;
    std::int64_t fetch_offset = 0;
    // From version 12; -1: the broker looks for no divergence.
    std::int32_t last_fetched_epoch = -1;
    std::int32_t max_bytes = 0;
  };
  struct Topic {
    // Below version 13.
    std::string name;
    // From version 13.
    Uuid id;
    std::vector<Partition> partitions;
  };

  std::int32_t max_wait_ms = 0;
  std::int32_t min_bytes = 0;
  std::int32_t max_bytes = 0;
  std::int8_t isolation_level = static_cast<std::int8_t>(IsolationLevel::kReadCommitted);
  // 0 and -1: no session.
  std::int32_t session_id = 0;
  std::int32_t session_epoch = -1;
  std::vector<Topic> topics;
};

struct FetchResponse {
  static constexpr ApiKey kApi = ApiKey::kFetch;

  struct Partition {
    std::int32_t index = 0;
    std::int16_t error_code = 0;
    std::int64_t high_watermark = -1;
    std::int64_t last_stable_offset = -1;
    // From version 5.
    std::int64_t log_start_offset = -1;
    std::optional<std::vector<AbortedTransaction>> aborted_transactions;
    // From version 11.
    std::int32_t preferred_read_replica = -1;
    // A view of the response's bytes.
    std::optional<ByteView> records;
  };
  struct Topic {
    std::string name;
    Uuid id;
    std::vector<Partition> partitions;
  };

  std::int32_t throttle_time_ms = 0;
  // From version 7.
  std::int16_t error_code = 0;
  std::int32_t session_id = 0;
  std::vector<Topic> topics;
};

// Requires of all: a version that this module supports.
void EncodeBody(const FetchRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const FetchResponse& response, std::int16_t version, Bytes& to);
// Errors: kafka_protocol.
Result<FetchRequest> DecodeFetchRequest(ByteView body, std::int16_t version);
Result<FetchResponse> DecodeFetchResponse(ByteView body, std::int16_t version);

}  // namespace frazil::kafka::wire
