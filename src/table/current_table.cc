// SPDX-License-Identifier: Apache-2.0
#include "table/current_table.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/check.h"
#include "base/sha256.h"
#include "iceberg/manifest.h"
#include "table/chunk_ladder.h"
#include "table/table_files.h"

namespace frazil::table {
namespace {

void Count(const ledger::ChunkRow& chunk, ledger::FileTotals& totals) {
  ++totals.files;
  totals.records += chunk.file.record_count;
  totals.bytes += chunk.file.file_size;
}

std::int64_t LiveEntries(const ledger::ManifestRow& manifest) {
  return manifest.added.files + manifest.existing.files;
}

// The order of files in a manifest.
bool ComesBefore(const ledger::ChunkRow& left, const ledger::ChunkRow& right) {
  return std::tuple(left.generation, left.partition, left.start) <
         std::tuple(right.generation, right.partition, right.start);
}

ledger::ManifestRow RowOf(const ledger::NewManifest& planned, const ledger::CutRow& cut) {
  return {.cut = cut.number,
          .stamp = cut.stamp,
          .snapshot_id = cut.snapshot_id,
          .schema_version = cut.schema_version,
          .nonce = cut.nonce,
          .writer_version = cut.writer_version,
          .length = planned.length,
          .content_hash = planned.content_hash,
          .min_sequence_number = planned.min_sequence_number,
          .added = planned.added,
          .existing = planned.existing,
          .deleted = planned.deleted,
          .entries = planned.entries};
}

template <typename Row, typename Number>
void EraseByCut(std::vector<Row>& rows, const std::vector<CutNumber>& gone, Number number) {
  std::erase_if(rows, [&](const Row& row) {
    return std::binary_search(gone.begin(), gone.end(), number(row));
  });
}

}  // namespace

CurrentTable::CurrentTable(ledger::CurrentView view)
    : last_(std::move(view.last)),
      manifests_(std::move(view.manifests)),
      last_chunk_(view.last_chunk) {
  for (ledger::ChunkRow& chunk : view.chunks) {
    const ChunkId id = chunk.id;
    const auto placed = chunks_.emplace(id, std::move(chunk)).first;
    paths_[placed->second.file.path] = id;
  }
}

const ledger::StateRow* CurrentTable::LastState() const { return last_ ? &last_->state : nullptr; }

const ledger::CutRow* CurrentTable::LastCut() const {
  return last_ && !last_->listed.empty() ? &last_->listed.back() : nullptr;
}

const std::vector<ledger::CutPartition>& CurrentTable::Partitions() const {
  static const std::vector<ledger::CutPartition> kNone;
  const ledger::CutRow* cut = LastCut();
  return cut == nullptr ? kNone : cut->partitions;
}

const ledger::ChunkRow* CurrentTable::FindChunk(std::string_view path) const {
  const auto found = paths_.find(path);
  return found == paths_.end() ? nullptr : &chunks_.at(found->second);
}

std::map<CurrentTable::Place, std::vector<const ledger::ChunkRow*>>
CurrentTable::ChunksByPartition() const {
  std::map<Place, std::vector<const ledger::ChunkRow*>> partitions;
  for (const auto& [id, chunk] : chunks_) {
    partitions[{chunk.generation, chunk.partition}].push_back(&chunk);
  }
  for (auto& [place, chunks] : partitions) {
    std::sort(chunks.begin(), chunks.end(),
              [](const auto* left, const auto* right) { return left->start < right->start; });
  }
  return partitions;
}

void CurrentTable::ApplyCut(const ledger::NewCut& planned, const ledger::CutRow& recorded) {
  for (const ChunkId id : planned.removed_chunks) {
    const auto found = chunks_.find(id);
    paths_.erase(found->second.file.path);
    chunks_.erase(found);
  }
  for (const ledger::ChunkRow& chunk : planned.chunks) {
    const auto placed = chunks_.emplace(chunk.id, chunk).first;
    placed->second.added_cut = recorded.number;
    placed->second.added_snapshot = recorded.snapshot_id;
    placed->second.added_stamp = recorded.stamp;
    paths_[placed->second.file.path] = chunk.id;
    last_chunk_ = std::max(last_chunk_, chunk.id);
  }
  EraseByCut(manifests_, planned.removed_manifests,
             [](const ledger::ManifestRow& row) { return row.cut; });
  if (planned.manifest) manifests_.push_back(RowOf(*planned.manifest, recorded));
}

void CurrentTable::Apply(const ledger::NewState& planned, const ledger::RecordedState& recorded) {
  FRAZIL_CHECK(planned.cuts.size() == recorded.cuts.size());
  if (last_) {
    last_->previous.push_back(last_->state);
    if (last_->previous.size() > ledger::kPreviousStates) {
      last_->previous.erase(last_->previous.begin());
    }
  } else {
    last_.emplace();
  }
  last_->state = recorded.state;
  for (std::size_t i = 0; i < planned.cuts.size(); ++i) {
    ApplyCut(planned.cuts[i], recorded.cuts[i]);
    // Only the last vector is looked at again.
    if (!last_->listed.empty()) last_->listed.back().partitions = {};
    last_->listed.push_back(recorded.cuts[i]);
  }
  EraseByCut(last_->listed, planned.unlisted, [](const ledger::CutRow& row) { return row.number; });
}

StatePlan::StatePlan(const Origin& origin)
    : origin_(origin),
      next_cut_(1),
      last_chunk_(origin.current.last_chunk()),
      manifests_(origin.current.manifests()) {
  if (const ledger::CutRow* cut = origin.current.LastCut()) next_cut_ = cut->number + 1;
  state_.schema_version = origin.schema_version;
  state_.writer_version = origin.writer_version;
}

const ledger::ChunkRow& StatePlan::Chunk(ChunkId id) const {
  const auto found = added_.find(id);
  return found != added_.end() ? found->second : origin_.current.chunks().at(id);
}

bool StatePlan::IsLive(ChunkId id) const {
  return !removed_.contains(id) && (added_.contains(id) || origin_.current.chunks().contains(id));
}

ledger::NewCut& StatePlan::StartCut(iceberg::Operation operation,
                                    std::vector<ledger::CutPartition> partitions) {
  ledger::NewCut& cut = state_.cuts.emplace_back();
  cut.snapshot_id = MakeSnapshotId(origin_.identity.uuid, next_cut_, origin_.nonce);
  cut.operation = operation;
  cut.partitions = std::move(partitions);
  return cut;
}

void StatePlan::AddChunks(ledger::NewCut& cut, std::vector<ledger::ChunkRow> chunks) {
  std::sort(chunks.begin(), chunks.end(), ComesBefore);
  for (ledger::ChunkRow& chunk : chunks) {
    last_chunk_ = last_chunk_ + 1;
    chunk.id = last_chunk_;
    chunk.added_cut = next_cut_;
    chunk.added_snapshot = cut.snapshot_id;
    added_[chunk.id] = chunk;
  }
  cut.chunks = std::move(chunks);
}

void StatePlan::WriteManifest(ledger::NewCut& cut, const std::vector<bool>& rewritten) {
  std::vector<ledger::ManifestEntryRow> entries;
  for (const ledger::ChunkRow& chunk : cut.chunks) {
    entries.push_back({.status = iceberg::EntryStatus::kAdded, .chunk = chunk.id});
  }
  std::vector<ledger::ManifestRow> kept;
  for (std::size_t i = 0; i < manifests_.size(); ++i) {
    if (!rewritten[i]) {
      kept.push_back(std::move(manifests_[i]));
      continue;
    }
    cut.removed_manifests.push_back(manifests_[i].cut);
    for (const ledger::ManifestEntryRow& entry : manifests_[i].entries) {
      if (entry.status == iceberg::EntryStatus::kDeleted || !IsLive(entry.chunk)) continue;
      entries.push_back({.status = iceberg::EntryStatus::kExisting, .chunk = entry.chunk});
    }
  }
  manifests_ = std::move(kept);
  std::sort(entries.begin(), entries.end(), [this](const auto& left, const auto& right) {
    return ComesBefore(Chunk(left.chunk), Chunk(right.chunk));
  });
  for (const ChunkId id : cut.removed_chunks) {
    entries.push_back({.status = iceberg::EntryStatus::kDeleted, .chunk = id});
  }
  if (entries.empty()) return;
  ledger::NewManifest manifest{.min_sequence_number = SequenceNumber(next_cut_.value())};
  for (const ledger::ManifestEntryRow& entry : entries) {
    const ledger::ChunkRow& chunk = Chunk(entry.chunk);
    if (entry.status == iceberg::EntryStatus::kDeleted) {
      Count(chunk, manifest.deleted);
      continue;
    }
    Count(chunk, entry.status == iceberg::EntryStatus::kAdded ? manifest.added : manifest.existing);
    manifest.min_sequence_number =
        std::min(manifest.min_sequence_number, SequenceNumber(chunk.added_cut.value()));
  }
  manifest.entries = std::move(entries);
  const ledger::CutRow named{.number = next_cut_,
                             .schema_version = origin_.schema_version,
                             .nonce = origin_.nonce,
                             .writer_version = origin_.writer_version,
                             .snapshot_id = cut.snapshot_id};
  ledger::ManifestRow row = RowOf(manifest, named);
  Bytes bytes = ManifestBytes(origin_.schemas, row,
                              [this](ChunkId id) -> const ledger::ChunkRow& { return Chunk(id); });
  manifest.length = row.length = static_cast<std::int64_t>(bytes.size());
  manifest.content_hash = row.content_hash = Sha256(bytes);
  files_.emplace_back(ManifestKey(origin_.identity, row), std::move(bytes));
  manifests_.push_back(std::move(row));
  cut.manifest = std::move(manifest);
}

void StatePlan::Append(std::vector<ledger::CutPartition> partitions,
                       std::vector<ledger::ChunkRow> chunks) {
  ledger::NewCut& cut = StartCut(iceberg::Operation::kAppend, std::move(partitions));
  AddChunks(cut, std::move(chunks));
  WriteManifest(cut, std::vector<bool>(manifests_.size(), false));
  next_cut_ = next_cut_ + 1;
}

void StatePlan::Replace(std::vector<ledger::CutPartition> partitions,
                        std::vector<ledger::ChunkRow> chunks, std::vector<ChunkId> removed,
                        std::vector<ledger::LostRange> lost) {
  ledger::NewCut& cut = StartCut(iceberg::Operation::kReplace, std::move(partitions));
  cut.removed_chunks = std::move(removed);
  cut.lost = std::move(lost);
  removed_.insert(cut.removed_chunks.begin(), cut.removed_chunks.end());
  AddChunks(cut, std::move(chunks));
  std::vector<std::int64_t> entries;
  std::vector<bool> touched;
  for (const ledger::ManifestRow& manifest : manifests_) {
    entries.push_back(LiveEntries(manifest));
    touched.push_back(
        std::any_of(manifest.entries.begin(), manifest.entries.end(), [this](const auto& entry) {
          return entry.status != iceberg::EntryStatus::kDeleted && !IsLive(entry.chunk);
        }));
  }
  WriteManifest(cut, ManifestsToRewrite(entries, touched));
  next_cut_ = next_cut_ + 1;
}

ledger::NewState StatePlan::Finish(const HistoryLimits& limits,
                                   std::chrono::milliseconds backdate) {
  state_.backdate = backdate;
  if (origin_.current.LastState() == nullptr) return state_;
  std::vector<UnixMillis> stamps;
  std::vector<CutNumber> numbers;
  for (const ledger::CutRow& cut : origin_.current.View().listed) {
    stamps.push_back(cut.stamp);
    numbers.push_back(cut.number);
  }
  while (numbers.size() >= 3 && numbers.size() + state_.cuts.size() > limits.listed_snapshots) {
    const auto leaves = static_cast<std::ptrdiff_t>(SnapshotToUnlist(stamps));
    state_.unlisted.push_back(numbers[static_cast<std::size_t>(leaves)]);
    stamps.erase(stamps.begin() + leaves);
    numbers.erase(numbers.begin() + leaves);
  }
  std::sort(state_.unlisted.begin(), state_.unlisted.end());
  return state_;
}

}  // namespace frazil::table
