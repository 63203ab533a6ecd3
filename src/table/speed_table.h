// SPDX-License-Identifier: Apache-2.0
// speed.T: a Kafka topic as an Iceberg table. Takes cuts, records them, and makes the files that
// they list.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/memory_budget.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "base/uuid.h"
#include "ledger/ledger.h"
#include "table/chunk_builder.h"
#include "table/chunk_merger.h"
#include "table/current_table.h"
#include "table/load_gate.h"
#include "table/object_cache.h"
#include "table/object_names.h"
#include "table/record_source.h"
#include "table/schema_source.h"
#include "table/step_indexer.h"
#include "table/table_catalog.h"
#include "table/table_files.h"
#include "table/topic_observer.h"
#include "table/topic_schemas.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace frazil::table {

inline constexpr std::string_view kSpeedNamespace = "speed";

struct TableOptions {
  std::chrono::milliseconds snapshot_backdate{2000};
  std::chrono::milliseconds cut_interval{25};
  std::chrono::milliseconds kafka_timeout{10000};
  std::chrono::milliseconds registry_timeout{5000};
  std::chrono::milliseconds schema_cache{1000};
  // Loads whose unseen records need longer end with table_indexing.
  std::chrono::milliseconds load_wait{20000};
  // Snapshots that a metadata file lists at most; at least 3.
  std::size_t history_snapshots = 500;
  // How long what left the list still resolves (R12).
  std::chrono::milliseconds history_retention{std::chrono::hours(24)};
  // Files are closed at this size.
  std::size_t chunk_bytes = 84'000'000;
  // Of new chunks; older ones keep theirs.
  int encoder_version = parquet::kEncoderVersion;
  // How long the topic's cleanup policy is believed.
  std::chrono::milliseconds policy_cache{60000};
  // Between two looks at a high watermark that fell (R1).
  std::chrono::milliseconds divergence_second_look{5000};
};

// What all tables of a process share. Everything must outlive the tables.
struct TableContext {
  RecordSource& records;
  SchemaSource& schemas;
  ledger::Ledger& ledger;
  ObjectCache& cache;
  MemoryBudget& memory;
  // Reads of loads, and work that no client waits for.
  ThreadPool& pool;
  ThreadPool& background;
  const Clock& clock;
  telemetry::Logger& logger;
  telemetry::Metrics& metrics;
  TableOptions options;
};

// Threads: every member may be called from several threads at once.
class SpeedTable {
 public:
  // The table as the ledger knows it; null when it was never loaded. Asks nobody else.
  static Result<std::unique_ptr<SpeedTable>> Open(const std::string& topic,
                                                  const TableContext& context);
  // Enters a table that the ledger does not know. Errors: those of asking Kafka and the registry:
  // nothing is entered for a topic that cannot be shown.
  static Result<std::unique_ptr<SpeedTable>> Create(const std::string& topic,
                                                    const TableContext& context, Deadline deadline,
                                                    const std::stop_token& stop);
  ~SpeedTable();
  SpeedTable(const SpeedTable&) = delete;
  SpeedTable& operator=(const SpeedTable&) = delete;

  const TableIdentity& identity() const { return identity_; }
  const TopicSchemas& schemas() const { return *schemas_; }

  // TableCatalog's members, for this table.
  Result<LoadedTable> Load(SnapshotSelection selection, Deadline deadline,
                           const std::stop_token& stop);
  Result<ObjectInfo> Stat(std::string_view key);
  Result<Object> Read(std::string_view key, Deadline deadline, const std::stop_token& stop);
  Result<ObjectListing> List(std::string_view prefix, std::string_view start_after,
                             std::size_t limit);

  // The record that the error of a load is about; absent where it is about none.
  std::optional<decode::RecordPlace> RefusedRecordOf(const Error& error) const {
    return refused_record_.Of(error);
  }
  // The most records of a partition that lay behind an open transaction when the last load that
  // reached the topic looked: high watermark minus last stable offset (R7). Asks nobody.
  std::int64_t OpenTransactionRecords() const;
  // What the last state lists; absent before the first. Asks nobody.
  std::optional<ledger::StateView> LastState() const;
  // Records that were lost before they were moved. Errors: ledger.
  Result<std::vector<ledger::LostRange>> LostRanges() const;

 private:
  SpeedTable(const ledger::TopicRow& topic, const ledger::TableRow& table,
             const TableContext& context, std::unique_ptr<TopicSchemas> schemas,
             std::vector<ledger::GenerationRow> generations, ledger::CurrentView view);

  Result<LoadOutcome> TakeCut(Deadline deadline, const std::stop_token& stop);
  Result<LoadOutcome> TryCut(Deadline deadline, const std::stop_token& stop);
  Result<LoadOutcome> RecordStep(const ObservedTopic& topic, const CutStep& step, Deadline deadline,
                                 const std::stop_token& stop);
  Result<LoadOutcome> RecordSchemaOnly(SchemaVersion schema_version);
  Result<LoadOutcome> RecordPlan(StatePlan& plan, std::optional<ledger::GenerationRow> generation);
  // The table after a state that may or may not have been recorded.
  Status ReadAgain();
  Status PinFormat(const std::vector<ledger::ChunkRow>& chunks);
  // Whether records may leave the topic by compaction (R8).
  Result<bool> MayBeCompacted(Deadline deadline, const std::stop_token& stop);
  void FollowUp(const ObservedTopic& topic, bool compacted);
  void PurgeNow();
  // Has the registry asked in the background, if it is time to.
  void AskAhead();

  // What a key stands for, without its bytes.
  struct Found {
    ObjectInfo info;
    // The size is known.
    bool sized = false;
    std::optional<ledger::ChunkRow> chunk;
    std::optional<ledger::StateView> state;
    std::optional<ledger::CutView> cut;
    std::optional<ledger::ManifestView> manifest;
  };
  Result<Found> Find(std::string_view key) const;
  Result<Found> FindMetadata(std::string_view key) const;
  Result<Found> FindData(std::string_view key) const;
  // A metadata file, manifest list or manifest. Errors: path_not_reproducible (R4), corrupt_data.
  Result<SharedBytes> Render(const Found& found) const;
  Result<SharedBytes> MakeChunk(const ledger::ChunkRow& chunk, Deadline deadline,
                                const std::stop_token& stop);

  IndexContext IndexContextOf();
  // How far in the past a state is stamped that is recorded now (R10).
  std::chrono::milliseconds Backdate() const;
  HistoryLimits Limits() const { return {.listed_snapshots = context_.options.history_snapshots}; }

  const TableContext context_;
  const std::int64_t topic_key_;
  const std::int64_t table_key_;
  const TableIdentity identity_;
  const std::unique_ptr<TopicSchemas> schemas_;
  LoadGate gate_;

  mutable Mutex mutex_;
  // Changed by the one load that the gate lets through.
  std::unique_ptr<CurrentTable> current_ FRAZIL_GUARDED_BY(mutex_);
  std::vector<ledger::GenerationRow> generations_ FRAZIL_GUARDED_BY(mutex_);
  std::vector<iceberg::Schema> versions_ FRAZIL_GUARDED_BY(mutex_);
  std::set<ChunkId> stale_ FRAZIL_GUARDED_BY(mutex_);
  // The topic as the last load that reached it saw it.
  std::optional<TopicState> seen_topic_ FRAZIL_GUARDED_BY(mutex_);
  // The last state's answer, by selection.
  struct Rendered {
    std::int64_t state = 0;
    std::shared_ptr<const std::string> all;
    std::shared_ptr<const std::string> referenced;
  };
  Rendered rendered_ FRAZIL_GUARDED_BY(mutex_);
  MetadataTexts texts_ FRAZIL_GUARDED_BY(mutex_);
  // The first of the calls that the load under way answers.
  LoadGate::TimePoint first_call_{};
  bool format_pinned_ = false;
  bool must_read_again_ = false;
  decode::ValueFormat indexed_format_;
  std::optional<bool> compacted_;
  Deadline compacted_until_{Deadline::TimePoint::min()};
  Deadline purge_again_{Deadline::TimePoint::min()};
  std::atomic<bool> purging_ = false;
  std::atomic<bool> asking_ahead_ = false;
  std::stop_source closing_;

  RefusedRecord refused_record_;
  TopicObserver observer_;
  // The last members: their work uses the others.
  StepIndexer indexer_;
  ChunkMerger merger_;
};

}  // namespace frazil::table
