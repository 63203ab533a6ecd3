// SPDX-License-Identifier: Apache-2.0
// What the calls of Cluster share.
#pragma once

#include <atomic>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "kafka/client/cluster.h"
#include "kafka/client/connection_pool.h"
#include "kafka/client/metadata_cache.h"
#include "kafka/client/retry.h"

namespace frazil::kafka {

// What brokers answered that could not help. Threads: one.
class FailedAttempts {
 public:
  // Whether another broker may know better. `cut_short`: the caller's deadline, which is no fault
  // of the broker, left it less time than it may take.
  bool Add(const Error& error, bool cut_short);
  Error ToError() const;

 private:
  std::string tried_;
  bool cut_short_ = false;
};

// Threads: every member may be called from any thread.
class ClusterState {
 public:
  ClusterState(ClusterOptions options, telemetry::Metrics& metrics, ConnectFunction connect);

  const ClusterOptions& options() const { return options_; }
  telemetry::Metrics& metrics() { return metrics_; }
  ConnectionPool& pool() { return pool_; }
  MetadataCache& metadata() { return metadata_; }

  RetryLoop StartRetries(Deadline deadline, const std::stop_token& stop) const;

  // Errors: those of AskAnyBroker and of TopicOf; cancelled.
  Result<TopicMetadata> RefreshTopic(const std::string& topic, Deadline deadline,
                                     const std::stop_token& stop);
  // The cached metadata unless it is older than `max_age`.
  Result<TopicMetadata> Topic(const std::string& topic, std::chrono::milliseconds max_age,
                              Deadline deadline, const std::stop_token& stop);
  // The topic, which has the partition and the id, if both it and the one that is wanted are known.
  // Errors: topic_recreated; kafka_unavailable when the partition is not listed; those of Topic.
  Result<TopicMetadata> CheckedTopic(const std::string& topic, const Uuid& wanted_id,
                                     PartitionId partition, std::chrono::milliseconds max_age,
                                     Deadline deadline, const std::stop_token& stop);
  // Errors: kafka_unavailable when the partition has no leader, or one without address.
  Result<BrokerAddress> LeaderAddress(const std::string& topic, std::int32_t partition,
                                      const PartitionLeader& leader) const;
  Result<ConnectionPool::Lease> Lease(const BrokerAddress& address, Deadline deadline,
                                      const std::stop_token& stop) {
    return pool_.Acquire(address, deadline, stop);
  }
  // By when a broker must have answered that may first wait for `broker_wait`.
  Deadline RequestDeadline(Deadline deadline, std::chrono::milliseconds broker_wait = {}) const {
    return deadline.Within(options_.request_timeout + broker_wait);
  }
  // Runs `ask(address, deadline)` for one broker after the other until one answers: known ones
  // first, then those to start from. Errors: kafka_unavailable, naming each broker that was tried
  // and why it did not answer; deadline_exceeded when the caller's deadline cut an attempt short;
  // others of `ask`.
  template <typename Ask>
  auto AskAnyBroker(Deadline deadline, Ask ask)
      -> decltype(ask(std::declval<const BrokerAddress&>(), deadline)) {
    const std::vector<BrokerAddress> candidates = Candidates();
    FailedAttempts failed;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      // A broker that does not answer leaves time for the others.
      const auto share = deadline.Remaining() / static_cast<int>(candidates.size() - i);
      auto answer = ask(candidates[i], RequestDeadline(deadline).Within(share));
      if (answer.ok() || !failed.Add(answer.error(), share < options_.request_timeout)) {
        return answer;
      }
    }
    return failed.ToError();
  }
  // The leader's answer to how the topic stands; updates the cache.
  Result<TopicMetadata> TakeMetadata(const ResponseBody& body, const std::string& topic,
                                     const BrokerAddress& address);

 private:
  std::vector<BrokerAddress> Candidates() const;
  Result<TopicMetadata> AskForTopic(const BrokerAddress& address, const std::string& topic,
                                    Deadline deadline, const std::stop_token& stop);

  ClusterOptions options_;
  telemetry::Metrics& metrics_;
  ConnectionPool pool_;
  MetadataCache metadata_;
  // Spreads metadata requests over the brokers.
  mutable std::atomic<std::size_t> next_candidate_{0};
};

// Asks for the topic, without creating it.
wire::MetadataRequest MetadataRequestFor(const std::string& topic);

// Errors: table_not_found for a name that no topic can have.
Status CheckTopicName(const std::string& topic);

// The error for a code that a broker answered about one partition: kafka_unavailable where the
// reason may pass, otherwise kafka_protocol. `doing` begins the sentence ("Kafka does not tell
// ...").
Error PartitionError(std::int16_t code, const std::string& doing, const std::string& topic,
                     std::int32_t partition, const BrokerAddress& address);

// "partition 3 of topic 'orders'"
std::string NamePartition(const std::string& topic, std::int32_t partition);

}  // namespace frazil::kafka
