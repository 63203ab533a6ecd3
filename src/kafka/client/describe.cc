// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "kafka/client/describe_internal.h"
#include "kafka/wire/list_offsets.h"
#include "kafka/wire/protocol_error.h"

namespace frazil::kafka {
namespace {

// Partitions by the broker that leads them. Ordered by address, as the pool wants it.
using PartitionsByLeader = std::map<BrokerAddress, std::vector<std::int32_t>>;

// What every leader is asked about each of its partitions.
struct Question {
  std::int64_t timestamp;
  wire::IsolationLevel isolation;
};

struct Answers {
  TopicMetadata metadata;
  // By partition, then by question; -1 where no record has the time that was asked for.
  std::vector<std::vector<std::int64_t>> offsets;
};

class LeaderQuestions {
 public:
  // All arguments must outlive it.
  LeaderQuestions(ClusterState& state, const std::string& topic,
                  const std::vector<Question>& questions, Deadline deadline,
                  const std::stop_token& stop)
      : state_(state),
        topic_(topic),
        questions_(questions),
        deadline_(state.RequestDeadline(deadline)),
        stop_(stop) {}

  Result<Answers> Run() {
    FRAZIL_ASSIGN_OR_RETURN(
        answers_.metadata,
        state_.Topic(topic_, state_.options().metadata_max_age, deadline_, stop_));
    FRAZIL_RETURN_IF_ERROR(GroupByLeader());
    answers_.offsets.assign(answers_.metadata.partitions.size(),
                            std::vector<std::int64_t>(questions_.size(), -1));
    FRAZIL_RETURN_IF_ERROR(Ask());
    for (Asked& asked : asked_) FRAZIL_RETURN_IF_ERROR(TakeAnswers(asked));
    return std::move(answers_);
  }

 private:
  struct Asked {
    BrokerAddress address;
    const std::vector<std::int32_t>* partitions;
    ConnectionPool::Lease connection;
  };

  Status GroupByLeader() {
    for (std::size_t i = 0; i < answers_.metadata.partitions.size(); ++i) {
      const auto partition = static_cast<std::int32_t>(i);
      FRAZIL_ASSIGN_OR_RETURN(
          const BrokerAddress address,
          state_.LeaderAddress(topic_, partition, answers_.metadata.partitions[i]));
      leaders_[address].push_back(partition);
    }
    return {};
  }

  // All brokers work at the same time: every request is out before the first answer is read.
  Status Ask() {
    for (const auto& [address, partitions] : leaders_) {
      FRAZIL_ASSIGN_OR_RETURN(ConnectionPool::Lease connection,
                              state_.Lease(address, deadline_, stop_));
      FRAZIL_ASSIGN_OR_RETURN(const std::int16_t list_version,
                              connection->VersionOf(wire::ApiKey::kListOffsets));
      FRAZIL_ASSIGN_OR_RETURN(const std::int16_t metadata_version,
                              connection->VersionOf(wire::ApiKey::kMetadata));
      for (const Question& question : questions_) {
        connection->Queue(RequestFor(question, partitions), list_version);
      }
      connection->Queue(MetadataRequestFor(topic_), metadata_version);
      FRAZIL_RETURN_IF_ERROR(connection->Flush(deadline_, stop_));
      asked_.push_back({address, &partitions, std::move(connection)});
    }
    return {};
  }

  wire::ListOffsetsRequest RequestFor(const Question& question,
                                      const std::vector<std::int32_t>& partitions) const {
    wire::ListOffsetsRequest request;
    request.isolation_level = static_cast<std::int8_t>(question.isolation);
    wire::ListOffsetsRequest::Topic& asked = request.topics.emplace_back();
    asked.name = topic_;
    for (const std::int32_t partition : partitions) {
      const LeaderEpoch epoch =
          answers_.metadata.partitions[static_cast<std::size_t>(partition)].epoch;
      asked.partitions.push_back({partition, epoch.value(), question.timestamp});
    }
    return request;
  }

  Status TakeAnswers(Asked& asked) {
    std::vector<ResponseBody> offsets;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      FRAZIL_ASSIGN_OR_RETURN(offsets.emplace_back(), asked.connection->Receive(deadline_, stop_));
    }
    FRAZIL_ASSIGN_OR_RETURN(const ResponseBody topic, asked.connection->Receive(deadline_, stop_));
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      FRAZIL_RETURN_IF_ERROR(TakeOffsets(i, offsets[i], asked));
    }
    FRAZIL_ASSIGN_OR_RETURN(const TopicMetadata now,
                            state_.TakeMetadata(topic, topic_, asked.address));
    if (now == answers_.metadata) return {};
    return Error(ErrorCode::kKafkaUnavailable, "The topic kept changing while it was looked at: '" +
                                                   Printable(topic_) + "' at Kafka broker " +
                                                   asked.address.ToString() + ".");
  }

  // Each partition that was asked about is told about exactly once.
  Status TakeOffsets(std::size_t question, const ResponseBody& body, const Asked& asked) {
    FRAZIL_ASSIGN_OR_RETURN(const wire::ListOffsetsResponse response,
                            wire::DecodeListOffsetsResponse(body.bytes, body.version));
    std::vector<std::int32_t> told;
    for (const wire::ListOffsetsResponse::Topic& topic : response.topics) {
      if (topic.name != topic_) continue;
      for (const wire::ListOffsetsResponse::Partition& partition : topic.partitions) {
        FRAZIL_RETURN_IF_ERROR(CheckOffset(questions_[question], partition, asked.address));
        told.push_back(partition.index);
      }
    }
    std::ranges::sort(told);
    if (told != *asked.partitions) {
      return Error(ErrorCode::kKafkaProtocol,
                   "The Kafka broker's answer does not hold each partition once that was asked "
                   "for: topic '" +
                       Printable(topic_) + "' at " + asked.address.ToString() + ".");
    }
    for (const wire::ListOffsetsResponse::Topic& topic : response.topics) {
      if (topic.name != topic_) continue;
      for (const auto& partition : topic.partitions) {
        answers_.offsets[static_cast<std::size_t>(partition.index)][question] = partition.offset;
      }
    }
    return {};
  }

  Status CheckOffset(const Question& question,
                     const wire::ListOffsetsResponse::Partition& partition,
                     const BrokerAddress& address) const {
    if (partition.error_code != 0) {
      return PartitionError(partition.error_code, "Kafka does not tell an offset", topic_,
                            partition.index, address);
    }
    const bool may_be_none = question.timestamp >= 0;
    if (partition.offset >= 0 || (may_be_none && partition.offset == -1)) return {};
    return Error(ErrorCode::kKafkaProtocol,
                 "The Kafka broker tells a negative offset: " + address.ToString() + " for " +
                     NamePartition(topic_, partition.index) + ".");
  }

  ClusterState& state_;
  const std::string& topic_;
  const std::vector<Question>& questions_;
  Deadline deadline_;
  const std::stop_token& stop_;
  PartitionsByLeader leaders_;
  std::vector<Asked> asked_;
  Answers answers_;
};

}  // namespace

Result<TopicOffsets> DescribeOnce(ClusterState& state, const std::string& topic, Deadline deadline,
                                  const std::stop_token& stop) {
  // In this order: the start can only rise until the end is told, and the high watermark was never
  // below the last stable offset that was told before it.
  const std::vector<Question> questions = {
      {wire::kEarliestTimestamp, wire::IsolationLevel::kReadCommitted},
      {wire::kLatestTimestamp, wire::IsolationLevel::kReadCommitted},
      {wire::kLatestTimestamp, wire::IsolationLevel::kReadUncommitted}};
  FRAZIL_ASSIGN_OR_RETURN(const Answers answers,
                          LeaderQuestions(state, topic, questions, deadline, stop).Run());
  TopicOffsets offsets;
  offsets.topic_id = answers.metadata.id;
  for (std::size_t i = 0; i < answers.offsets.size(); ++i) {
    const std::vector<std::int64_t>& told = answers.offsets[i];
    PartitionOffsets& partition = offsets.partitions.emplace_back();
    partition.partition = PartitionId(static_cast<std::int32_t>(i));
    partition.leader = answers.metadata.partitions[i].leader;
    partition.epoch = answers.metadata.partitions[i].epoch;
    partition.start = Offset(told[0]);
    // Records that were deleted past an open transaction: nothing is left to read.
    partition.end = Offset(std::max(told[1], told[0]));
    partition.high_watermark = std::max(Offset(told[2]), partition.end);
  }
  return offsets;
}

Result<std::vector<std::pair<PartitionId, std::optional<Offset>>>> OffsetsForTimeOnce(
    ClusterState& state, const std::string& topic, UnixMillis time, Deadline deadline,
    const std::stop_token& stop) {
  // Negative numbers ask for other things than a time.
  const std::vector<Question> questions = {
      {std::max<std::int64_t>(time.value(), 0), wire::IsolationLevel::kReadCommitted}};
  FRAZIL_ASSIGN_OR_RETURN(const Answers answers,
                          LeaderQuestions(state, topic, questions, deadline, stop).Run());
  std::vector<std::pair<PartitionId, std::optional<Offset>>> offsets;
  for (std::size_t i = 0; i < answers.offsets.size(); ++i) {
    const std::int64_t told = answers.offsets[i][0];
    offsets.emplace_back(PartitionId(static_cast<std::int32_t>(i)),
                         told < 0 ? std::nullopt : std::optional(Offset(told)));
  }
  return offsets;
}

}  // namespace frazil::kafka
