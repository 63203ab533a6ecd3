// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/topic_changes.h"

#include "kafka/wire/message_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr auto kCreateTopicsRequest = [](auto& codec, auto& message, std::int16_t /*version*/) {
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Integer(topic.partitions);
    codec.Integer(topic.replication_factor);
    codec.Array(topic.assignments, [&codec](auto& assignment) {
      codec.Integer(assignment.partition);
      codec.Array(assignment.brokers, [&codec](auto& broker) { codec.Integer(broker); });
      codec.Tags();
    });
    codec.Array(topic.configs, [&codec](auto& config) {
      codec.String(config.name);
      codec.NullableString(config.value);
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Integer(message.timeout_ms);
  codec.Boolean(message.validate_only);
  codec.Tags();
};

constexpr auto kCreateTopicsResponse = [](auto& codec, auto& message, std::int16_t version) {
  codec.Integer(message.throttle_time_ms);
  codec.Array(message.topics, [&codec, version](auto& topic) {
    codec.String(topic.name);
    if (version >= 7) codec.Id(topic.id);
    codec.Integer(topic.error_code);
    codec.NullableString(topic.error_message);
    if (version >= 5) {
      codec.Integer(topic.partitions);
      codec.Integer(topic.replication_factor);
      codec.NullableArray(topic.configs, [&codec](auto& config) {
        codec.String(config.name);
        codec.NullableString(config.value);
        codec.Boolean(config.read_only);
        codec.Integer(config.source);
        codec.Boolean(config.is_sensitive);
        codec.Tags();
      });
    }
    codec.Tags();
  });
  codec.Tags();
};

// The name of a topic may be null from version 6 on.
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

constexpr auto kDeleteTopicsRequest = [](auto& codec, auto& message, std::int16_t version) {
  codec.Array(message.topics, [&codec, version](auto& topic) {
    ReadOrWriteName(codec, topic.name, version >= 6);
    if (version < 6) return;
    codec.Id(topic.id);
    codec.Tags();
  });
  codec.Integer(message.timeout_ms);
  codec.Tags();
};

constexpr auto kDeleteTopicsResponse = [](auto& codec, auto& message, std::int16_t version) {
  codec.Integer(message.throttle_time_ms);
  codec.Array(message.topics, [&codec, version](auto& topic) {
    ReadOrWriteName(codec, topic.name, version >= 6);
    if (version >= 6) codec.Id(topic.id);
    codec.Integer(topic.error_code);
    if (version >= 5) codec.NullableString(topic.error_message);
    codec.Tags();
  });
  codec.Tags();
};

constexpr auto kCreatePartitionsRequest = [](auto& codec, auto& message, std::int16_t /*version*/) {
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Integer(topic.count);
    codec.NullableArray(topic.assignments, [&codec](auto& assignment) {
      codec.Array(assignment.brokers, [&codec](auto& broker) { codec.Integer(broker); });
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Integer(message.timeout_ms);
  codec.Boolean(message.validate_only);
  codec.Tags();
};

constexpr auto kCreatePartitionsResponse = [](auto& codec, auto& message,
                                              std::int16_t /*version*/) {
  codec.Integer(message.throttle_time_ms);
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Integer(topic.error_code);
    codec.NullableString(topic.error_message);
    codec.Tags();
  });
  codec.Tags();
};

constexpr auto kDeleteRecordsRequest = [](auto& codec, auto& message, std::int16_t /*version*/) {
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec](auto& partition) {
      codec.Integer(partition.index);
      codec.Integer(partition.offset);
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Integer(message.timeout_ms);
  codec.Tags();
};

constexpr auto kDeleteRecordsResponse = [](auto& codec, auto& message, std::int16_t /*version*/) {
  codec.Integer(message.throttle_time_ms);
  codec.Array(message.topics, [&codec](auto& topic) {
    codec.String(topic.name);
    codec.Array(topic.partitions, [&codec](auto& partition) {
      codec.Integer(partition.index);
      codec.Integer(partition.low_watermark);
      codec.Integer(partition.error_code);
      codec.Tags();
    });
    codec.Tags();
  });
  codec.Tags();
};

}  // namespace

void EncodeBody(const CreateTopicsRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kCreateTopicsRequest);
}

void EncodeBody(const CreateTopicsResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kCreateTopicsResponse);
}

void EncodeBody(const DeleteTopicsRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kDeleteTopicsRequest);
}

void EncodeBody(const DeleteTopicsResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kDeleteTopicsResponse);
}

void EncodeBody(const CreatePartitionsRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kCreatePartitionsRequest);
}

void EncodeBody(const CreatePartitionsResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kCreatePartitionsResponse);
}

void EncodeBody(const DeleteRecordsRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kDeleteRecordsRequest);
}

void EncodeBody(const DeleteRecordsResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kDeleteRecordsResponse);
}

Result<CreateTopicsRequest> DecodeCreateTopicsRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<CreateTopicsRequest>(body, version, "CreateTopics request",
                                            kCreateTopicsRequest);
}

Result<CreateTopicsResponse> DecodeCreateTopicsResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<CreateTopicsResponse>(body, version, "CreateTopics response",
                                             kCreateTopicsResponse);
}

Result<DeleteTopicsRequest> DecodeDeleteTopicsRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<DeleteTopicsRequest>(body, version, "DeleteTopics request",
                                            kDeleteTopicsRequest);
}

Result<DeleteTopicsResponse> DecodeDeleteTopicsResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<DeleteTopicsResponse>(body, version, "DeleteTopics response",
                                             kDeleteTopicsResponse);
}

Result<CreatePartitionsRequest> DecodeCreatePartitionsRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<CreatePartitionsRequest>(body, version, "CreatePartitions request",
                                                kCreatePartitionsRequest);
}

Result<CreatePartitionsResponse> DecodeCreatePartitionsResponse(ByteView body,
                                                                std::int16_t version) {
  return DecodeMessage<CreatePartitionsResponse>(body, version, "CreatePartitions response",
                                                 kCreatePartitionsResponse);
}

Result<DeleteRecordsRequest> DecodeDeleteRecordsRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<DeleteRecordsRequest>(body, version, "DeleteRecords request",
                                             kDeleteRecordsRequest);
}

Result<DeleteRecordsResponse> DecodeDeleteRecordsResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<DeleteRecordsResponse>(body, version, "DeleteRecords response",
                                              kDeleteRecordsResponse);
}

}  // namespace frazil::kafka::wire
