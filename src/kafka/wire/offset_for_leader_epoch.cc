// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/offset_for_leader_epoch.h"

#include "kafka/wire/codec.h"

namespace frazil::kafka::wire {
namespace {

template <typename Codec, typename Message>
void VisitRequest(Codec& codec, Message& message, std::int16_t version) {
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
}

template <typename Codec, typename Message>
void VisitResponse(Codec& codec, Message& message, std::int16_t /*version*/) {
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
}

}  // namespace

void EncodeBody(const OffsetForLeaderEpochRequest& request, std::int16_t version, Bytes& to) {
  Writer writer(to, IsFlexible(request.kApi, version));
  VisitRequest(writer, request, version);
}

void EncodeBody(const OffsetForLeaderEpochResponse& response, std::int16_t version, Bytes& to) {
  Writer writer(to, IsFlexible(response.kApi, version));
  VisitResponse(writer, response, version);
}

Result<OffsetForLeaderEpochRequest> DecodeOffsetForLeaderEpochRequest(ByteView body,
                                                                      std::int16_t version) {
  OffsetForLeaderEpochRequest request;
  Reader reader(body, IsFlexible(request.kApi, version));
  VisitRequest(reader, request, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("OffsetForLeaderEpoch request"));
  return request;
}

Result<OffsetForLeaderEpochResponse> DecodeOffsetForLeaderEpochResponse(ByteView body,
                                                                        std::int16_t version) {
  OffsetForLeaderEpochResponse response;
  Reader reader(body, IsFlexible(response.kApi, version));
  VisitResponse(reader, response, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("OffsetForLeaderEpoch response"));
  return response;
}

}  // namespace frazil::kafka::wire
