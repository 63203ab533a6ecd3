// SPDX-License-Identifier: Apache-2.0
// InitProducerId, versions 0 to 4: a number for an idempotent or transactional producer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kafka/wire/api.h"

namespace frazil::kafka::wire {

struct InitProducerIdRequest {
  static constexpr ApiKey kApi = ApiKey::kInitProducerId;

  // nullopt: an idempotent producer without transactions.
  std::optional<std::string> transactional_id;
  std::int32_t transaction_timeout_ms = 0;
  // From version 3; -1: the producer has none yet.
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
};

struct InitProducerIdResponse {
  static constexpr ApiKey kApi = ApiKey::kInitProducerId;

  std::int32_t throttle_time_ms = 0;
  std::int16_t error_code = 0;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
};

// Requires of all: a version that this module supports.
void EncodeBody(const InitProducerIdRequest& request, std::int16_t version, Bytes& to);
void EncodeBody(const InitProducerIdResponse& response, std::int16_t version, Bytes& to);
// Errors: kafka_protocol.
Result<InitProducerIdRequest> DecodeInitProducerIdRequest(ByteView body, std::int16_t version);
Result<InitProducerIdResponse> DecodeInitProducerIdResponse(ByteView body, std::int16_t version);

}  // namespace frazil::kafka::wire
