// SPDX-License-Identifier: Apache-2.0
// A Kafka and a registry in memory, for tests: they behave, they do not replay calls.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "table/record_source.h"
#include "table/schema_source.h"

namespace frazil::table {

struct FakeRecord {
  std::int64_t offset = 0;
  std::int64_t timestamp = 1000;
  std::optional<Bytes> key;
  std::optional<Bytes> value;
};

// One topic, "orders", with a log for each partition.
class FakeKafka final : public RecordSource {
 public:
  explicit FakeKafka(int partitions);

  // The next offset of the partition; the record is visible at once.
  std::int64_t Produce(int partition, std::optional<Bytes> value);
  // An offset without a record: a marker, or what compaction removed.
  void Skip(int partition);
  void AddPartition();
  // Keeps [start, ...) only.
  void DeleteBefore(int partition, std::int64_t start);
  // Drops the record but not its offset.
  void Compact(int partition, std::int64_t offset);
  // Tells this end for a while, as a replica does that lags.
  void Lag(int partition, std::int64_t end);
  // Tells this epoch of the leader, as one does that has not heard of its successor.
  void LeadWith(int partition, std::int32_t epoch);
  // Loses [end, ...), under a new leader.
  void Truncate(int partition, std::int64_t end);
  // Records from `end` on are behind an open transaction.
  void HoldBack(int partition, std::optional<std::int64_t> end);
  // Whether it tells where epochs end, and the topic's id.
  void KnowEpochs(bool knows);
  void KnowIds(bool knows);
  // "compact" in the cleanup policy; nullopt: may not be read.
  void SetCompacted(std::optional<bool> compacted);
  void Recreate();
  // Calls fail with this until it is set to nothing.
  void FailWith(std::optional<Error> error);
  // Reads of this partition fail with this.
  void FailReads(int partition, std::optional<Error> error);
  int reads() const;
  // Reads wait until they are stopped, or until this is taken back.
  void StallReads(bool stall);
  int running_reads() const;
  // Reads tell that they hold so much.
  void HoldInReads(std::size_t bytes);

  Result<std::vector<TopicName>> ListTopics(Deadline deadline,
                                            const std::stop_token& stop) override;
  Result<TopicState> Describe(const std::string& topic, Deadline deadline,
                              const std::stop_token& stop) override;
  Result<std::optional<EpochEnd>> EndOfEpoch(const std::string& topic, const Uuid& topic_id,
                                             PartitionId partition, LeaderEpoch wanted,
                                             Deadline deadline,
                                             const std::stop_token& stop) override;
  Result<std::optional<bool>> IsCompacted(const std::string& topic, Deadline deadline,
                                          const std::stop_token& stop) override;
  // Producer 7, wherever something lies behind an open transaction.
  Result<std::optional<OpenTransaction>> OldestOpenTransaction(
      const std::string& topic, PartitionId partition, Deadline deadline,
      const std::stop_token& stop) override;
  Status ReadRange(const RangeRequest& range, const BlockSink& sink, Deadline deadline,
                   const std::stop_token& stop) override;

 private:
  Status Stall(Deadline deadline, const std::stop_token& stop);

  struct Log {
    std::int64_t start = 0;
    std::int64_t end = 0;
    // Ascending by offset.
    std::deque<FakeRecord> records;
    std::optional<Error> read_error;
    std::optional<std::int64_t> lagging_end;
    std::optional<std::int64_t> stable_end;
    std::optional<std::int32_t> told_epoch;
    // Where each epoch starts; the last one is the leader's.
    std::map<std::int32_t, std::int64_t> epochs{{1, 0}};
  };

  mutable Mutex mutex_;
  std::vector<Log> logs_ FRAZIL_GUARDED_BY(mutex_);
  Uuid topic_id_ FRAZIL_GUARDED_BY(mutex_) = Uuid::Random();
  std::optional<Error> error_ FRAZIL_GUARDED_BY(mutex_);
  bool knows_epochs_ FRAZIL_GUARDED_BY(mutex_) = true;
  bool knows_ids_ FRAZIL_GUARDED_BY(mutex_) = true;
  std::optional<bool> compacted_ FRAZIL_GUARDED_BY(mutex_) = false;
  int reads_ FRAZIL_GUARDED_BY(mutex_) = 0;
  bool stall_ FRAZIL_GUARDED_BY(mutex_) = false;
  int running_ FRAZIL_GUARDED_BY(mutex_) = 0;
  std::size_t held_in_reads_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

class FakeRegistry final : public SchemaSource {
 public:
  // Registers under "orders-value" and returns the id.
  WriterSchemaId Register(const std::string& text);
  // Known by id only.
  WriterSchemaId RegisterElsewhere(const std::string& text);
  void DeleteNewestVersion();
  void FailWith(std::optional<Error> error);
  // How often the subject was asked for.
  int asked() const;

  Result<std::vector<SubjectVersion>> Versions(const std::string& subject, Deadline deadline,
                                               const std::stop_token& stop) override;
  Result<RegisteredSchema> ById(WriterSchemaId id, Deadline deadline,
                                const std::stop_token& stop) override;

 private:
  mutable Mutex mutex_;
  std::map<WriterSchemaId, RegisteredSchema> schemas_ FRAZIL_GUARDED_BY(mutex_);
  std::vector<SubjectVersion> versions_ FRAZIL_GUARDED_BY(mutex_);
  std::optional<Error> error_ FRAZIL_GUARDED_BY(mutex_);
  std::int32_t next_version_ FRAZIL_GUARDED_BY(mutex_) = 1;
  int asked_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

// Confluent framing and Avro's encoding, by hand: table knows no format.
class ValueBuilder {
 public:
  explicit ValueBuilder(WriterSchemaId id);
  ValueBuilder& Long(std::int64_t value);
  ValueBuilder& Text(std::string_view text);
  Bytes Build() const { return bytes_; }

 private:
  Bytes bytes_;
};

// {"type":"record","name":"Order","fields":[...]} of "name type" pairs.
std::string RecordSchema(const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace frazil::table
