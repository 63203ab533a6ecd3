// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "kafka/broker/topic_store_internal.h"

namespace frazil::kafka::broker {
namespace {

using wire::ProtocolError;

constexpr std::size_t kLongestTopicName = 249;

std::optional<Refusal> CheckName(const std::string& name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (!name.empty() && name.size() <= kLongestTopicName && name != "." && name != ".." &&
      std::ranges::all_of(name, is_allowed)) {
    return std::nullopt;
  }
  return Refusal{ProtocolError::kInvalidTopic,
                 "The name of a topic has 1 to 249 letters, digits, '.', '_' and '-'."};
}

Refusal Unknown() {
  return {ProtocolError::kUnknownTopicOrPartition, "There is no such topic or partition."};
}

Refusal TooManyPartitions(std::size_t most) {
  return {ProtocolError::kPolicyViolation,
          "The embedded broker has no room for more partitions than " + std::to_string(most) + "."};
}

}  // namespace

TopicInfo TopicStore::InfoOf(const Topics::value_type& entry) {
  return {entry.first, entry.second.id, static_cast<std::int32_t>(entry.second.partitions.size()),
          entry.second.settings};
}

std::size_t TopicStore::PartitionsLocked() const {
  std::size_t count = 0;
  for (const auto& [name, topic] : topics_) count += topic.partitions.size();
  return count;
}

std::variant<TopicInfo, Refusal> TopicStore::Create(const std::string& name,
                                                    std::int32_t partitions,
                                                    const TopicSettings& settings,
                                                    bool validate_only) {
  if (auto refusal = CheckName(name); refusal.has_value()) return *std::move(refusal);
  MutexLock lock(mutex_);
  if (topics_.contains(name)) {
    return Refusal{ProtocolError::kTopicAlreadyExists, "A topic of this name exists already."};
  }
  if (topics_.size() >= limits_.most_topics) {
    return Refusal{ProtocolError::kPolicyViolation,
                   "The embedded broker has no room for more topics than " +
                       std::to_string(limits_.most_topics) + "."};
  }
  const auto count = static_cast<std::size_t>(partitions);
  if (PartitionsLocked() + count > limits_.most_partitions) {
    return TooManyPartitions(limits_.most_partitions);
  }
  const Uuid id = Uuid::Random();
  if (validate_only) return TopicInfo{name, Uuid(), partitions, settings};
  Topic topic{.id = id, .settings = settings, .partitions = {}};
  topic.partitions.resize(count);
  const auto [entry, added] = topics_.emplace(name, std::move(topic));
  names_.emplace(id, name);
  changed_.NotifyAll();
  return InfoOf(*entry);
}

std::optional<Refusal> TopicStore::AddPartitions(const std::string& name, std::int32_t count,
                                                 bool validate_only) {
  MutexLock lock(mutex_);
  const auto found = topics_.find(name);
  if (found == topics_.end()) return Unknown();
  auto& partitions = found->second.partitions;
  const std::size_t now = partitions.size();
  if (count < 1 || static_cast<std::size_t>(count) <= now) {
    return Refusal{
        ProtocolError::kInvalidPartitions,
        "A topic's partitions can only become more; it has " + std::to_string(now) + "."};
  }
  const auto wanted = static_cast<std::size_t>(count);
  if (PartitionsLocked() + wanted - now > limits_.most_partitions) {
    return TooManyPartitions(limits_.most_partitions);
  }
  if (!validate_only) partitions.resize(wanted);
  return std::nullopt;
}

std::variant<TopicInfo, Refusal> TopicStore::Delete(const TopicKey& key) {
  MutexLock lock(mutex_);
  const auto found = FindLocked(key);
  if (found == topics_.end()) {
    if (!key.name.empty()) return Unknown();
    return Refusal{ProtocolError::kUnknownTopicId, "There is no topic with this id."};
  }
  TopicInfo info = InfoOf(*found);
  names_.erase(info.id);
  topics_.erase(found);
  changed_.NotifyAll();
  return info;
}

std::optional<TopicInfo> TopicStore::Find(const TopicKey& key) const {
  MutexLock lock(mutex_);
  const auto found = FindLocked(key);
  if (found == topics_.end()) return std::nullopt;
  return InfoOf(*found);
}

std::vector<TopicInfo> TopicStore::List() const {
  MutexLock lock(mutex_);
  std::vector<TopicInfo> all;
  all.reserve(topics_.size());
  for (const auto& entry : topics_) all.push_back(InfoOf(entry));
  return all;
}

TopicStore::Topics::const_iterator TopicStore::FindLocked(const TopicKey& key) const {
  if (!key.name.empty()) return topics_.find(key.name);
  const auto name = names_.find(key.id);
  return name == names_.end() ? topics_.end() : topics_.find(name->second);
}

PartitionLog* TopicStore::FindLogLocked(const TopicKey& key, std::int32_t partition,
                                        ProtocolError& error) {
  const auto found = FindLocked(key);
  if (found == topics_.end()) {
    error =
        key.name.empty() ? ProtocolError::kUnknownTopicId : ProtocolError::kUnknownTopicOrPartition;
    return nullptr;
  }
  Topic& topic = topics_.find(found->first)->second;
  if (partition < 0 || static_cast<std::size_t>(partition) >= topic.partitions.size()) {
    error = ProtocolError::kUnknownTopicOrPartition;
    return nullptr;
  }
  PartitionLog& log = topic.partitions[static_cast<std::size_t>(partition)];
  log.Expire(topic.settings, clock_.Now());
  return &log;
}

std::variant<Appended, Refusal> TopicStore::Append(const std::string& topic, std::int32_t partition,
                                                   ByteView records) {
  std::optional<TopicInfo> info = Find({topic, {}});
  if (!info.has_value()) return Unknown();
  // The slow part, before the lock.
  auto checked = CheckBatch(records, info->settings.max_message_bytes);
  if (auto* refusal = std::get_if<Refusal>(&checked)) return std::move(*refusal);
  MutexLock lock(mutex_);
  ProtocolError error = ProtocolError::kNone;
  PartitionLog* log = FindLogLocked({topic, {}}, partition, error);
  if (log == nullptr) return Unknown();
  auto answer = log->Append(std::get<CheckedBatch>(std::move(checked)), info->settings,
                            clock_.Now(), next_append_++);
  MakeRoomLocked();
  changed_.NotifyAll();
  return answer;
}

std::size_t TopicStore::MemoryLocked() const {
  std::size_t bytes = 0;
  for (const auto& [name, topic] : topics_) {
    for (const PartitionLog& log : topic.partitions) bytes += log.memory_bytes();
  }
  return bytes;
}

void TopicStore::MakeRoomLocked() {
  std::size_t bytes = MemoryLocked();
  while (bytes > limits_.memory_bytes) {
    PartitionLog* oldest = nullptr;
    for (auto& [name, topic] : topics_) {
      for (PartitionLog& log : topic.partitions) {
        if (log.batches().empty()) continue;
        const std::uint64_t number = log.batches().front().append_number;
        if (oldest == nullptr || number < oldest->batches().front().append_number) oldest = &log;
      }
    }
    if (oldest == nullptr) return;
    const std::size_t before = oldest->memory_bytes();
    oldest->DropOldest();
    bytes -= before - oldest->memory_bytes();
  }
}

std::variant<std::int64_t, Refusal> TopicStore::DeleteRecords(const std::string& topic,
                                                              std::int32_t partition,
                                                              std::int64_t offset) {
  MutexLock lock(mutex_);
  ProtocolError error = ProtocolError::kNone;
  PartitionLog* log = FindLogLocked({topic, {}}, partition, error);
  if (log == nullptr) return Unknown();
  if (offset == -1) offset = log->end();
  if (offset < 0 || offset > log->end()) {
    return Refusal{ProtocolError::kOffsetOutOfRange, "The partition has no such offset."};
  }
  log->RaiseStart(offset);
  changed_.NotifyAll();
  return log->start();
}

ProtocolError TopicStore::Visit(const TopicKey& key, std::int32_t partition,
                                std::int32_t current_leader_epoch,
                                const std::function<void(const PartitionLog&)>& read) {
  MutexLock lock(mutex_);
  ProtocolError error = ProtocolError::kNone;
  const PartitionLog* log = FindLogLocked(key, partition, error);
  if (log == nullptr) return error;
  if (current_leader_epoch > kLeaderEpoch) return ProtocolError::kUnknownLeaderEpoch;
  read(*log);
  return ProtocolError::kNone;
}

ReadAnswer TopicStore::ReadLocked(const ReadRequest& request, std::size_t max_bytes,
                                  bool at_least_one) {
  ReadAnswer answer;
  const PartitionLog* log = FindLogLocked(request.topic, request.partition, answer.error);
  if (log == nullptr) return answer;
  if (request.current_leader_epoch > kLeaderEpoch) {
    answer.error = ProtocolError::kUnknownLeaderEpoch;
  } else if (request.offset < log->start() || request.offset > log->end()) {
    answer.error = ProtocolError::kOffsetOutOfRange;
  } else {
    answer.range = {log->start(), log->end()};
    answer.batches =
        log->Read(request.offset, std::min(max_bytes, request.max_bytes), at_least_one);
  }
  return answer;
}

std::vector<ReadAnswer> TopicStore::Read(const std::vector<ReadRequest>& requests,
                                         std::size_t min_bytes, std::size_t max_bytes,
                                         Deadline deadline, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (true) {
    std::vector<ReadAnswer> answers;
    answers.reserve(requests.size());
    std::size_t bytes = 0;
    bool failed = false;
    for (const ReadRequest& request : requests) {
      const std::size_t left = max_bytes - std::min(bytes, max_bytes);
      answers.push_back(ReadLocked(request, left, bytes == 0));
      for (const auto& batch : answers.back().batches) bytes += batch->size();
      failed = failed || answers.back().error != ProtocolError::kNone;
    }
    if (bytes >= min_bytes || failed || requests.empty()) return answers;
    if (!changed_.WaitUntil(mutex_, deadline, stop)) return answers;
  }
}

}  // namespace frazil::kafka::broker
