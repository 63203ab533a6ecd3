// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/describe_producers.h"

#include "kafka/wire/codec.h"

namespace frazil::kafka::wire {
namespace {

template <typename Codec, typename Message>
void VisitRequest(Codec& codec, Message& message, std::int16_t /*version*/) {
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec](auto& partition) { codec.Integer(partition); });
    codec.Tags();
  });
  codec.Tags();
}

template <typename Codec, typename Message>
void VisitResponse(Codec& codec, Message& message, std::int16_t /*version*/) {
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
}

}  // namespace

void EncodeBody(const DescribeProducersRequest& request, std::int16_t version, Bytes& to) {
  Writer writer(to, IsFlexible(request.kApi, version));
  VisitRequest(writer, request, version);
}

void EncodeBody(const DescribeProducersResponse& response, std::int16_t version, Bytes& to) {
  Writer writer(to, IsFlexible(response.kApi, version));
  VisitResponse(writer, response, version);
}

Result<DescribeProducersRequest> DecodeDescribeProducersRequest(ByteView body,
                                                                std::int16_t version) {
  DescribeProducersRequest request;
  Reader reader(body, IsFlexible(request.kApi, version));
  VisitRequest(reader, request, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("DescribeProducers request"));
  return request;
}

Result<DescribeProducersResponse> DecodeDescribeProducersResponse(ByteView body,
                                                                  std::int16_t version) {
  DescribeProducersResponse response;
  Reader reader(body, IsFlexible(response.kApi, version));
  VisitResponse(reader, response, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("DescribeProducers response"));
  return response;
}

}  // namespace frazil::kafka::wire
