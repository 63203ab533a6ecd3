// SPDX-License-Identifier: Apache-2.0
#include "table/chunk_merger.h"

#include <algorithm>
#include <span>

#include "table/chunk_ladder.h"
#include "table/guarded_call.h"

namespace frazil::table {
namespace {

constexpr std::chrono::hours kLongestMerge{1};

std::vector<ChunkId> IdsOf(const std::vector<ledger::ChunkRow>& chunks) {
  std::vector<ChunkId> ids;
  for (const ledger::ChunkRow& chunk : chunks) ids.push_back(chunk.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

// Runs of chunks that one schema version holds, from old to young: merging across their borders
// would drop the values of a field that was dropped, and a subject may go back to it.
std::vector<ChunkRun> RunsOfOneVersion(const std::vector<const ledger::ChunkRow*>& chunks,
                                       const std::vector<iceberg::Schema>& versions) {
  const auto schema = [&versions](SchemaVersion version) -> const iceberg::Schema& {
    return versions.at(static_cast<std::size_t>(version.value()));
  };
  std::vector<ChunkRun> runs;
  SchemaVersion highest;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const SchemaVersion version = chunks[i]->schema_version;
    const SchemaVersion both = std::max(highest, version);
    const bool joins = !runs.empty() && (version == highest ||
                                         (iceberg::HoldsAllFields(schema(both), schema(version)) &&
                                          iceberg::HoldsAllFields(schema(both), schema(highest))));
    if (!joins) runs.push_back({.first = i, .last = i});
    highest = joins ? both : version;
    runs.back().last = i + 1;
  }
  return runs;
}

std::int64_t RecordsOf(const std::vector<ledger::ChunkRow>& chunks) {
  std::int64_t records = 0;
  for (const ledger::ChunkRow& chunk : chunks) records += chunk.file.record_count;
  return records;
}

}  // namespace

ChunkMerger::~ChunkMerger() {
  stop_.request_stop();
  MutexLock lock(mutex_);
  while (running_ > 0) changed_.Wait(mutex_);
}

std::vector<std::int64_t> ChunkMerger::SizesOf(
    const std::vector<const ledger::ChunkRow*>& chunks) const {
  std::vector<std::int64_t> sizes;
  sizes.reserve(chunks.size());
  const auto full = static_cast<std::int64_t>(context_.full_bytes);
  for (const ledger::ChunkRow* chunk : chunks) {
    sizes.push_back(sealed_.contains(chunk->id) ? full : chunk->file.file_size);
  }
  return sizes;
}

std::vector<ledger::ChunkRow> ChunkMerger::ToMerge(
    const std::vector<const ledger::ChunkRow*>& chunks,
    const std::vector<iceberg::Schema>& versions) const {
  const std::vector<std::int64_t> all = SizesOf(chunks);
  const std::span<const std::int64_t> sizes = all;
  const auto full = static_cast<std::int64_t>(context_.full_bytes);
  std::optional<ChunkRun> found;
  const std::vector<ChunkRun> runs = RunsOfOneVersion(chunks, versions);
  for (const ChunkRun& run : runs) {
    const auto part = sizes.subspan(run.first, run.last - run.first);
    const std::size_t tail = TailLength(part, full);
    // Nothing joins an older run any more.
    if (run.last < chunks.size() && tail >= 2) {
      found = ChunkRun{.first = run.last - tail, .last = run.last};
      break;
    }
    if (run.last < chunks.size()) continue;
    found = ChunksToMerge(part, full);
    if (found) found = ChunkRun{.first = run.first + found->first, .last = run.last};
  }
  // A bounded list comes before the values of dropped fields.
  if (!found && TailLength(sizes, full) >= kMostTailChunks) found = ChunksToMerge(sizes, full);
  std::vector<ledger::ChunkRow> rows;
  for (std::size_t i = found ? found->first : 0; found && i < found->last; ++i) {
    rows.push_back(*chunks[i]);
  }
  return rows;
}

void ChunkMerger::Consider(const Uuid& topic_id, const CurrentTable& table, bool compacted) {
  std::vector<Task> tasks;
  const std::vector<iceberg::Schema> versions = context_.builder.schemas.Versions();
  {
    MutexLock lock(mutex_);
    for (const auto& [place, chunks] : table.ChunksByPartition()) {
      Slot& slot = slots_[place];
      if (slot.running || slot.ready) continue;
      Task task{.place = place,
                .topic_id = topic_id,
                .chunks = ToMerge(chunks, versions),
                .compacted = compacted};
      if (task.chunks.empty()) continue;
      if (slot.failed == IdsOf(task.chunks)) continue;
      slot.running = true;
      ++running_;
      tasks.push_back(std::move(task));
    }
  }
  for (Task& task : tasks) {
    const auto shared = std::make_shared<const Task>(std::move(task));
    if (pool_.Submit([this, shared] { Run(*shared); })) continue;
    // The queue is full: a later load considers it again.
    MutexLock lock(mutex_);
    slots_[shared->place].running = false;
    --running_;
    changed_.NotifyAll();
  }
}

void ChunkMerger::Run(const Task& task) {
  IndexRange range{.range = {.generation = task.place.first,
                             .partition = task.place.second,
                             .start = task.chunks.front().start,
                             .end = task.chunks.back().end},
                   .epoch = LeaderEpoch(-1),
                   .named_by_content = task.compacted,
                   .schema_version = task.chunks.front().schema_version};
  for (const ledger::ChunkRow& chunk : task.chunks) {
    range.schema_version = std::max(*range.schema_version, chunk.schema_version);
  }
  std::vector<ledger::ChunkRow> made;
  const auto sink = [&](BuiltChunk chunk, Offset /*next*/) -> Status {
    KeepFile(context_, chunk);
    made.push_back(std::move(chunk.row));
    return {};
  };
  const Status outcome = GuardedCall([&] {
    return BuildRange(context_, task.topic_id, range, sink, Deadline::After(kLongestMerge),
                      stop_.get_token());
  });
  Finish(task, outcome, std::move(made));
}

void ChunkMerger::Finish(const Task& task, const Status& outcome,
                         std::vector<ledger::ChunkRow> made) {
  MutexLock lock(mutex_);
  Slot& slot = slots_[task.place];
  slot.running = false;
  --running_;
  slot.failed.clear();
  const std::vector<ChunkId> ids = IdsOf(task.chunks);
  const bool same_records = task.compacted || RecordsOf(made) == RecordsOf(task.chunks);
  if (!outcome.ok()) {
    slot.failed = ids;
  } else if (!same_records) {
    slot.failed = ids;
    suspects_.insert(ids.begin(), ids.end());
  } else if (made.size() >= task.chunks.size()) {
    sealed_.insert(ids.begin(), ids.end());
  } else {
    slot.ready = ChunkMerge{.removed = ids, .chunks = std::move(made)};
  }
  // Under the lock: the destructor may be waiting for just this.
  changed_.NotifyAll();
}

std::vector<ChunkMerge> ChunkMerger::Ready(const CurrentTable& table) {
  std::vector<ChunkMerge> ready;
  MutexLock lock(mutex_);
  std::erase_if(sealed_, [&](ChunkId id) { return !table.chunks().contains(id); });
  for (auto& [place, slot] : slots_) {
    if (!slot.ready) continue;
    const auto& removed = slot.ready->removed;
    const bool fits = std::all_of(removed.begin(), removed.end(),
                                  [&](ChunkId id) { return table.chunks().contains(id); });
    if (fits) ready.push_back(*slot.ready);
    if (!fits) slot.ready.reset();
  }
  return ready;
}

void ChunkMerger::Forget(const std::vector<ChunkMerge>& merges) {
  MutexLock lock(mutex_);
  for (auto& [place, slot] : slots_) {
    if (!slot.ready) continue;
    const bool told = std::any_of(merges.begin(), merges.end(), [&](const ChunkMerge& merge) {
      return merge.removed == slot.ready->removed;
    });
    if (told) slot.ready.reset();
  }
}

void ChunkMerger::AwaitLongTails(const CurrentTable& table, Deadline deadline,
                                 const std::stop_token& stop) {
  MutexLock lock(mutex_);
  // Every load comes here, and there is seldom anything to wait for.
  if (running_ == 0) return;
  std::vector<Place> places;
  for (const auto& [place, chunks] : table.ChunksByPartition()) {
    const auto sizes = SizesOf(chunks);
    if (TailLength(sizes, static_cast<std::int64_t>(context_.full_bytes)) >= kMostTailChunks) {
      places.push_back(place);
    }
  }
  const auto runs = [&] {
    return std::any_of(places.begin(), places.end(),
                       [&](const Place& place) { return slots_[place].running; });
  };
  while (runs() && !deadline.Expired() && !stop.stop_requested()) {
    changed_.WaitUntil(mutex_, deadline, stop);
  }
}

std::set<ChunkId> ChunkMerger::TakeSuspects() {
  MutexLock lock(mutex_);
  return std::exchange(suspects_, {});
}

}  // namespace frazil::table
