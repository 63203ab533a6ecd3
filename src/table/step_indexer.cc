// SPDX-License-Identifier: Apache-2.0
#include "table/step_indexer.h"

#include <latch>
#include <optional>
#include <utility>

#include "table/guarded_call.h"

namespace frazil::table {

StepIndexer::Progress StepIndexer::ProgressOf(const ChunkRange& range) {
  MutexLock lock(mutex_);
  Progress& progress = progress_[{range.generation, range.partition}];
  const bool continues = progress.start == range.start && progress.end <= range.end;
  if (!continues) progress = {.start = range.start, .end = range.start, .chunks = {}};
  return progress;
}

void StepIndexer::Keep(const ChunkRange& range, const BuiltChunk* chunk) {
  if (chunk != nullptr) {
    context_.cache.Put(std::string(KeyOf(chunk->row.file.path)), chunk->file);
  }
  MutexLock lock(mutex_);
  Progress& progress = progress_[{range.generation, range.partition}];
  if (chunk != nullptr) progress.chunks.push_back(chunk->row);
  progress.end = range.end;
}

void StepIndexer::Forget() {
  MutexLock lock(mutex_);
  progress_.clear();
}

Status StepIndexer::IndexRange(const Uuid& topic_id, const StepRange& step, Deadline deadline,
                               const std::stop_token& stop) {
  ChunkRange open = step.range;
  open.start = ProgressOf(step.range).end;
  if (open.start >= step.range.end) return {};
  std::vector<decode::RecordBlock> blocks;
  std::size_t payload = 0;
  const auto close = [&](Offset end) -> Status {
    open.end = end;
    if (blocks.empty()) {
      Keep(open, nullptr);
    } else {
      FRAZIL_ASSIGN_OR_RETURN(const BuiltChunk chunk,
                              builder_.Build(open, blocks, nullptr, deadline, stop));
      Keep(open, &chunk);
    }
    open.start = end;
    blocks.clear();
    payload = 0;
    return {};
  };
  const RangeRequest request{.topic = topic_,
                             .topic_id = topic_id,
                             .partition = step.range.partition,
                             .epoch = step.epoch,
                             .start = open.start,
                             .end = step.range.end};
  const auto sink = [&](decode::RecordBlock block) -> Status {
    if (block.records.empty()) return {};
    const Offset next(block.records.back().offset + 1);
    // Small records weigh more in columns and indexes than in payload.
    payload += block.payload_bytes + block.records.size() * sizeof(decode::SourceRecord);
    blocks.push_back(std::move(block));
    return payload >= context_.chunk_bytes ? close(next) : Status();
  };
  FRAZIL_RETURN_IF_ERROR(context_.source.ReadRange(request, sink, deadline, stop));
  return open.start < step.range.end ? close(step.range.end) : Status();
}

Result<std::vector<ledger::ChunkRow>> StepIndexer::Index(const Uuid& topic_id,
                                                         const std::vector<StepRange>& ranges,
                                                         Deadline deadline,
                                                         const std::stop_token& stop) {
  std::vector<Status> outcomes(ranges.size());
  std::latch done(static_cast<std::ptrdiff_t>(ranges.size()));
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto task = [&, i] {
      outcomes[i] = GuardedCall([&] { return IndexRange(topic_id, ranges[i], deadline, stop); });
      done.count_down();
    };
    // One range needs no hand-over; a full queue must not refuse a load.
    if (ranges.size() == 1 || !context_.pool.Submit(task)) task();
  }
  done.wait();
  for (const Status& outcome : outcomes) FRAZIL_RETURN_IF_ERROR(outcome);
  std::vector<ledger::ChunkRow> chunks;
  for (const StepRange& step : ranges) {
    const Progress progress = ProgressOf(step.range);
    chunks.insert(chunks.end(), progress.chunks.begin(), progress.chunks.end());
  }
  return chunks;
}

}  // namespace frazil::table
