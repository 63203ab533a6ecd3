// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/fetch.h"

#include "kafka/wire/message_internal.h"

namespace frazil::kafka::wire {
namespace {

struct ForgottenTopic {
  std::string name;
  Uuid id;
  std::vector<std::int32_t> partitions;
};

template <typename Codec, typename Message>
void VisitTopicName(Codec& codec, Message& topic, std::int16_t version) {
  if (version < kFetchByTopicId) {
    codec.String(topic.name);
  } else {
    codec.Id(topic.id);
  }
}

template <typename Codec, typename Message>
void VisitRequestPartition(Codec& codec, Message& partition, std::int16_t version) {
  codec.Integer(partition.index);
  if (version >= 9) codec.Integer(partition.current_leader_epoch);
  codec.Integer(partition.fetch_offset);
  if (version >= 12) codec.Integer(partition.last_fetched_epoch);
  // Only followers tell where their log starts.
  std::int64_t log_start_offset = -1;
  if (version >= 5) codec.Integer(log_start_offset);
  codec.Integer(partition.max_bytes);
  codec.Tags();
}

constexpr auto kRequest = [](auto& codec, auto& message, std::int16_t version) {
  std::int32_t replica_id = -1;
  codec.Integer(replica_id);
  codec.Integer(message.max_wait_ms);
  codec.Integer(message.min_bytes);
  codec.Integer(message.max_bytes);
  codec.Integer(message.isolation_level);
  if (version >= 7) codec.Integer(message.session_id);
  if (version >= 7) codec.Integer(message.session_epoch);
  codec.Array(message.topics, [&codec, version](auto& topic) {
    VisitTopicName(codec, topic, version);
    codec.Array(topic.partitions, [&codec, version](auto& partition) {
      VisitRequestPartition(codec, partition, version);
    });
    codec.Tags();
  });
  std::vector<ForgottenTopic> forgotten;
  if (version >= 7) {
    codec.Array(forgotten, [&codec, version](auto& topic) {
      VisitTopicName(codec, topic, version);
      codec.Array(topic.partitions, [&codec](auto& partition) { codec.Integer(partition); });
      codec.Tags();
    });
  }
  std::string rack;
  if (version >= 11) codec.String(rack);
  codec.Tags();
};

template <typename Codec, typename Message>
void VisitResponsePartition(Codec& codec, Message& partition, std::int16_t version) {
  codec.Integer(partition.index);
  codec.Integer(partition.error_code);
  codec.Integer(partition.high_watermark);
  codec.Integer(partition.last_stable_offset);
  if (version >= 5) codec.Integer(partition.log_start_offset);
  codec.NullableArray(partition.aborted_transactions, [&codec](auto& transaction) {
    codec.Integer(transaction.producer_id);
    codec.Integer(transaction.first_offset);
    codec.Tags();
  });
  if (version >= 11) codec.Integer(partition.preferred_read_replica);
  codec.Records(partition.records);
  codec.Tags();
}

constexpr auto kResponse = [](auto& codec, auto& message, std::int16_t version) {
  codec.Integer(message.throttle_time_ms);
  if (version >= 7) codec.Integer(message.error_code);
  if (version >= 7) codec.Integer(message.session_id);
  codec.Array(message.topics, [&codec, version](auto& topic) {
    VisitTopicName(codec, topic, version);
    codec.Array(topic.partitions, [&codec, version](auto& partition) {
      VisitResponsePartition(codec, partition, version);
    });
    codec.Tags();
  });
  codec.Tags();
};

}  // namespace

void EncodeBody(const FetchRequest& request, std::int16_t version, Bytes& to) {
  EncodeMessage(request, version, to, kRequest);
}

void EncodeBody(const FetchResponse& response, std::int16_t version, Bytes& to) {
  EncodeMessage(response, version, to, kResponse);
}

Result<FetchRequest> DecodeFetchRequest(ByteView body, std::int16_t version) {
  return DecodeMessage<FetchRequest>(body, version, "Fetch request", kRequest);
}

Result<FetchResponse> DecodeFetchResponse(ByteView body, std::int16_t version) {
  return DecodeMessage<FetchResponse>(body, version, "Fetch response", kResponse);
}

}  // namespace frazil::kafka::wire
