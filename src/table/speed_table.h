// SPDX-License-Identifier: Apache-2.0
// speed.T: a Kafka topic as an Iceberg table. Takes cuts, records them, and makes the files that
// they list.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "ledger/ledger.h"
#include "table/chunk_builder.h"
#include "table/load_gate.h"
#include "table/object_cache.h"
#include "table/record_source.h"
#include "table/schema_source.h"
#include "table/step_indexer.h"
#include "table/table_catalog.h"
#include "table/table_history.h"
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
  std::size_t chunk_bytes = 32 << 20;
};

// What all tables of a process share. Everything must outlive the tables.
struct TableContext {
  RecordSource& records;
  SchemaSource& schemas;
  ledger::Ledger& ledger;
  ObjectCache& cache;
  ThreadPool& pool;
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

  const TableIdentity& identity() const { return identity_; }

  // TableCatalog's members, for this table.
  Result<LoadedTable> Load(SnapshotSelection selection, Deadline deadline,
                           const std::stop_token& stop);
  Result<ObjectInfo> Stat(std::string_view key);
  Result<Object> Read(std::string_view key, Deadline deadline, const std::stop_token& stop);
  Result<ObjectListing> List(std::string_view prefix, std::string_view start_after,
                             std::size_t limit);

 private:
  SpeedTable(const ledger::TopicRow& topic, const ledger::TableRow& table,
             const TableContext& context, std::unique_ptr<TopicSchemas> schemas,
             ledger::TableHistory recorded);

  Result<LoadOutcome> TakeCut(Deadline deadline, const std::stop_token& stop);
  // The topic's state now, proven not to lie behind the last cut (R1, R10).
  Result<TopicState> DescribeAfter(const std::vector<ledger::CutPartition>& last, Deadline deadline,
                                   const std::stop_token& stop);
  Result<LoadOutcome> RecordCut(const TopicState& topic,
                                const std::vector<ledger::CutPartition>& last, Deadline deadline,
                                const std::stop_token& stop);
  Result<LoadOutcome> RecordState(const ledger::NewState& state);
  Result<SharedBytes> MakeChunk(const ledger::ChunkRow& chunk, Deadline deadline,
                                const std::stop_token& stop);
  // What a key stands for, without its bytes; the size is known for chunks only.
  struct Found {
    ObjectInfo info;
    std::optional<ledger::ChunkRow> chunk;
  };
  Result<Found> Find(std::string_view key) const;
  // A metadata file, manifest list or manifest.
  Result<SharedBytes> RenderedFile(std::string_view key);
  std::vector<ledger::CutPartition> LastPartitions() const;
  static std::string EtagOf(std::string_view key);

  const TableContext context_;
  const std::int64_t table_key_;
  const Uuid topic_id_;
  const Generation generation_;
  const TableIdentity identity_;
  const std::unique_ptr<TopicSchemas> schemas_;
  const ChunkBuilder builder_;
  StepIndexer indexer_;
  LoadGate gate_;
  mutable Mutex mutex_;
  TableHistory history_ FRAZIL_GUARDED_BY(mutex_);
  // The last state's answer, by selection.
  struct Rendered {
    std::int64_t state = 0;
    std::shared_ptr<const std::string> all;
    std::shared_ptr<const std::string> referenced;
  };
  Rendered rendered_ FRAZIL_GUARDED_BY(mutex_);
};

}  // namespace frazil::table
