// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/offset_for_leader_epoch.h"

#include "kafka/wire/message_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr auto kRequest = [](auto& codec, auto& message, std::int16_t version) {
  // A consumer's.
  std::int32_t replica_id = -1;
  if (version >= 3) codec.Integer(replica_id);
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec](auto& partition) {
      codec.Integer(partition.index);
      codec.Integer(partition.current_leader_epoch);
      codec.Integer(partition.leader_epoch);
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Tags();
};

constexpr auto kResponse = [](auto& codec, auto& message, std::int16_t /*version*/) {
  codec.Integer(message.throttle_time_ms);
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec](auto& partition) {
      codec.Integer(partition.error_code);
      codec.Integer(partition.index);
      codec.Integer(partition.leader_epoch);
      codec.Integer(partition.end_offset);
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Tags();
};

}  // namespace

void EncodeBody(const OffsetForLeaderEpochRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kRequest);
}

void EncodeBody(const OffsetForLeaderEpochResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kResponse);
}

Result<OffsetForLeaderEpochRequest> DecodeOffsetForLeaderEpochRequest(ByteView body,
                                                                      std::int16_t version) {
  return DecodeMessage<OffsetForLeaderEpochRequest>(body, version, "OffsetForLeaderEpoch request",
                                                    kRequest);
}

Result<OffsetForLeaderEpochResponse> DecodeOffsetForLeaderEpochResponse(ByteView body,
                                                                        std::int16_t version) {
  return DecodeMessage<OffsetForLeaderEpochResponse>(body, version, "OffsetForLeaderEpoch response",
                                                     kResponse);
}

}  // namespace frazil::kafka::wire
