// SPDX-License-Identifier: Apache-2.0
// What the brokers last said about themselves and about topics.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/uuid.h"
#include "kafka/client/broker_address.h"
#include "kafka/wire/metadata.h"

namespace frazil::kafka {

struct PartitionLeader {
  // -1: none at the moment.
  BrokerId leader{-1};
  LeaderEpoch epoch{-1};

  friend bool operator==(const PartitionLeader&, const PartitionLeader&) = default;
};

struct TopicMetadata {
  // Zero where the brokers know no topic ids.
  Uuid id;
  // By partition.
  std::vector<PartitionLeader> partitions;

  friend bool operator==(const TopicMetadata&, const TopicMetadata&) = default;
};

// One topic out of a Metadata response. `asked` names the broker, for messages.
// Errors: table_not_found; kafka_unavailable for what may pass; kafka_protocol.
Result<TopicMetadata> TopicOf(const wire::MetadataResponse& response, const std::string& topic,
                              const std::string& asked);

// Threads: every member may be called from any thread.
class MetadataCache {
 public:
  // nullopt when nothing is known, or it is older than `max_age`, or was marked stale.
  std::optional<TopicMetadata> Find(const std::string& topic,
                                    std::chrono::milliseconds max_age) const;
  std::optional<BrokerAddress> AddressOf(BrokerId broker) const;
  // By broker id.
  std::vector<BrokerAddress> Addresses() const;

  void StoreBrokers(const wire::MetadataResponse& response);
  // Keeps what is newer (by leader epoch, and by number of partitions) of what it holds of the
  // same topic id: a broker's own view may lag. Returns the result.
  TopicMetadata StoreTopic(const std::string& topic, TopicMetadata metadata);
  void MarkStale(const std::string& topic);

 private:
  struct Entry {
    TopicMetadata metadata;
    std::chrono::steady_clock::time_point stored;
    bool stale = false;
  };

  mutable Mutex mutex_;
  std::map<std::string, Entry> topics_ FRAZIL_GUARDED_BY(mutex_);
  std::map<BrokerId, BrokerAddress> brokers_ FRAZIL_GUARDED_BY(mutex_);
};

}  // namespace frazil::kafka
