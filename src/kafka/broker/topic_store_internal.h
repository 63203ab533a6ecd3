// SPDX-License-Identifier: Apache-2.0
// The topics of a broker and their partitions' logs, within a bound of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/uuid.h"
#include "kafka/broker/partition_log_internal.h"
#include "kafka/broker/topic_settings_internal.h"

namespace frazil::kafka::broker {

struct StoreLimits {
  std::size_t memory_bytes = std::size_t{512} << 20;
  std::size_t most_topics = 1000;
  // Of all topics together.
  std::size_t most_partitions = 10'000;
};

struct TopicInfo {
  std::string name;
  Uuid id;
  std::int32_t partitions = 0;
  TopicSettings settings;
};

// A topic by its name, or, where that is empty, by its id.
struct TopicKey {
  std::string name;
  Uuid id;
};

struct LogRange {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

struct ReadRequest {
  TopicKey topic;
  std::int32_t partition = 0;
  std::int32_t current_leader_epoch = -1;
  std::int64_t offset = 0;
  std::size_t max_bytes = 0;
};

struct ReadAnswer {
  wire::ProtocolError error = wire::ProtocolError::kNone;
  LogRange range;
  std::vector<std::shared_ptr<const Bytes>> batches;
};

// Threads: every member may be called from several threads at once.
class TopicStore {
 public:
  // `clock` must outlive the store.
  TopicStore(const StoreLimits& limits, const Clock& clock) : limits_(limits), clock_(clock) {}

  // Requires: partitions >= 1.
  std::variant<TopicInfo, Refusal> Create(const std::string& name, std::int32_t partitions,
                                          const TopicSettings& settings, bool validate_only);
  // All its partitions, those that exist too. Partitions never become fewer.
  std::optional<Refusal> AddPartitions(const std::string& name, std::int32_t count,
                                       bool validate_only);
  // The topic that was deleted.
  std::variant<TopicInfo, Refusal> Delete(const TopicKey& key);
  std::optional<TopicInfo> Find(const TopicKey& key) const;
  // In order of name.
  std::vector<TopicInfo> List() const;

  // Wakes whoever waits in Read. Older batches may leave for it.
  std::variant<Appended, Refusal> Append(const std::string& topic, std::int32_t partition,
                                         ByteView records);
  // -1: everything. The log start from now on.
  std::variant<std::int64_t, Refusal> DeleteRecords(const std::string& topic,
                                                    std::int32_t partition, std::int64_t offset);

  // An error where the partition is not known, or its leader's epoch is not this one; otherwise
  // what `read` makes of it.
  wire::ProtocolError Visit(const TopicKey& key, std::int32_t partition,
                            std::int32_t current_leader_epoch,
                            const std::function<void(const PartitionLog&)>& read);

  // Answers when all partitions together have `min_bytes`, when one of them has an error, at the
  // deadline, or when a stop is asked for. At most `max_bytes`, except that the first batch found
  // comes whole.
  std::vector<ReadAnswer> Read(const std::vector<ReadRequest>& requests, std::size_t min_bytes,
                               std::size_t max_bytes, Deadline deadline,
                               const std::stop_token& stop);

 private:
  struct Topic {
    Uuid id;
    TopicSettings settings;
    std::vector<PartitionLog> partitions;
  };
  using Topics = std::map<std::string, Topic>;

  Topics::const_iterator FindLocked(const TopicKey& key) const FRAZIL_REQUIRES(mutex_);
  // nullptr, and why, where there is none.
  PartitionLog* FindLogLocked(const TopicKey& key, std::int32_t partition,
                              wire::ProtocolError& error) FRAZIL_REQUIRES(mutex_);
  static TopicInfo InfoOf(const Topics::value_type& entry);
  ReadAnswer ReadLocked(const ReadRequest& request, std::size_t max_bytes, bool at_least_one)
      FRAZIL_REQUIRES(mutex_);
  void MakeRoomLocked() FRAZIL_REQUIRES(mutex_);
  std::size_t MemoryLocked() const FRAZIL_REQUIRES(mutex_);
  std::size_t PartitionsLocked() const FRAZIL_REQUIRES(mutex_);

  const StoreLimits limits_;
  const Clock& clock_;
  mutable Mutex mutex_;
  // Something was appended, or a log's start or a topic has changed.
  ConditionVariable changed_;
  Topics topics_ FRAZIL_GUARDED_BY(mutex_);
  std::map<Uuid, std::string> names_ FRAZIL_GUARDED_BY(mutex_);
  std::uint64_t next_append_ FRAZIL_GUARDED_BY(mutex_) = 1;
};

}  // namespace frazil::kafka::broker
