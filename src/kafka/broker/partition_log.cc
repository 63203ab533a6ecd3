// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>
#include <variant>

#include "base/check.h"
#include "kafka/broker/partition_log_internal.h"
#include "kafka/wire/crc32c.h"

namespace frazil::kafka::broker {
namespace {

using wire::ProtocolError;
using wire::RecordBatch;

// Of a batch's header (kafka/wire/record_batch.h).
constexpr std::size_t kLeaderEpochAt = 12;
constexpr std::size_t kChecksumAt = 17;
constexpr std::size_t kAttributesAt = 21;
constexpr std::size_t kMaxTimestampAt = 35;
constexpr std::int16_t kLogAppendTimeBit = 0x08;

// As many as a producer may have on their way.
constexpr std::size_t kRememberedBatches = 5;
// Beyond it the producer that has been silent longest is forgotten.
constexpr std::size_t kMostProducers = 1000;
// A batch of 1 MiB may be much larger uncompressed.
constexpr std::size_t kMostUncompressedBytes = std::size_t{64} << 20;

constexpr std::int32_t kLargestSequence = std::numeric_limits<std::int32_t>::max();

// Sequences run from 0 to 2^31 - 1 and begin again.
std::int32_t AdvanceSequence(std::int32_t sequence, std::int32_t by) {
  if (sequence > kLargestSequence - by) return by - (kLargestSequence - sequence) - 1;
  return sequence + by;
}

Refusal Refuse(ProtocolError code, std::string message) { return {code, std::move(message)}; }

std::optional<Refusal> CheckHeader(const RecordBatch& batch) {
  if (batch.is_control()) {
    return Refuse(ProtocolError::kInvalidRecord, "Producers may not write control batches.");
  }
  if (batch.is_transactional()) {
    return Refuse(ProtocolError::kInvalidRequest,
                  "The embedded broker has no transactions; use Apache Kafka for them.");
  }
  if (batch.is_log_append_time()) {
    return Refuse(ProtocolError::kInvalidRecord,
                  "A producer's batch may not be stamped with the broker's time.");
  }
  if (batch.record_count < 1 || batch.last_offset_delta != batch.record_count - 1) {
    return Refuse(ProtocolError::kInvalidRecord,
                  "The offsets of a produced batch must count from 0 without holes.");
  }
  const bool idempotent = batch.producer_id >= 0;
  if (idempotent && (batch.producer_epoch < 0 || batch.base_sequence < 0)) {
    return Refuse(ProtocolError::kInvalidRecord,
                  "A batch with a producer id needs an epoch and a sequence number.");
  }
  return std::nullopt;
}

std::optional<Refusal> CheckRecords(const RecordBatch& batch) {
  const wire::RecordBatchLimits limits{.max_uncompressed_bytes = kMostUncompressedBytes};
  if (const Status checksum = wire::VerifyChecksum(batch); !checksum.ok()) {
    return Refuse(ProtocolError::kCorruptMessage, checksum.error().message());
  }
  RecordBlock records;
  const Status read = wire::AppendRecords(batch, limits, 0, 0, records);
  if (read.ok()) return std::nullopt;
  if (read.error().code() == ErrorCode::kUnsupported) {
    return Refuse(ProtocolError::kUnsupportedCompressionType, read.error().message());
  }
  if (read.error().code() == ErrorCode::kResourceExhausted) {
    return Refuse(ProtocolError::kMessageTooLarge, read.error().message());
  }
  return Refuse(ProtocolError::kInvalidRecord, read.error().message());
}

}  // namespace

std::variant<CheckedBatch, Refusal> CheckBatch(ByteView records, std::int32_t max_message_bytes) {
  if (records.size() > static_cast<std::size_t>(max_message_bytes)) {
    return Refuse(ProtocolError::kMessageTooLarge,
                  "The batch is larger than max.message.bytes of its topic: " +
                      std::to_string(records.size()) + ".");
  }
  ByteView rest = records;
  const auto taken = wire::TakeRecordBatch(rest, {});
  if (!taken.ok()) {
    const bool old = taken.error().code() == ErrorCode::kUnsupported;
    return Refuse(
        old ? ProtocolError::kUnsupportedForMessageFormat : ProtocolError::kCorruptMessage,
        taken.error().message());
  }
  if (!taken->has_value() || !rest.empty()) {
    return Refuse(ProtocolError::kInvalidRecord,
                  "A partition of a Produce request must hold exactly one whole record batch.");
  }
  const RecordBatch& batch = **taken;
  if (auto refusal = CheckHeader(batch); refusal.has_value()) return *std::move(refusal);
  if (auto refusal = CheckRecords(batch); refusal.has_value()) return *std::move(refusal);
  return CheckedBatch{.bytes = Bytes(records.begin(), records.end()),
                      .record_count = batch.record_count,
                      .max_timestamp = batch.max_timestamp,
                      .producer_id = batch.producer_id,
                      .producer_epoch = batch.producer_epoch,
                      .base_sequence = batch.base_sequence};
}

std::optional<std::variant<Appended, Refusal>> PartitionLog::CheckSequence(
    const CheckedBatch& batch) const {
  const auto found = producers_.find(batch.producer_id);
  // As in Apache Kafka any sequence number begins what is not known (yet, or any more).
  if (found == producers_.end()) return std::nullopt;
  const Producer& producer = found->second;
  if (batch.producer_epoch < producer.epoch) {
    return Refuse(ProtocolError::kInvalidProducerEpoch,
                  "A producer with a newer epoch has the same producer id.");
  }
  if (batch.producer_epoch > producer.epoch) {
    if (batch.base_sequence == 0) return std::nullopt;
    return Refuse(ProtocolError::kOutOfOrderSequenceNumber,
                  "A new epoch of a producer begins with sequence number 0, not with " +
                      std::to_string(batch.base_sequence) + ".");
  }
  const std::int32_t last = AdvanceSequence(batch.base_sequence, batch.record_count - 1);
  for (const SentBatch& sent : producer.sent) {
    if (sent.first_sequence == batch.base_sequence && sent.last_sequence == last) {
      return sent.appended;
    }
  }
  const std::int32_t expected = AdvanceSequence(producer.sent.back().last_sequence, 1);
  if (batch.base_sequence == expected) return std::nullopt;
  return Refuse(ProtocolError::kOutOfOrderSequenceNumber,
                "The next sequence number of this producer is " + std::to_string(expected) +
                    ", not " + std::to_string(batch.base_sequence) + ".");
}

void PartitionLog::Remember(const CheckedBatch& batch, const Appended& appended,
                            std::uint64_t append_number) {
  if (producers_.size() >= kMostProducers && !producers_.contains(batch.producer_id)) {
    producers_.erase(std::ranges::min_element(
        producers_, {}, [](const auto& entry) { return entry.second.last_append; }));
  }
  Producer& producer = producers_[batch.producer_id];
  if (producer.epoch != batch.producer_epoch) producer.sent.clear();
  producer.epoch = batch.producer_epoch;
  producer.last_append = append_number;
  producer.sent.push_back({batch.base_sequence,
                           AdvanceSequence(batch.base_sequence, batch.record_count - 1), appended});
  if (producer.sent.size() > kRememberedBatches) producer.sent.pop_front();
}

std::variant<Appended, Refusal> PartitionLog::Append(CheckedBatch batch,
                                                     const TopicSettings& settings, UnixMillis now,
                                                     std::uint64_t append_number) {
  const bool idempotent = batch.producer_id >= 0;
  if (idempotent) {
    if (auto answer = CheckSequence(batch); answer.has_value()) return *std::move(answer);
  }
  Appended appended{.base_offset = end_};
  std::uint8_t* const header = batch.bytes.data();
  // Neither offset nor epoch is covered by the checksum.
  StoreBigEndian(end_, header);
  StoreBigEndian(kLeaderEpoch, header + kLeaderEpochAt);
  if (settings.log_append_time) {
    const auto attributes = LoadBigEndian<std::int16_t>(header + kAttributesAt);
    StoreBigEndian(static_cast<std::int16_t>(attributes | kLogAppendTimeBit),
                   header + kAttributesAt);
    StoreBigEndian(now.value(), header + kMaxTimestampAt);
    StoreBigEndian(wire::Crc32c(ByteView(batch.bytes).subspan(kAttributesAt)),
                   header + kChecksumAt);
    batch.max_timestamp = appended.log_append_time = now.value();
  }
  if (idempotent) Remember(batch, appended, append_number);
  const std::int64_t next = end_ + batch.record_count;
  bytes_ += batch.bytes.size();
  batches_.push_back({std::make_shared<const Bytes>(std::move(batch.bytes)), end_, next - 1,
                      batch.max_timestamp, append_number});
  end_ = next;
  return appended;
}

std::vector<std::shared_ptr<const Bytes>> PartitionLog::Read(std::int64_t offset,
                                                             std::size_t max_bytes,
                                                             bool at_least_one) const {
  std::vector<std::shared_ptr<const Bytes>> found;
  auto batch = std::ranges::lower_bound(batches_, offset, {}, &StoredBatch::last_offset);
  for (; batch != batches_.end(); ++batch) {
    const std::size_t size = batch->bytes->size();
    const bool needed = at_least_one && found.empty();
    if (size > max_bytes && !needed) break;
    found.push_back(batch->bytes);
    max_bytes -= std::min(size, max_bytes);
  }
  return found;
}

namespace {

// The first record of the batch, from `start` on, that has `timestamp` or a later one.
TimedOffset FindInBatch(const StoredBatch& stored, std::int64_t start, std::int64_t timestamp) {
  ByteView rest = *stored.bytes;
  const auto batch = wire::TakeRecordBatch(rest, {});
  FRAZIL_CHECK(batch.ok() && batch->has_value());
  RecordBlock records;
  const Status read = wire::AppendRecords(**batch, {}, std::max(start, stored.base_offset),
                                          stored.last_offset + 1, records);
  FRAZIL_CHECK(read.ok());
  for (const RecordView& record : records.records) {
    if (record.timestamp >= timestamp) return {record.timestamp, record.offset};
  }
  return {};
}

}  // namespace

TimedOffset PartitionLog::FindTime(std::int64_t timestamp) const {
  for (const StoredBatch& batch : batches_) {
    if (batch.max_timestamp < timestamp) continue;
    const TimedOffset found = FindInBatch(batch, start_, timestamp);
    if (found.offset >= 0) return found;
  }
  return {};
}

TimedOffset PartitionLog::FindLargestTime() const {
  if (batches_.empty()) return {};
  const auto largest = std::ranges::max_element(batches_, {}, &StoredBatch::max_timestamp);
  return FindInBatch(*largest, start_, largest->max_timestamp);
}

void PartitionLog::PopOldest() {
  bytes_ -= batches_.front().bytes->size();
  batches_.pop_front();
}

void PartitionLog::RaiseStart(std::int64_t offset) {
  FRAZIL_CHECK(offset <= end_);
  start_ = std::max(start_, offset);
  while (!batches_.empty() && batches_.front().last_offset < start_) PopOldest();
}

void PartitionLog::DropOldest() {
  FRAZIL_CHECK(!batches_.empty());
  RaiseStart(batches_.front().last_offset + 1);
}

void PartitionLog::Expire(const TopicSettings& settings, UnixMillis now) {
  const auto expired = [&] {
    if (batches_.empty()) return false;
    const std::int64_t age = now.value() - batches_.front().max_timestamp;
    if (settings.retention_ms >= 0 && age > settings.retention_ms) return true;
    return settings.retention_bytes >= 0 &&
           bytes_ > static_cast<std::size_t>(settings.retention_bytes);
  };
  while (expired()) DropOldest();
}

}  // namespace frazil::kafka::broker
