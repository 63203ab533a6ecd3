// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/metadata.h"

#include "kafka/wire/message_internal.h"

namespace frazil::kafka::wire {
namespace {

// The name of a topic may be null from `first_nullable` on.
template <typename Name>
void ReadOrWriteName(Reader& reader, Name& name, bool nullable) {
  if (nullable) {
    reader.NullableString(name);
  } else {
    reader.String(name.emplace());
  }
}

template <typename Name>
void ReadOrWriteName(Writer& writer, const Name& name, bool nullable) {
  if (nullable) {
    writer.NullableString(name);
  } else {
    writer.String(name.value_or(""));
  }
}

constexpr auto kRequest = [](auto& codec, auto& message, std::int16_t version) {
  codec.NullableArray(message.topics, [&codec, version](auto& topic) {
    if (version >= 10) codec.Id(topic.id);
    ReadOrWriteName(codec, topic.name, version >= 10);
    codec.Tags();
  });
  codec.Boolean(message.allow_auto_topic_creation);
  // Whether to tell what the caller may do: never asked for.
  bool include_operations = false;
  if (version >= 8 && version <= 10) codec.Boolean(include_operations);
  if (version >= 8) codec.Boolean(include_operations);
  codec.Tags();
};

template <typename Codec, typename Message>
void VisitPartition(Codec& codec, Message& partition, std::int16_t version) {
  const auto id = [&codec](auto& node) { codec.Integer(node); };
  codec.Integer(partition.error_code);
  codec.Integer(partition.index);
  codec.Integer(partition.leader_id);
  if (version >= 7) codec.Integer(partition.leader_epoch);
  codec.Array(partition.replicas, id);
  codec.Array(partition.in_sync_replicas, id);
  if (version >= 5) codec.Array(partition.offline_replicas, id);
  codec.Tags();
}

template <typename Codec, typename Message>
void VisitTopic(Codec& codec, Message& topic, std::int16_t version) {
  codec.Integer(topic.error_code);
  ReadOrWriteName(codec, topic.name, version >= 12);
  if (version >= 10) codec.Id(topic.id);
  codec.Boolean(topic.is_internal);
  codec.Array(topic.partitions,
              [&codec, version](auto& partition) { VisitPartition(codec, partition, version); });
  if (version >= 8) codec.Integer(topic.authorized_operations);
  codec.Tags();
}

constexpr auto kResponse = [](auto& codec, auto& message, std::int16_t version) {
  codec.Integer(message.throttle_time_ms);
  codec.Array(message.brokers, [&codec](auto& broker) {
    codec.Integer(broker.id);
    codec.String(broker.host);
    codec.Integer(broker.port);
    codec.NullableString(broker.rack);
    codec.Tags();
  });
  codec.NullableString(message.cluster_id);
  codec.Integer(message.controller_id);
  codec.Array(message.topics,
              [&codec, version](auto& topic) { VisitTopic(codec, topic, version); });
  if (version >= 8 && version <= 10) codec.Integer(message.cluster_authorized_operations);
  codec.Tags();
};

}  // namespace

void EncodeBody(const MetadataRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kRequest);
}

void EncodeBody(const MetadataResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kResponse);
}

Result<MetadataRequest> DecodeMetadataRequest(ByteView body, std::int16_t version) {
  MetadataRequest request;
  Reader reader(body, IsFlexible(request.kApi, version));
  kRequest(reader, request, version);
  // librdkafka writes the null array of "all topics" with four bytes where one belongs, and Kafka
  // does not look at what is left.
  if (!request.topics) reader.IgnoreRest();
  FRAZIL_RETURN_IF_ERROR(reader.Finish("Metadata request"));
  return request;
}

Result<MetadataResponse> DecodeMetadataResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<MetadataResponse>(body, version, "Metadata response", kResponse);
}

}  // namespace frazil::kafka::wire
