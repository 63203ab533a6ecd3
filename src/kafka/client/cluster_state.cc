// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "kafka/client/cluster_state_internal.h"
#include "kafka/wire/protocol_error.h"

namespace frazil::kafka {
namespace {

// Kafka's own bound.
constexpr std::size_t kMaxTopicNameBytes = 249;
// Of the largest size that a fetch asks for.
constexpr std::size_t kKeptAnswers = 16;

ConnectionPoolOptions PoolOptions(const ClusterOptions& options) {
  ConnectionPoolOptions pool;
  const auto answer = static_cast<std::size_t>(std::max(0, options.fetch_max_bytes));
  pool.connection = {options.client_id, options.max_response_bytes,
                     std::make_shared<AnswerBuffers>(kKeptAnswers * answer)};
  pool.connect_timeout = options.connect_timeout;
  pool.max_connections_per_broker = std::max(1, options.max_connections_per_broker);
  return pool;
}

// Whether another broker may know better.
bool MayAskAnother(ErrorCode code) {
  return code == ErrorCode::kNetwork || code == ErrorCode::kDeadlineExceeded ||
         code == ErrorCode::kKafkaUnavailable;
}

}  // namespace

ClusterState::ClusterState(ClusterOptions options, telemetry::Metrics& metrics,
                           ConnectFunction connect)
    : options_(std::move(options)),
      metrics_(metrics),
      pool_(PoolOptions(options_), std::move(connect), metrics) {
  options_.stall_timeout =
      std::max({options_.stall_timeout, options_.request_timeout, options_.empty_fetch_wait});
}

RetryLoop ClusterState::StartRetries(Deadline deadline, const std::stop_token& stop) const {
  return RetryLoop(
      {options_.retry_backoff_min, options_.retry_backoff_max, options_.unknown_topic_grace},
      deadline, stop, metrics_);
}

std::vector<BrokerAddress> ClusterState::Candidates() const {
  std::vector<BrokerAddress> candidates = metadata_.Addresses();
  if (!candidates.empty()) {
    const std::size_t first = next_candidate_.fetch_add(1, std::memory_order_relaxed);
    std::ranges::rotate(
        candidates, candidates.begin() + static_cast<std::ptrdiff_t>(first % candidates.size()));
  }
  for (const BrokerAddress& address : options_.bootstrap) {
    if (std::ranges::find(candidates, address) == candidates.end()) candidates.push_back(address);
  }
  return candidates;
}

bool FailedAttempts::Add(const Error& error, bool cut_short) {
  if (!MayAskAnother(error.code())) return false;
  cut_short_ = cut_short_ || (cut_short && error.code() == ErrorCode::kDeadlineExceeded);
  tried_ += (tried_.empty() ? "" : "; ") + error.message();
  return true;
}

Error FailedAttempts::ToError() const {
  return Error(cut_short_ ? ErrorCode::kDeadlineExceeded : ErrorCode::kKafkaUnavailable,
               "No Kafka broker could be asked; check --kafka and that the brokers run: " +
                   (tried_.empty() ? "no broker is given" : tried_) + ".");
}

Result<TopicMetadata> ClusterState::RefreshTopic(const std::string& topic, Deadline deadline,
                                                 const std::stop_token& stop) {
  return AskAnyBroker(deadline, [&](const BrokerAddress& address, Deadline attempt) {
    return AskForTopic(address, topic, attempt, stop);
  });
}

Result<TopicMetadata> ClusterState::AskForTopic(const BrokerAddress& address,
                                                const std::string& topic, Deadline deadline,
                                                const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const ConnectionPool::Lease connection, Lease(address, deadline, stop));
  FRAZIL_ASSIGN_OR_RETURN(const std::int16_t version,
                          connection->VersionOf(wire::ApiKey::kMetadata));
  FRAZIL_ASSIGN_OR_RETURN(const ResponseBody body,
                          connection->Ask(MetadataRequestFor(topic), version, deadline, stop));
  return TakeMetadata(body, topic, address);
}

Result<TopicMetadata> ClusterState::TakeMetadata(const ResponseBody& body, const std::string& topic,
                                                 const BrokerAddress& address) {
  FRAZIL_ASSIGN_OR_RETURN(const wire::MetadataResponse response,
                          wire::DecodeMetadataResponse(body.bytes, body.version));
  metadata_.StoreBrokers(response);
  FRAZIL_ASSIGN_OR_RETURN(TopicMetadata told, TopicOf(response, topic, address.ToString()));
  return metadata_.StoreTopic(topic, std::move(told));
}

Result<TopicMetadata> ClusterState::Topic(const std::string& topic,
                                          std::chrono::milliseconds max_age, Deadline deadline,
                                          const std::stop_token& stop) {
  std::optional<TopicMetadata> cached = metadata_.Find(topic, max_age);
  if (cached.has_value()) return std::move(*cached);
  return RefreshTopic(topic, deadline, stop);
}

Result<TopicMetadata> ClusterState::CheckedTopic(const std::string& topic, const Uuid& wanted_id,
                                                 PartitionId partition,
                                                 std::chrono::milliseconds max_age,
                                                 Deadline deadline, const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(TopicMetadata metadata, Topic(topic, max_age, deadline, stop));
  if (!wanted_id.IsZero() && !metadata.id.IsZero() && metadata.id != wanted_id) {
    return Error(ErrorCode::kTopicRecreated,
                 "The topic was deleted and created again; load the table again: '" +
                     Printable(topic) + "', whose id was " + wanted_id.ToString() + " and is " +
                     metadata.id.ToString() + ".");
  }
  const std::int32_t index = partition.value();
  if (index < 0 || static_cast<std::size_t>(index) >= metadata.partitions.size()) {
    return Error(ErrorCode::kKafkaUnavailable,
                 "Kafka does not list the partition: " + NamePartition(topic, index) + ".");
  }
  return metadata;
}

Result<BrokerAddress> ClusterState::LeaderAddress(const std::string& topic, std::int32_t partition,
                                                  const PartitionLeader& leader) const {
  const std::optional<BrokerAddress> address = metadata_.AddressOf(leader.leader);
  if (address.has_value()) return *address;
  const std::string leader_id = std::to_string(leader.leader.value());
  return Error(ErrorCode::kKafkaUnavailable,
               (leader.leader.value() < 0
                    ? "The partition has no leader at the moment: "
                    : "The partition's leader, broker " + leader_id + ", is not reachable: ") +
                   NamePartition(topic, partition) + ".");
}

wire::MetadataRequest MetadataRequestFor(const std::string& topic) {
  wire::MetadataRequest request;
  request.topics.emplace().push_back({Uuid(), topic});
  return request;
}

Status CheckTopicName(const std::string& topic) {
  if (!topic.empty() && topic.size() <= kMaxTopicNameBytes) return {};
  return Error(ErrorCode::kTableNotFound,
               "No Kafka topic can have this name: '" + Printable(topic) + "'.");
}

std::string NamePartition(const std::string& topic, std::int32_t partition) {
  return "partition " + std::to_string(partition) + " of topic '" + Printable(topic) + "'";
}

Error PartitionError(std::int16_t code, const std::string& doing, const std::string& topic,
                     std::int32_t partition, const BrokerAddress& address) {
  const bool passing = wire::IsRetriable(code) ||
                       code == static_cast<std::int16_t>(wire::ProtocolError::kUnknownServerError);
  return Error(passing ? ErrorCode::kKafkaUnavailable : ErrorCode::kKafkaProtocol,
               doing + ": " + wire::DescribeProtocolError(code) + " from Kafka broker " +
                   address.ToString() + " for " + NamePartition(topic, partition) + ".");
}

}  // namespace frazil::kafka
