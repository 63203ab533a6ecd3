// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/produce.h"

#include "kafka/wire/message_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr auto kProduceRequest = [](auto& codec, auto& message, std::int16_t version) {
  if (version >= 3) codec.NullableString(message.transactional_id);
  codec.Integer(message.acks);
  codec.Integer(message.timeout_ms);
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec](auto& partition) {
      codec.Integer(partition.index);
      codec.Records(partition.records);
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Tags();
};

constexpr auto kProduceResponse = [](auto& codec, auto& message, std::int16_t version) {
  codec.Array(message.topics, [&codec, version](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec, version](auto& partition) {
      codec.Integer(partition.index);
      codec.Integer(partition.error_code);
      codec.Integer(partition.base_offset);
      if (version >= 2) codec.Integer(partition.log_append_time);
      if (version >= 5) codec.Integer(partition.log_start_offset);
      if (version >= 8) {
        codec.Array(partition.record_errors, [&codec](auto& error) {
          codec.Integer(error.batch_index);
          codec.NullableString(error.message);
          codec.Tags();
        });
        codec.NullableString(partition.error_message);
      }
      codec.Tags();
    });
    codec.Tags();
  });
  if (version >= 1) codec.Integer(message.throttle_time_ms);
  codec.Tags();
};

}  // namespace

void EncodeBody(const ProduceRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kProduceRequest);
}

void EncodeBody(const ProduceResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kProduceResponse);
}

Result<ProduceRequest> DecodeProduceRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<ProduceRequest>(body, version, "Produce request", kProduceRequest);
}

Result<ProduceResponse> DecodeProduceResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<ProduceResponse>(body, version, "Produce response", kProduceResponse);
}

}  // namespace frazil::kafka::wire
