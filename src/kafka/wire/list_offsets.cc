// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/list_offsets.h"

#include "kafka/wire/codec.h"

namespace frazil::kafka::wire {
namespace {

template <typename Codec, typename Message>
void VisitRequest(Codec& codec, Message& message, std::int16_t version) {
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
}

template <typename Codec, typename Message>
void VisitResponse(Codec& codec, Message& message, std::int16_t version) {
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
}

}  // namespace

void EncodeBody(const ListOffsetsRequest& request, std::int16_t version, Bytes& to) {
  Writer writer(to, IsFlexible(request.kApi, version));
  VisitRequest(writer, request, version);
}

void EncodeBody(const ListOffsetsResponse& response, std::int16_t version, Bytes& to) {
  Writer writer(to, IsFlexible(response.kApi, version));
  VisitResponse(writer, response, version);
}

Result<ListOffsetsRequest> DecodeListOffsetsRequest(ByteView body, std::int16_t version) {
  ListOffsetsRequest request;
  Reader reader(body, IsFlexible(request.kApi, version));
  VisitRequest(reader, request, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("ListOffsets request"));
  return request;
}

Result<ListOffsetsResponse> DecodeListOffsetsResponse(ByteView body, std::int16_t version) {
  ListOffsetsResponse response;
  Reader reader(body, IsFlexible(response.kApi, version));
  VisitResponse(reader, response, version);
  FRAZIL_RETURN_IF_ERROR(reader.Finish("ListOffsets response"));
  return response;
}

}  // namespace frazil::kafka::wire
