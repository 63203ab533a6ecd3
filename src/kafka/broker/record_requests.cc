// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <variant>

#include "kafka/broker/requests_internal.h"

namespace frazil::kafka::broker {
namespace {

using wire::ProtocolError;

wire::ProduceResponse::Partition ProduceOne(const std::string& topic,
                                            const wire::ProduceRequest::Partition& partition,
                                            const wire::ProduceRequest& request,
                                            const RequestScope& scope) {
  wire::ProduceResponse::Partition answer;
  answer.index = partition.index;
  if (request.acks < -1 || request.acks > 1) {
    answer.error_code = CodeOf(ProtocolError::kInvalidRequiredAcks);
    answer.error_message = "acks must be -1, 0 or 1.";
    return answer;
  }
  const auto appended =
      scope.state.topics.Append(topic, partition.index, partition.records.value_or(ByteView()));
  if (const auto* refusal = std::get_if<Refusal>(&appended)) {
    answer.error_code = CodeOf(refusal->code);
    answer.error_message = refusal->message;
    return answer;
  }
  answer.base_offset = std::get<Appended>(appended).base_offset;
  answer.log_append_time = std::get<Appended>(appended).log_append_time;
  scope.state.topics.Visit({topic, {}}, partition.index, -1, [&answer](const PartitionLog& log) {
    answer.log_start_offset = log.start();
  });
  return answer;
}

std::vector<ReadRequest> ReadsOf(const wire::FetchRequest& request, std::int16_t version) {
  std::vector<ReadRequest> reads;
  for (const auto& topic : request.topics) {
    TopicKey key;
    if (version >= wire::kFetchByTopicId) {
      key.id = topic.id;
    } else {
      key.name = topic.name;
    }
    for (const auto& partition : topic.partitions) {
      reads.push_back({.topic = key,
                       .partition = partition.index,
                       .current_leader_epoch = partition.current_leader_epoch,
                       .offset = partition.fetch_offset,
                       .max_bytes = static_cast<std::size_t>(std::max(partition.max_bytes, 0))});
    }
  }
  return reads;
}

Bytes Joined(const std::vector<std::shared_ptr<const Bytes>>& batches) {
  Bytes joined;
  std::size_t size = 0;
  for (const auto& batch : batches) size += batch->size();
  joined.reserve(size);
  for (const auto& batch : batches) Append(*batch, joined);
  return joined;
}

// `records` must stay where it is.
wire::FetchResponse::Partition FetchedPartition(std::int32_t index, const ReadAnswer& read,
                                                std::int8_t isolation_level, const Bytes& records) {
  wire::FetchResponse::Partition partition;
  partition.index = index;
  partition.error_code = CodeOf(read.error);
  partition.records = ByteView(records);
  if (read.error != ProtocolError::kNone) return partition;
  partition.high_watermark = partition.last_stable_offset = read.range.end;
  partition.log_start_offset = read.range.start;
  if (isolation_level == static_cast<std::int8_t>(wire::IsolationLevel::kReadCommitted)) {
    partition.aborted_transactions.emplace();
  }
  return partition;
}

TimedOffset OffsetAt(std::int64_t timestamp, const PartitionLog& log) {
  switch (timestamp) {
    case wire::kLatestTimestamp:
      return {-1, log.end()};
    case wire::kEarliestTimestamp:
    case wire::kEarliestLocalTimestamp:
      return {-1, log.start()};
    case wire::kMaxTimestamp:
      return log.FindLargestTime();
    default:
      return log.FindTime(timestamp);
  }
}

}  // namespace

wire::ProduceResponse AnswerProduce(const wire::ProduceRequest& request,
                                    const RequestScope& scope) {
  wire::ProduceResponse response;
  for (const auto& topic : request.topics) {
    auto& answer = response.topics.emplace_back();
    answer.name = topic.name;
    for (const auto& partition : topic.partitions) {
      answer.partitions.push_back(ProduceOne(topic.name, partition, request, scope));
    }
  }
  return response;
}

FetchAnswer AnswerFetch(const wire::FetchRequest& request, const RequestScope& scope) {
  FetchAnswer answer;
  // No session is ever opened, so none can be continued.
  if (request.session_id != 0) {
    answer.response.error_code = CodeOf(ProtocolError::kFetchSessionIdNotFound);
    return answer;
  }
  const auto wait = std::clamp(std::chrono::milliseconds(request.max_wait_ms),
                               std::chrono::milliseconds(0), scope.state.options.longest_wait);
  // Version 2 and older ones, which know no limit, are not offered.
  const std::size_t most = std::min(static_cast<std::size_t>(std::max(request.max_bytes, 0)),
                                    scope.state.options.most_fetched_bytes);
  const std::vector<ReadAnswer> reads = scope.state.topics.Read(
      ReadsOf(request, scope.version), static_cast<std::size_t>(std::max(request.min_bytes, 0)),
      most, Deadline::After(wait), scope.stop);
  answer.records.reserve(reads.size());
  auto read = reads.begin();
  for (const auto& topic : request.topics) {
    auto& fetched = answer.response.topics.emplace_back();
    fetched.name = topic.name;
    fetched.id = topic.id;
    for (const auto& partition : topic.partitions) {
      answer.records.push_back(Joined(read->batches));
      fetched.partitions.push_back(
          FetchedPartition(partition.index, *read, request.isolation_level, answer.records.back()));
      ++read;
    }
  }
  return answer;
}

wire::ListOffsetsResponse AnswerListOffsets(const wire::ListOffsetsRequest& request,
                                            const RequestScope& scope) {
  wire::ListOffsetsResponse response;
  for (const auto& topic : request.topics) {
    auto& answer = response.topics.emplace_back();
    answer.name = topic.name;
    for (const auto& partition : topic.partitions) {
      auto& place = answer.partitions.emplace_back();
      place.index = partition.index;
      if (partition.timestamp < wire::kEarliestLocalTimestamp) {
        place.error_code = CodeOf(ProtocolError::kInvalidRequest);
        continue;
      }
      const auto visit = [&place, &partition](const PartitionLog& log) {
        const TimedOffset found = OffsetAt(partition.timestamp, log);
        place.timestamp = found.timestamp;
        place.offset = found.offset;
        place.leader_epoch = kLeaderEpoch;
      };
      place.error_code = CodeOf(scope.state.topics.Visit({topic.name, {}}, partition.index,
                                                         partition.current_leader_epoch, visit));
    }
  }
  return response;
}

wire::OffsetForLeaderEpochResponse AnswerOffsetForLeaderEpoch(
    const wire::OffsetForLeaderEpochRequest& request, const RequestScope& scope) {
  wire::OffsetForLeaderEpochResponse response;
  for (const auto& topic : request.topics) {
    auto& answer = response.topics.emplace_back();
    answer.name = topic.name;
    for (const auto& partition : topic.partitions) {
      auto& end = answer.partitions.emplace_back();
      end.index = partition.index;
      const auto visit = [&end, &partition](const PartitionLog& log) {
        if (partition.leader_epoch != kLeaderEpoch) return;
        end.leader_epoch = kLeaderEpoch;
        end.end_offset = log.end();
      };
      end.error_code = CodeOf(scope.state.topics.Visit({topic.name, {}}, partition.index,
                                                       partition.current_leader_epoch, visit));
    }
  }
  return response;
}

}  // namespace frazil::kafka::broker
