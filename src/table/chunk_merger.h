// SPDX-License-Identifier: Apache-2.0
// Makes larger chunks of small ones, beside the loads. What is ready goes into the next state.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread_pool.h"
#include "table/current_table.h"
#include "table/step_indexer.h"

namespace frazil::table {

// Chunks that take the place of others, with the same records.
struct ChunkMerge {
  std::vector<ChunkId> removed;  // ascending
  std::vector<ledger::ChunkRow> chunks;
};

// Threads: every member may be called from several threads at once.
class ChunkMerger {
 public:
  // Merges run on `pool`.
  ChunkMerger(const IndexContext& context, ThreadPool& pool) : context_(context), pool_(pool) {}
  // Stops what is running, and waits for it.
  ~ChunkMerger();
  ChunkMerger(const ChunkMerger&) = delete;
  ChunkMerger& operator=(const ChunkMerger&) = delete;

  // Starts a merge wherever a tail is long and none is under way. `compacted`: records may leave
  // meanwhile (R8).
  void Consider(const Uuid& topic_id, const CurrentTable& table, bool compacted);

  // The merges that are ready and still fit the table. They stay until Forget is told of them.
  std::vector<ChunkMerge> Ready(const CurrentTable& table);
  void Forget(const std::vector<ChunkMerge>& merges);

  // Waits until no merge runs for a partition whose tail may not grow any more.
  void AwaitLongTails(const CurrentTable& table, Deadline deadline, const std::stop_token& stop);

  // Chunks whose records were found to be other ones than they say; each is told once.
  std::set<ChunkId> TakeSuspects();

 private:
  using Place = CurrentTable::Place;
  struct Slot {
    bool running = false;
    std::optional<ChunkMerge> ready;
    // The chunks of the last attempt, which failed: not tried again as they are.
    std::vector<ChunkId> failed;
  };
  struct Task {
    Place place;
    Uuid topic_id;
    std::vector<ledger::ChunkRow> chunks;
    bool compacted = false;
  };

  // The chunks to merge at one place; none: nothing to do.
  std::vector<ledger::ChunkRow> ToMerge(const std::vector<const ledger::ChunkRow*>& chunks,
                                        const std::vector<iceberg::Schema>& versions) const
      FRAZIL_REQUIRES(mutex_);
  std::vector<std::int64_t> SizesOf(const std::vector<const ledger::ChunkRow*>& chunks) const
      FRAZIL_REQUIRES(mutex_);
  void Run(const Task& task);
  void Finish(const Task& task, const Status& outcome, std::vector<ledger::ChunkRow> made);

  const IndexContext context_;
  ThreadPool& pool_;
  std::stop_source stop_;
  Mutex mutex_;
  ConditionVariable changed_;
  std::map<Place, Slot> slots_ FRAZIL_GUARDED_BY(mutex_);
  // Chunks that do not become fewer by merging: as good as full.
  std::set<ChunkId> sealed_ FRAZIL_GUARDED_BY(mutex_);
  std::set<ChunkId> suspects_ FRAZIL_GUARDED_BY(mutex_);
  int running_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

}  // namespace frazil::table
