// SPDX-License-Identifier: Apache-2.0
// DescribeProducers, version 0: who writes to partitions, and which transactions are open
// (KIP-664).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

struct DescribeProducersRequest {
  static constexpr ApiKey kApi = ApiKey::kDescribeProducers;

  struct Topic {
    std::string name;
    std::vector<std::int32_t> partitions;
  };

  std::vector<Topic> topics;
};

struct DescribeProducersResponse {
  static constexpr ApiKey kApi = ApiKey::kDescribeProducers;

  struct Producer {
    std::int64_t id = -1;
    std::int32_t epoch = -1;
    std::int32_t last_sequence = -1;
    std::int64_t last_timestamp = -1;
    std::int32_t coordinator_epoch = -1;
    // -1: no transaction is open.
    std::int64_t transaction_start = -1;
  };
  struct Partition {
    std::int32_t index = 0;
    std::int16_t error_code = 0;
    std::optional<std::string> error_message;
    std::vector<Producer> producers;
  };
  struct Topic {
    std::string name;
    std::vector<Partition> partitions;
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<Topic> topics;
};

// Requires of all: a version that this module supports.
void EncodeBody(const DescribeProducersRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const DescribeProducersResponse& response, std::int16_t version, Bytes& to);
// Errors: kafka_protocol.
Result<DescribeProducersRequest> DecodeDescribeProducersRequest(ByteView body,
                                                                std::int16_t version);
Result<DescribeProducersResponse> DecodeDescribeProducersResponse(ByteView body,
                                                                  std::int16_t version);

}  // namespace frazil::kafka::wire
