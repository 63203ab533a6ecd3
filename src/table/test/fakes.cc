// SPDX-License-Identifier: Apache-2.0
#include "table/test/fakes.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "base/sha256.h"

namespace frazil::table {
namespace {

decode::NullableView ViewOf(const std::optional<Bytes>& bytes) {
  if (!bytes) return {};
  return {.data = bytes->data(), .size = static_cast<std::int32_t>(bytes->size())};
}

// Every record is a batch of its own.
BatchMark BatchOf(const FakeRecord& record) {
  Bytes content = record.key.value_or(Bytes());
  content.push_back(record.key ? 1 : 0);
  if (record.value) content.insert(content.end(), record.value->begin(), record.value->end());
  content.push_back(record.value ? 1 : 0);
  content.push_back(static_cast<std::uint8_t>(record.timestamp));
  return {.base_offset = record.offset,
          .last_offset = record.offset,
          .record_count = 1,
          .checksum = LoadBigEndian<std::uint32_t>(Sha256(content).data())};
}

}  // namespace

FakeKafka::FakeKafka(int partitions) : logs_(static_cast<std::size_t>(partitions)) {}

std::int64_t FakeKafka::Produce(int partition, std::optional<Bytes> value) {
  MutexLock lock(mutex_);
  Log& log = logs_[static_cast<std::size_t>(partition)];
  log.records.push_back({.offset = log.end, .key = std::nullopt, .value = std::move(value)});
  return log.end++;
}

void FakeKafka::Skip(int partition) {
  MutexLock lock(mutex_);
  ++logs_[static_cast<std::size_t>(partition)].end;
}

void FakeKafka::AddPartition() {
  MutexLock lock(mutex_);
  logs_.emplace_back();
}

void FakeKafka::DeleteBefore(int partition, std::int64_t start) {
  MutexLock lock(mutex_);
  Log& log = logs_[static_cast<std::size_t>(partition)];
  log.start = start;
  std::erase_if(log.records, [start](const FakeRecord& record) { return record.offset < start; });
}

void FakeKafka::Compact(int partition, std::int64_t offset) {
  MutexLock lock(mutex_);
  std::erase_if(logs_[static_cast<std::size_t>(partition)].records,
                [offset](const FakeRecord& record) { return record.offset == offset; });
}

void FakeKafka::Lag(int partition, std::int64_t end) {
  MutexLock lock(mutex_);
  logs_[static_cast<std::size_t>(partition)].lagging_end = end;
}

void FakeKafka::LeadWith(int partition, std::int32_t epoch) {
  MutexLock lock(mutex_);
  logs_[static_cast<std::size_t>(partition)].told_epoch = epoch;
}

void FakeKafka::Truncate(int partition, std::int64_t end) {
  MutexLock lock(mutex_);
  Log& log = logs_[static_cast<std::size_t>(partition)];
  log.end = end;
  std::erase_if(log.records, [end](const FakeRecord& record) { return record.offset >= end; });
  std::erase_if(log.epochs, [end](const auto& epoch) { return epoch.second > end; });
  log.epochs[log.epochs.empty() ? 1 : log.epochs.rbegin()->first + 1] = end;
}

void FakeKafka::HoldBack(int partition, std::optional<std::int64_t> end) {
  MutexLock lock(mutex_);
  logs_[static_cast<std::size_t>(partition)].stable_end = end;
}

void FakeKafka::KnowEpochs(bool knows) {
  MutexLock lock(mutex_);
  knows_epochs_ = knows;
}

void FakeKafka::KnowIds(bool knows) {
  MutexLock lock(mutex_);
  knows_ids_ = knows;
}

void FakeKafka::SetCompacted(std::optional<bool> compacted) {
  MutexLock lock(mutex_);
  compacted_ = compacted;
}

void FakeKafka::Recreate() {
  MutexLock lock(mutex_);
  topic_id_ = Uuid::Random();
  for (Log& log : logs_) log = Log();
}

void FakeKafka::FailWith(std::optional<Error> error) {
  MutexLock lock(mutex_);
  error_ = std::move(error);
}

void FakeKafka::FailReads(int partition, std::optional<Error> error) {
  MutexLock lock(mutex_);
  logs_[static_cast<std::size_t>(partition)].read_error = std::move(error);
}

int FakeKafka::reads() const {
  MutexLock lock(mutex_);
  return reads_;
}

void FakeKafka::StallReads(bool stall) {
  MutexLock lock(mutex_);
  stall_ = stall;
}

int FakeKafka::running_reads() const {
  MutexLock lock(mutex_);
  return running_;
}

Status FakeKafka::Stall(Deadline deadline, const std::stop_token& stop) {
  {
    MutexLock lock(mutex_);
    ++running_;
  }
  bool stalled = true;
  while (stalled && !stop.stop_requested() && !deadline.Expired()) {
    PauseUntil(Deadline::After(std::chrono::milliseconds(1)), stop);
    MutexLock lock(mutex_);
    stalled = stall_;
  }
  MutexLock lock(mutex_);
  --running_;
  if (stop.stop_requested()) return Error(ErrorCode::kCancelled, "stopped");
  if (stalled) return Error(ErrorCode::kDeadlineExceeded, "stalled");
  return {};
}

Result<std::vector<TopicName>> FakeKafka::ListTopics(Deadline /*deadline*/,
                                                     const std::stop_token& /*stop*/) {
  MutexLock lock(mutex_);
  if (error_) return *error_;
  return std::vector<TopicName>{{.name = "orders",
                                 .topic_id = topic_id_,
                                 .internal = false,
                                 .partitions = static_cast<int>(logs_.size())}};
}

Result<TopicState> FakeKafka::Describe(const std::string& topic, Deadline /*deadline*/,
                                       const std::stop_token& /*stop*/) {
  MutexLock lock(mutex_);
  if (error_) return *error_;
  if (topic != "orders") return Error(ErrorCode::kTableNotFound, "no such topic: " + topic);
  TopicState state{.topic_id = knows_ids_ ? topic_id_ : Uuid(), .partitions = {}};
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    const Log& log = logs_[i];
    const std::int64_t high = log.lagging_end.value_or(log.end);
    state.partitions.push_back(
        {.partition = PartitionId(static_cast<std::int32_t>(i)),
         .epoch = LeaderEpoch(log.told_epoch.value_or(log.epochs.rbegin()->first)),
         .start = Offset(log.start),
         .end = Offset(std::min(high, log.stable_end.value_or(high))),
         .high_watermark = Offset(high)});
  }
  return state;
}

Result<std::optional<EpochEnd>> FakeKafka::EndOfEpoch(const std::string& /*topic*/,
                                                      const Uuid& /*topic_id*/,
                                                      PartitionId partition, LeaderEpoch wanted,
                                                      Deadline /*deadline*/,
                                                      const std::stop_token& /*stop*/) {
  MutexLock lock(mutex_);
  if (error_) return *error_;
  if (!knows_epochs_) return std::optional<EpochEnd>();
  const Log& log = logs_[static_cast<std::size_t>(partition.value())];
  const auto next = log.epochs.upper_bound(wanted.value());
  if (next == log.epochs.begin()) return std::optional<EpochEnd>();
  return std::optional<EpochEnd>({.epoch = LeaderEpoch(std::prev(next)->first),
                                  .end = Offset(next == log.epochs.end() ? log.end : next->second),
                                  .leader_epoch = LeaderEpoch(log.epochs.rbegin()->first)});
}

Result<std::optional<bool>> FakeKafka::IsCompacted(const std::string& /*topic*/,
                                                   Deadline /*deadline*/,
                                                   const std::stop_token& /*stop*/) {
  MutexLock lock(mutex_);
  if (error_) return *error_;
  return compacted_;
}

Result<std::optional<OpenTransaction>> FakeKafka::OldestOpenTransaction(
    const std::string& /*topic*/, PartitionId partition, Deadline /*deadline*/,
    const std::stop_token& /*stop*/) {
  MutexLock lock(mutex_);
  if (error_) return *error_;
  const Log& log = logs_[static_cast<std::size_t>(partition.value())];
  if (!log.stable_end) return std::optional<OpenTransaction>();
  return std::optional<OpenTransaction>(
      {.producer_id = 7, .first_offset = Offset(*log.stable_end)});
}

void FakeKafka::HoldInReads(std::size_t bytes) {
  MutexLock lock(mutex_);
  held_in_reads_ = bytes;
}

Status FakeKafka::ReadRange(const RangeRequest& range, const BlockSink& sink, Deadline deadline,
                            const std::stop_token& stop) {
  FRAZIL_RETURN_IF_ERROR(Stall(deadline, stop));
  std::vector<FakeRecord> records;
  std::size_t held = 0;
  {
    MutexLock lock(mutex_);
    ++reads_;
    held = held_in_reads_;
    if (error_) return *error_;
    const Log& log = logs_[static_cast<std::size_t>(range.partition.value())];
    if (log.read_error) return *log.read_error;
    if (range.topic_id != Uuid() && range.topic_id != topic_id_)
      return Error(ErrorCode::kTopicRecreated, "another topic");
    if (range.start.value() < log.start) return Error(ErrorCode::kRecordsGone, "expired");
    if (range.end.value() > log.end) return Error(ErrorCode::kLogTruncated, "truncated");
    const auto first = std::lower_bound(
        log.records.begin(), log.records.end(), range.start.value(),
        [](const FakeRecord& record, std::int64_t offset) { return record.offset < offset; });
    for (auto record = first; record != log.records.end(); ++record) {
      if (record->offset >= range.end.value()) break;
      records.push_back(*record);
    }
  }
  // Small blocks, so that ranges have several.
  constexpr std::size_t kBlock = 3;
  for (std::size_t first = 0; first < records.size(); first += kBlock) {
    const std::size_t last = std::min(first + kBlock, records.size());
    auto kept = std::make_shared<std::vector<FakeRecord>>(
        records.begin() + static_cast<std::ptrdiff_t>(first),
        records.begin() + static_cast<std::ptrdiff_t>(last));
    decode::RecordBlock block;
    for (const FakeRecord& record : *kept) {
      block.records.push_back({.offset = record.offset,
                               .timestamp = record.timestamp,
                               .key = ViewOf(record.key),
                               .value = ViewOf(record.value)});
      block.payload_bytes += record.value ? record.value->size() : 0;
      block.batches.push_back(BatchOf(record));
    }
    block.owners.push_back(std::move(kept));
    block.held_bytes = held;
    FRAZIL_RETURN_IF_ERROR(sink(std::move(block)));
  }
  return {};
}

WriterSchemaId FakeRegistry::RegisterElsewhere(const std::string& text) {
  MutexLock lock(mutex_);
  const WriterSchemaId id(static_cast<std::int32_t>(schemas_.size()) + 101);
  schemas_[id] = {.id = id, .format = "AVRO", .text = text, .references = {}};
  return id;
}

WriterSchemaId FakeRegistry::Register(const std::string& text) {
  const WriterSchemaId id = RegisterElsewhere(text);
  MutexLock lock(mutex_);
  versions_.push_back({.version = next_version_++, .schema = schemas_[id]});
  return id;
}

void FakeRegistry::DeleteNewestVersion() {
  MutexLock lock(mutex_);
  versions_.pop_back();
}

void FakeRegistry::FailWith(std::optional<Error> error) {
  MutexLock lock(mutex_);
  error_ = std::move(error);
}

int FakeRegistry::asked() const {
  MutexLock lock(mutex_);
  return asked_;
}

Result<std::vector<SubjectVersion>> FakeRegistry::Versions(const std::string& subject,
                                                           Deadline /*deadline*/,
                                                           const std::stop_token& /*stop*/) {
  MutexLock lock(mutex_);
  ++asked_;
  if (error_) return *error_;
  if (subject != "orders-value" || versions_.empty()) {
    return Error(ErrorCode::kSchemaNotFound, "no such subject: " + subject);
  }
  return versions_;
}

Result<RegisteredSchema> FakeRegistry::ById(WriterSchemaId id, Deadline /*deadline*/,
                                            const std::stop_token& /*stop*/) {
  MutexLock lock(mutex_);
  if (error_) return *error_;
  const auto found = schemas_.find(id);
  if (found == schemas_.end()) return Error(ErrorCode::kSchemaNotFound, "no such schema");
  return found->second;
}

ValueBuilder::ValueBuilder(WriterSchemaId id) {
  bytes_.push_back(0);
  AppendBigEndian(id.value(), bytes_);
}

ValueBuilder& ValueBuilder::Long(std::int64_t value) {
  std::uint64_t bits =
      (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  for (; bits >= 0x80; bits >>= 7) bytes_.push_back(static_cast<std::uint8_t>(bits | 0x80));
  bytes_.push_back(static_cast<std::uint8_t>(bits));
  return *this;
}

ValueBuilder& ValueBuilder::Text(std::string_view text) {
  Long(static_cast<std::int64_t>(text.size()));
  Append(AsBytes(text), bytes_);
  return *this;
}

std::string RecordSchema(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string text = R"({"type":"record","name":"Order","fields":[)";
  for (const auto& [name, type] : fields) {
    if (text.back() != '[') text += ',';
    text += R"({"name":")" + name + R"(","type":)" + type + "}";
  }
  return text + "]}";
}

}  // namespace frazil::table
