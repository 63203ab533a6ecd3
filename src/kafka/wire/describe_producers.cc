// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/describe_producers.h"

#include "kafka/wire/message_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr auto kRequest = [](auto& codec, auto& message, std::int16_t /*version*/) {
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec](auto& partition) { codec.Integer(partition); });
    codec.Tags();
  });
  codec.Tags();
};

constexpr auto kResponse = [](auto& codec, auto& message, std::int16_t /*version*/) {
  codec.Integer(message.throttle_time_ms);
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec](auto& partition) {
      codec.Integer(partition.index);
      codec.Integer(partition.error_code);
      codec.NullableString(partition.error_message);
      codec.Array(partition.producers, [&codec](auto& producer) {
        codec.Integer(producer.id);
        codec.Integer(producer.epoch);
        codec.Integer(producer.last_sequence);
        codec.Integer(producer.last_timestamp);
        codec.Integer(producer.coordinator_epoch);
        codec.Integer(producer.transaction_start);
        codec.Tags();
      });
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Tags();
};

}  // namespace

void EncodeBody(const DescribeProducersRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kRequest);
}

void EncodeBody(const DescribeProducersResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kResponse);
}

Result<DescribeProducersRequest> DecodeDescribeProducersRequest(ByteView body,
                                                                std::int16_t version) {
  return DecodeMessage<DescribeProducersRequest>(body, version, "DescribeProducers request",
                                                 kRequest);
}

Result<DescribeProducersResponse> DecodeDescribeProducersResponse(ByteView body,
                                                                  std::int16_t version) {
  return DecodeMessage<DescribeProducersResponse>(body, version, "DescribeProducers response",
                                                  kResponse);
}

}  // namespace frazil::kafka::wire
