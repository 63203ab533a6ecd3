// SPDX-License-Identifier: Apache-2.0
// Reads the ranges that a cut adds, and makes their chunks: all of a step's records are read,
// decoded and encoded once, so that counts, sizes and bounds are exact.
#pragma once

#include <map>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "ledger/ledger.h"
#include "table/chunk_builder.h"
#include "table/object_cache.h"
#include "table/record_source.h"

namespace frazil::table {

struct StepRange {
  ChunkRange range;
  LeaderEpoch epoch{-1};
};

// Threads: one Index at a time.
class StepIndexer {
 public:
  struct Context {
    RecordSource& source;
    ThreadPool& pool;
    ObjectCache& cache;
    std::size_t chunk_bytes = 0;
  };

  // `builder` must outlive the indexer.
  StepIndexer(std::string topic, const ChunkBuilder& builder, const Context& context)
      : topic_(std::move(topic)), builder_(builder), context_(context) {}

  // The chunks of all ranges, ascending by partition and offset; their bytes are in the cache.
  // Ranges without records give none. What was made before an error is kept, and a later Index that
  // covers the same offsets goes on from there.
  // Errors: the first one that any range met.
  Result<std::vector<ledger::ChunkRow>> Index(const Uuid& topic_id,
                                              const std::vector<StepRange>& ranges,
                                              Deadline deadline, const std::stop_token& stop);

  // Forgets what was kept: its ranges have been recorded.
  void Forget();

 private:
  // A partition's chunks that are made and not yet recorded, without a gap from `start` to `end`.
  struct Progress {
    Offset start;
    Offset end;
    std::vector<ledger::ChunkRow> chunks;
  };
  using ProgressKey = std::pair<Generation, PartitionId>;

  Status IndexRange(const Uuid& topic_id, const StepRange& step, Deadline deadline,
                    const std::stop_token& stop);
  Progress ProgressOf(const ChunkRange& range);
  void Keep(const ChunkRange& range, const BuiltChunk* chunk);

  const std::string topic_;
  const ChunkBuilder& builder_;
  const Context context_;
  Mutex mutex_;
  std::map<ProgressKey, Progress> progress_ FRAZIL_GUARDED_BY(mutex_);
};

}  // namespace frazil::table
