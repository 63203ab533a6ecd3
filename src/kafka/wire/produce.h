// SPDX-License-Identifier: Apache-2.0
// Produce, versions 0 to 9: record batches for partitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

struct ProduceRequest {
  static constexpr ApiKey kApi = ApiKey::kProduce;

  struct Partition {
    std::int32_t index = 0;
    // A view of the request's bytes.
    std::optional<ByteView> records;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  // From version 3.
  std::optional<std::string> transactional_id;
  // -1: all replicas in sync, 1: the leader, 0: no answer is wanted.
  std::int16_t acks = -1;
  std::int32_t timeout_ms = 0;
  std::vector<Topic> topics;
};

struct ProduceResponse {
  static constexpr ApiKey kApi = ApiKey::kProduce;

  struct RecordError {
    std::int32_t batch_index = 0;
    std::optional<std::string> message;
  };
  struct Partition {
    std::int32_t index = 0;
    std::int16_t error_code = 0;
    std::int64_t base_offset = -1;
    // From version 2; -1 where the topic keeps the producer's time.
    std::int64_t log_append_time = -1;
    // From version 5.
    std::int64_t log_start_offset = -1;
    // From version 8.
    std::vector<RecordError> record_errors;
    std::optional<std::string> error_message;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  std::vector<Topic> topics;
  // From version 1.
  std::int32_t throttle_time_ms = 0;
};

// Requires of all: a version that this module supports.
void EncodeBody(const ProduceRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const ProduceResponse& response, std::int16_t version, Bytes& to);
// Errors: kafka_protocol.
Result<ProduceRequest> DecodeProduceRequest(ByteView body, std::int16_t version);
Result<ProduceResponse> DecodeProduceResponse(ByteView body, std::int16_t version);

}  // namespace frazil::kafka::wire
