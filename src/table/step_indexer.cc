// SPDX-License-Identifier: Apache-2.0
#include "table/step_indexer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "table/guarded_call.h"

namespace frazil::table {
namespace {

// Ranges of no more offsets than this are read by the load's own thread when there is but one.
constexpr std::int64_t kSmallRange = 20'000;
// What building takes beside the file itself: a row group's records, columns and pages.
constexpr std::size_t kBuildMemory = 64U << 20;
constexpr std::size_t kSmallBuildMemory = 8U << 20;
// Reads end by their own limits on time without progress; this one is only against the worst.
constexpr std::chrono::hours kLongestBuild{1};

// What any range may need.
std::size_t MemoryForAny(std::size_t full_bytes) { return kBuildMemory + full_bytes / 2 * 3; }

std::size_t MemoryFor(const IndexRange& range, std::size_t full_bytes) {
  const std::int64_t offsets = range.range.end - range.range.start;
  return offsets <= kSmallRange ? kSmallBuildMemory : MemoryForAny(full_bytes);
}

// One attempt to read a range with the memory that it was thought to need.
struct Attempt {
  MemoryLease lease{};
  // Whether the lease may grow beyond the budget's limit rather than end the attempt.
  bool is_last = false;
  // Set when the attempt ended for want of memory.
  std::size_t wanted = 0;
};

// Reads the range's records into the builder. The lease grows with what turns out to be held: few
// offsets, or a small file, may be made of much.
Status ReadInto(const IndexContext& context, const Uuid& topic_id, const ChunkRange& range,
                LeaderEpoch epoch, ChunkBuilder& builder, Attempt& attempt, Deadline deadline,
                const std::stop_token& stop) {
  const RangeRequest request{.topic = context.builder.table.topic,
                             .topic_id = topic_id,
                             .partition = range.partition,
                             .epoch = epoch,
                             .start = range.start,
                             .end = range.end};
  const auto add = [&](decode::RecordBlock block) -> Status {
    const std::size_t held = builder.held_bytes() + block.held_bytes + 2 * block.payload_bytes;
    if (held > attempt.lease.bytes() && !attempt.lease.TryResize(held)) {
      if (!attempt.is_last) {
        attempt.wanted = held;
        return Error(ErrorCode::kResourceExhausted, "the records need more memory than was leased");
      }
      attempt.lease.Resize(held);
    }
    return builder.Add(std::move(block));
  };
  return context.source.ReadRange(request, add, deadline, stop);
}

Status BuildWith(Attempt& attempt, const IndexContext& context, const Uuid& topic_id,
                 const IndexRange& range, const ChunkBuilder::Sink& sink, Deadline deadline,
                 const std::stop_token& stop) {
  ChunkBuilder builder(context.builder, range.range,
                       {.schema_version = range.schema_version,
                        .named_by_content = range.named_by_content,
                        .full_bytes = context.full_bytes,
                        .output = range.output,
                        .encoder_version = context.encoder_version},
                       sink, deadline, stop);
  FRAZIL_RETURN_IF_ERROR(
      ReadInto(context, topic_id, range.range, range.epoch, builder, attempt, deadline, stop));
  return builder.Finish();
}

// The chunk's bytes.
Result<Bytes> BuildAgainWith(Attempt& attempt, const IndexContext& context, const Uuid& topic_id,
                             const ledger::ChunkRow& chunk, Deadline deadline,
                             const std::stop_token& stop) {
  Bytes made;
  const auto sink = [&](BuiltChunk built, Offset /*next*/) -> Status {
    made = std::move(built.file);
    return {};
  };
  const ChunkRange range = RangeOf(chunk);
  ChunkBuilder builder(context.builder, range, {.like = &chunk}, sink, deadline, stop);
  FRAZIL_RETURN_IF_ERROR(
      ReadInto(context, topic_id, range, LeaderEpoch(-1), builder, attempt, deadline, stop));
  FRAZIL_RETURN_IF_ERROR(builder.Finish());
  return made;
}

}  // namespace

Status BuildRange(const IndexContext& context, const Uuid& topic_id, const IndexRange& range,
                  const ChunkBuilder::Sink& sink, Deadline deadline, const std::stop_token& stop) {
  IndexRange rest = range;
  const ChunkBuilder::Sink advance = [&](BuiltChunk chunk, Offset next) -> Status {
    FRAZIL_RETURN_IF_ERROR(sink(std::move(chunk), next));
    rest.range.start = next;
    return {};
  };
  const std::size_t any = MemoryForAny(context.full_bytes);
  std::size_t bytes = MemoryFor(range, context.full_bytes);
  while (true) {
    Attempt attempt{.is_last = bytes >= any};
    FRAZIL_ASSIGN_OR_RETURN(attempt.lease, context.memory.Acquire(bytes, deadline, stop));
    const IndexRange now = rest;
    const Status built = BuildWith(attempt, context, topic_id, now, advance, deadline, stop);
    if (built.ok() || attempt.wanted == 0) return built;
    bytes = std::max(any, attempt.wanted / 4 * 5);
  }
}

void KeepFile(const IndexContext& context, BuiltChunk& chunk) {
  if (chunk.file.empty()) return;
  MemoryLease lease = context.memory.Charge(chunk.file.size());
  context.cache.Put(std::string(KeyOf(chunk.row.file.path)),
                    MakeShared(std::move(chunk.file), std::move(lease)));
}

Result<SharedBytes> BuildAgain(const IndexContext& context, const Uuid& topic_id,
                               const ledger::ChunkRow& chunk, Deadline deadline,
                               const std::stop_token& stop) {
  const auto size = static_cast<std::size_t>(chunk.file.file_size);
  const std::size_t any = size + kBuildMemory;
  std::size_t bytes = size + std::min(kBuildMemory, kSmallBuildMemory + 4 * size);
  while (true) {
    Attempt attempt{.is_last = bytes >= any};
    FRAZIL_ASSIGN_OR_RETURN(attempt.lease, context.memory.Acquire(bytes, deadline, stop));
    auto made = BuildAgainWith(attempt, context, topic_id, chunk, deadline, stop);
    if (made.ok()) return MakeShared(std::move(made).value(), std::move(attempt.lease));
    if (attempt.wanted == 0) return made.error();
    bytes = std::max(any, attempt.wanted / 4 * 5);
  }
}

// One range on its way; all but the range's place is guarded by the indexer's mutex.
struct StepIndexer::Work {
  Uuid topic_id;
  IndexRange target;
  // Chunks cover [target.range.start, done).
  Offset done;
  std::vector<ledger::ChunkRow> chunks;
  std::optional<Error> error;
  bool running = false;
  std::stop_source stop;
};

StepIndexer::~StepIndexer() {
  Forget();
  MutexLock lock(mutex_);
  while (running_ > 0) changed_.Wait(mutex_);
}

void StepIndexer::Forget() {
  MutexLock lock(mutex_);
  for (auto& [key, work] : works_) work->stop.request_stop();
  works_.clear();
  kept_bytes_ = 0;
}

StepIndexer::Works StepIndexer::Enlist(const Uuid& topic_id, const std::vector<IndexRange>& ranges,
                                       Works& start) {
  Works works;
  MutexLock lock(mutex_);
  for (const IndexRange& range : ranges) {
    std::shared_ptr<Work>& work =
        works_[{range.range.generation, range.range.partition, range.range.start}];
    // One that was stopped, or was for another topic or end, is of no use.
    const bool fits = work != nullptr && !work->stop.stop_requested() &&
                      work->topic_id == topic_id && work->done <= range.range.end &&
                      work->target.named_by_content == range.named_by_content;
    if (!fits) {
      if (work) work->stop.request_stop();
      work = std::make_shared<Work>();
      work->topic_id = topic_id;
      work->done = range.range.start;
    }
    work->target = range;
    work->error.reset();
    works.push_back(work);
    if (work->running || work->done >= range.range.end) continue;
    work->running = true;
    ++running_;
    start.push_back(work);
  }
  return works;
}

void StepIndexer::Start(const std::shared_ptr<Work>& work) {
  const auto run = [this, work](bool slice) {
    Run(work, slice, Deadline::After(kLongestBuild), work->stop.get_token());
  };
  // A full queue must not refuse a load.
  if (!context_.pool.Submit([run] { run(true); })) run(false);
}

// What would push out of the cache what this step has just put in is not worth its making.
bool StepIndexer::HasKeptEnough() const { return kept_bytes_ > context_.cache.capacity() / 2; }

void StepIndexer::Run(const std::shared_ptr<Work>& work, bool slice, Deadline deadline,
                      const std::stop_token& stop) {
  IndexRange rest;
  {
    MutexLock lock(mutex_);
    rest = work->target;
    rest.range.start = work->done;
  }
  if (HasKeptEnough()) rest.output = parquet::EncoderOutput::kSizeOnly;
  bool ended_by_slice = false;
  const auto sink = [&](BuiltChunk chunk, Offset next) -> Status {
    kept_bytes_ += chunk.file.size();
    KeepFile(context_, chunk);
    {
      MutexLock lock(mutex_);
      work->chunks.push_back(std::move(chunk.row));
      work->done = next;
    }
    changed_.NotifyAll();
    const bool changes_output = rest.output == parquet::EncoderOutput::kFile && HasKeptEnough();
    if ((!slice && !changes_output) || next >= rest.range.end) return {};
    // Other tables' loads wait for the same threads.
    ended_by_slice = true;
    return Error(ErrorCode::kCancelled, "a slice of the work is done");
  };
  const Status outcome =
      GuardedCall([&] { return BuildRange(context_, work->topic_id, rest, sink, deadline, stop); });
  bool again = false;
  {
    MutexLock lock(mutex_);
    if (outcome.ok()) work->done = rest.range.end;
    if (!outcome.ok() && !ended_by_slice) work->error = outcome.error();
    again = !work->error && work->done < work->target.range.end && !work->stop.stop_requested();
    if (!again) {
      work->running = false;
      --running_;
      // Under the lock: the destructor may be waiting for just this.
      changed_.NotifyAll();
    }
  }
  if (again) Start(work);
}

Error StepIndexer::StillIndexing(const Works& works, const std::vector<IndexRange>& ranges) {
  std::int64_t wanted = 0;
  std::int64_t done = 0;
  for (std::size_t i = 0; i < works.size(); ++i) {
    wanted += ranges[i].range.end - ranges[i].range.start;
    done += std::min(works[i]->done, ranges[i].range.end) - ranges[i].range.start;
  }
  return Error(ErrorCode::kTableIndexing,
               fmt::format("the table is being indexed, which goes on; ask again: {} of {} new "
                           "offsets are done ({} %)",
                           done, wanted, wanted == 0 ? 100 : done * 100 / wanted));
}

Status StepIndexer::Await(const Works& works, const std::vector<IndexRange>& ranges,
                          Deadline patience, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (true) {
    bool all_done = true;
    for (std::size_t i = 0; i < works.size(); ++i) {
      if (works[i]->error) return *works[i]->error;
      all_done = all_done && works[i]->done >= ranges[i].range.end;
    }
    if (all_done) return {};
    if (stop.stop_requested()) {
      for (const auto& work : works) work->stop.request_stop();
      return Error(ErrorCode::kCancelled, "the client left before the table was loaded");
    }
    if (patience.Expired()) return StillIndexing(works, ranges);
    changed_.WaitUntil(mutex_, patience, stop);
  }
}

Result<std::vector<std::vector<ledger::ChunkRow>>> StepIndexer::Index(
    const Uuid& topic_id, const std::vector<IndexRange>& ranges, Deadline patience,
    const std::stop_token& stop) {
  Works start;
  const Works works = Enlist(topic_id, ranges, start);
  const bool in_own_thread = ranges.size() == 1 && start.size() == 1 &&
                             ranges.front().range.end - ranges.front().range.start <= kSmallRange;
  if (in_own_thread) {
    Run(start.front(), false, patience, stop);
  } else {
    for (const auto& work : start) Start(work);
  }
  FRAZIL_RETURN_IF_ERROR(Await(works, ranges, patience, stop));
  std::vector<std::vector<ledger::ChunkRow>> chunks;
  MutexLock lock(mutex_);
  for (const auto& work : works) chunks.push_back(work->chunks);
  return chunks;
}

}  // namespace frazil::table
