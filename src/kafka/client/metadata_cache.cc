// SPDX-License-Identifier: Apache-2.0
#include "kafka/client/metadata_cache.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "kafka/wire/protocol_error.h"

namespace frazil::kafka {
namespace {

using wire::ProtocolError;

// `quoted`: the topic's name as it stands in messages.
Status CheckTopicError(std::int16_t code, const std::string& quoted, const std::string& asked) {
  const std::string told =
      wire::DescribeProtocolError(code) + " from Kafka broker " + asked + " for topic " + quoted;
  switch (static_cast<ProtocolError>(code)) {
    case ProtocolError::kNone:
      return {};
    case ProtocolError::kUnknownTopicOrPartition:
    case ProtocolError::kUnknownTopicId:
    case ProtocolError::kInvalidTopic:
      return Error(ErrorCode::kTableNotFound,
                   "The topic does not exist in Kafka; check its name and --kafka: " + quoted +
                       " at " + asked + ".");
    case ProtocolError::kTopicAuthorizationFailed:
      return Error(
          ErrorCode::kKafkaProtocol,
          "Kafka does not let Frazil see the topic; allow DESCRIBE and READ on it: " + told + ".");
    default:
      break;
  }
  const bool passing = wire::IsRetriable(code) ||
                       code == static_cast<std::int16_t>(ProtocolError::kUnknownServerError);
  return Error(passing ? ErrorCode::kKafkaUnavailable : ErrorCode::kKafkaProtocol,
               "Kafka does not describe the topic: " + told + ".");
}

}  // namespace

Result<TopicMetadata> TopicOf(const wire::MetadataResponse& response, const std::string& topic,
                              const std::string& asked) {
  const std::string quoted = "'" + Printable(topic) + "'";
  const std::string place = quoted + " at Kafka broker " + asked + ".";
  const auto found =
      std::ranges::find(response.topics, topic, &wire::MetadataResponse::Topic::name);
  if (found == response.topics.end()) {
    return Error(ErrorCode::kKafkaProtocol,
                 "The broker's answer leaves out the topic that was asked for: " + place);
  }
  FRAZIL_RETURN_IF_ERROR(CheckTopicError(found->error_code, quoted, asked));
  TopicMetadata metadata{found->id, {}};
  metadata.partitions.resize(found->partitions.size());
  std::vector<bool> seen(found->partitions.size());
  for (const wire::MetadataResponse::Partition& partition : found->partitions) {
    const auto index = static_cast<std::size_t>(partition.index);
    if (partition.index < 0 || index >= seen.size() || seen[index]) {
      return Error(ErrorCode::kKafkaUnavailable,
                   "The broker does not list each of the topic's partitions once: " + place);
    }
    seen[index] = true;
    metadata.partitions[index] = {BrokerId(partition.leader_id),
                                  LeaderEpoch(partition.leader_epoch)};
  }
  if (metadata.partitions.empty()) {
    return Error(ErrorCode::kKafkaUnavailable, "The broker lists no partition of the topic: " +
                                                   quoted + " at Kafka broker " + asked + ".");
  }
  return metadata;
}

std::optional<TopicMetadata> MetadataCache::Find(const std::string& topic,
                                                 std::chrono::milliseconds max_age) const {
  const MutexLock lock(mutex_);
  const auto found = topics_.find(topic);
  if (found == topics_.end() || found->second.stale ||
      std::chrono::steady_clock::now() - found->second.stored > max_age) {
    return std::nullopt;
  }
  return found->second.metadata;
}

std::optional<BrokerAddress> MetadataCache::AddressOf(BrokerId broker) const {
  const MutexLock lock(mutex_);
  const auto found = brokers_.find(broker);
  if (found == brokers_.end()) return std::nullopt;
  return found->second;
}

std::vector<BrokerAddress> MetadataCache::Addresses() const {
  const MutexLock lock(mutex_);
  std::vector<BrokerAddress> addresses;
  addresses.reserve(brokers_.size());
  for (const auto& [id, address] : brokers_) addresses.push_back(address);
  return addresses;
}

void MetadataCache::StoreBrokers(const wire::MetadataResponse& response) {
  std::map<BrokerId, BrokerAddress> brokers;
  for (const wire::MetadataResponse::Broker& broker : response.brokers) {
    if (broker.port <= 0 || broker.port > UINT16_MAX || broker.host.empty()) continue;
    brokers[BrokerId(broker.id)] = {broker.host, static_cast<std::uint16_t>(broker.port)};
  }
  if (brokers.empty()) return;
  const MutexLock lock(mutex_);
  brokers_.swap(brokers);
}

TopicMetadata MetadataCache::StoreTopic(const std::string& topic, TopicMetadata metadata) {
  const MutexLock lock(mutex_);
  Entry& entry = topics_[topic];
  const TopicMetadata& held = entry.metadata;
  if (!metadata.id.IsZero() && held.id == metadata.id) {
    for (std::size_t i = 0; i < held.partitions.size(); ++i) {
      if (i == metadata.partitions.size()) metadata.partitions.push_back(held.partitions[i]);
      if (held.partitions[i].epoch > metadata.partitions[i].epoch) {
        metadata.partitions[i] = held.partitions[i];
      }
    }
  }
  entry = {std::move(metadata), std::chrono::steady_clock::now(), false};
  return entry.metadata;
}

void MetadataCache::MarkStale(const std::string& topic) {
  const MutexLock lock(mutex_);
  const auto found = topics_.find(topic);
  if (found != topics_.end()) found->second.stale = true;
}

}  // namespace frazil::kafka
