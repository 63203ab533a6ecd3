// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/list_offsets.h"

#include "kafka/wire/message_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr auto kRequest = [](auto& codec, auto& message, std::int16_t version) {
  std::int32_t replica_id = -1;
  codec.Integer(replica_id);
  codec.Integer(message.isolation_level);
  codec.Array(message.topics, [&codec, version](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec, version](auto& partition) {
      codec.Integer(partition.index);
      if (version >= 4) codec.Integer(partition.current_leader_epoch);
      codec.Integer(partition.timestamp);
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Tags();
};

constexpr auto kResponse = [](auto& codec, auto& message, std::int16_t version) {
  codec.Integer(message.throttle_time_ms);
  codec.Array(message.topics, [&codec, version](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec, version](auto& partition) {
      codec.Integer(partition.index);
      codec.Integer(partition.error_code);
      codec.Integer(partition.timestamp);
      codec.Integer(partition.offset);
      if (version >= 4) codec.Integer(partition.leader_epoch);
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Tags();
};

}  // namespace

void EncodeBody(const ListOffsetsRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kRequest);
}

void EncodeBody(const ListOffsetsResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kResponse);
}

Result<ListOffsetsRequest> DecodeListOffsetsRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<ListOffsetsRequest>(body, version, "ListOffsets request", kRequest);
}

Result<ListOffsetsResponse> DecodeListOffsetsResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<ListOffsetsResponse>(body, version, "ListOffsets response", kResponse);
}

}  // namespace frazil::kafka::wire
