// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/init_producer_id.h"

#include "kafka/wire/message_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr auto kInitProducerIdRequest = [](auto& codec, auto& message, std::int16_t version) {
  codec.NullableString(message.transactional_id);
  codec.Integer(message.transaction_timeout_ms);
  if (version >= 3) codec.Integer(message.producer_id);
  if (version >= 3) codec.Integer(message.producer_epoch);
  codec.Tags();
};

constexpr auto kInitProducerIdResponse = [](auto& codec, auto& message, std::int16_t /*version*/) {
  codec.Integer(message.throttle_time_ms);
  codec.Integer(message.error_code);
  codec.Integer(message.producer_id);
  codec.Integer(message.producer_epoch);
  codec.Tags();
};

}  // namespace

void EncodeBody(const InitProducerIdRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kInitProducerIdRequest);
}

void EncodeBody(const InitProducerIdResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kInitProducerIdResponse);
}

Result<InitProducerIdRequest> DecodeInitProducerIdRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<InitProducerIdRequest>(body, version, "InitProducerId request",
                                              kInitProducerIdRequest);
}

Result<InitProducerIdResponse> DecodeInitProducerIdResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<InitProducerIdResponse>(body, version, "InitProducerId response",
                                               kInitProducerIdResponse);
}

}  // namespace frazil::kafka::wire
