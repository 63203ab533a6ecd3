// SPDX-License-Identifier: Apache-2.0
// The records of one partition, batch by batch as they were received, and what its producers have
// sent last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "kafka/broker/topic_settings_internal.h"
#include "kafka/wire/protocol_error.h"
#include "kafka/wire/record_batch.h"

namespace frazil::kafka::broker {

// This broker has led all its partitions from the start.
inline constexpr std::int32_t kLeaderEpoch = 0;

// One batch of a Produce request, checked to its last byte.
struct CheckedBatch {
  Bytes bytes;
  std::int32_t record_count = 0;
  std::int64_t max_timestamp = -1;
  // -1: not idempotent.
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t base_sequence = -1;
};

// What is wrong with a request's part, in the protocol's words.
struct Refusal {
  wire::ProtocolError code;
  std::string message;
};

// The batch that `records` hold; nothing but one whole batch of plain records is taken.
std::variant<CheckedBatch, Refusal> CheckBatch(ByteView records, std::int32_t max_message_bytes);

struct StoredBatch {
  std::shared_ptr<const Bytes> bytes;
  std::int64_t base_offset = 0;
  std::int64_t last_offset = 0;
  std::int64_t max_timestamp = -1;
  // Rises over all partitions of a broker.
  std::uint64_t append_number = 0;
};

struct Appended {
  std::int64_t base_offset = 0;
  // -1 where the topic keeps the producer's time.
  std::int64_t log_append_time = -1;
};

struct TimedOffset {
  std::int64_t timestamp = -1;
  std::int64_t offset = -1;
};

// Threads: the owner's to guard.
class PartitionLog {
 public:
  std::int64_t start() const { return start_; }
  // One after the last record; also the high watermark and the last stable offset.
  std::int64_t end() const { return end_; }
  // What the batches take, with what is needed to find them.
  std::size_t memory_bytes() const { return bytes_ + batches_.size() * kBytesToFindABatch; }
  const std::deque<StoredBatch>& batches() const { return batches_; }

  // A batch that an idempotent producer has sent before is not stored again: the answer is that of
  // the first time.
  std::variant<Appended, Refusal> Append(CheckedBatch batch, const TopicSettings& settings,
                                         UnixMillis now, std::uint64_t append_number);

  // The batches from the one that holds `offset` on, at most `max_bytes` of them, but always the
  // first when `at_least_one`. Requires: start() <= offset <= end().
  std::vector<std::shared_ptr<const Bytes>> Read(std::int64_t offset, std::size_t max_bytes,
                                                 bool at_least_one) const;

  // The first record whose time is `timestamp` or later; -1 and -1 when there is none.
  TimedOffset FindTime(std::int64_t timestamp) const;
  // The first record that has the largest time; -1 and -1 when there are no records.
  TimedOffset FindLargestTime() const;

  // Forgets what lies before `offset`. Requires: offset <= end().
  void RaiseStart(std::int64_t offset);
  // Forgets the oldest batch. Requires: there is one.
  void DropOldest();
  // Forgets what the topic's retention does not keep.
  void Expire(const TopicSettings& settings, UnixMillis now);

 private:
  static constexpr std::size_t kBytesToFindABatch = 128;

  struct SentBatch {
    std::int32_t first_sequence;
    std::int32_t last_sequence;
    Appended appended;
  };
  struct Producer {
    std::int16_t epoch = -1;
    // The last ones, oldest first.
    std::deque<SentBatch> sent;
    std::uint64_t last_append = 0;
  };

  // Whether an idempotent producer may append this batch next: what to answer when not.
  std::optional<std::variant<Appended, Refusal>> CheckSequence(const CheckedBatch& batch) const;
  void Remember(const CheckedBatch& batch, const Appended& appended, std::uint64_t append_number);
  void PopOldest();

  std::int64_t start_ = 0;
  std::int64_t end_ = 0;
  std::size_t bytes_ = 0;
  std::deque<StoredBatch> batches_;
  std::map<std::int64_t, Producer> producers_;
};

}  // namespace frazil::kafka::broker
