// SPDX-License-Identifier: Apache-2.0
// Reads the ranges that a cut adds or lists anew, and makes their chunks: all records are read
// and decoded once and encoded, or the file that they make is counted: counts, sizes and bounds are
// exact. Work goes on when the load that wanted it runs out of patience, and is there for the next
// one.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "base/memory_budget.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "table/chunk_builder.h"
#include "table/cut_vector.h"
#include "table/object_cache.h"
#include "table/record_source.h"

namespace frazil::table {

// What making chunks needs. Everything must outlive its users.
struct IndexContext {
  RecordSource& source;
  ThreadPool& pool;
  ObjectCache& cache;
  MemoryBudget& memory;
  ChunkBuilder::Context builder;
  std::size_t full_bytes = 0;
  // Of new chunks.
  int encoder_version = parquet::kEncoderVersion;
};

// A range to make chunks of.
struct IndexRange {
  ChunkRange range;
  LeaderEpoch epoch{-1};
  bool named_by_content = false;
  // Absent: R5 decides.
  std::optional<SchemaVersion> schema_version = std::nullopt;
  parquet::EncoderOutput output = parquet::EncoderOutput::kFile;
};

// Reads one range and hands its chunks over, in order. The range is read again from where the sink
// said stop, so a sink may end the reading by an error. What turns out to need more memory than it
// leased, when there is no more, gives its lease back and goes on from its last chunk with a larger
// one.
Status BuildRange(const IndexContext& context, const Uuid& topic_id, const IndexRange& range,
                  const ChunkBuilder::Sink& sink, Deadline deadline, const std::stop_token& stop);

// Puts the chunk's bytes, if there are any, into the cache: a client is about to ask for them. They
// are taken.
void KeepFile(const IndexContext& context, BuiltChunk& chunk);

// The bytes of one chunk, made again. Errors: records_gone when they are other ones.
Result<SharedBytes> BuildAgain(const IndexContext& context, const Uuid& topic_id,
                               const ledger::ChunkRow& chunk, Deadline deadline,
                               const std::stop_token& stop);

// Threads: one Index at a time; every other member from any thread.
class StepIndexer {
 public:
  explicit StepIndexer(const IndexContext& context) : context_(context) {}
  // Stops what is running, and waits for it.
  ~StepIndexer();
  StepIndexer(const StepIndexer&) = delete;
  StepIndexer& operator=(const StepIndexer&) = delete;

  // The chunks of each range, ascending. Of a step that is smaller than half the cache their bytes
  // are in it; of a larger one those that come first, and later ones are counted, not written.
  // Ranges without records give none. What was made before an error is kept, and a later Index that
  // covers the same offsets goes on from there. Errors: table_indexing, saying how far the work is,
  // when `patience` passes first: the work then goes on; cancelled, with the work stopped, when a
  // stop is asked for; else the first error that any range met.
  Result<std::vector<std::vector<ledger::ChunkRow>>> Index(const Uuid& topic_id,
                                                           const std::vector<IndexRange>& ranges,
                                                           Deadline patience,
                                                           const std::stop_token& stop);

  // Forgets everything that was kept, and stops what is running: it has been recorded, or is of no
  // use any more.
  void Forget();

 private:
  struct Work;
  using WorkKey = std::tuple<Generation, PartitionId, Offset>;
  using Works = std::vector<std::shared_ptr<Work>>;

  // The works of the ranges, with their targets; those that have to be started in `start`.
  Works Enlist(const Uuid& topic_id, const std::vector<IndexRange>& ranges, Works& start);
  void Start(const std::shared_ptr<Work>& work);
  // Works on the range until it is done; `slice`: or until a chunk is made. Without `slice` it goes
  // on in the pool once enough is kept.
  void Run(const std::shared_ptr<Work>& work, bool slice, Deadline deadline,
           const std::stop_token& stop);
  bool HasKeptEnough() const;
  Status Await(const Works& works, const std::vector<IndexRange>& ranges, Deadline patience,
               const std::stop_token& stop);
  Error StillIndexing(const Works& works, const std::vector<IndexRange>& ranges)
      FRAZIL_REQUIRES(mutex_);

  const IndexContext context_;
  // Of the chunks that were made since the last Forget.
  std::atomic<std::size_t> kept_bytes_ = 0;
  Mutex mutex_;
  ConditionVariable changed_;
  std::map<WorkKey, std::shared_ptr<Work>> works_ FRAZIL_GUARDED_BY(mutex_);
  int running_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

}  // namespace frazil::table
