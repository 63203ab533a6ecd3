// SPDX-License-Identifier: Apache-2.0
// The table as the last state shows it, and the plan of the next state. No I/O.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "iceberg/schema.h"
#include "ledger/ledger.h"
#include "table/object_names.h"

namespace frazil::table {

// What each cut may list at most.
struct HistoryLimits {
  std::size_t listed_snapshots = 500;
};

using ChunkSet = std::map<ChunkId, ledger::ChunkRow>;

// Threads: none; its owner guards it.
class CurrentTable {
 public:
  explicit CurrentTable(ledger::CurrentView view);

  // Null before the first state.
  const ledger::StateRow* LastState() const;
  const ledger::CutRow* LastCut() const;
  // Requires: there is a state.
  const ledger::StateView& View() const { return *last_; }
  // The vector of the last cut; empty before the first.
  const std::vector<ledger::CutPartition>& Partitions() const;

  const ChunkSet& chunks() const { return chunks_; }
  // Ascending by cut.
  const std::vector<ledger::ManifestRow>& manifests() const { return manifests_; }
  ChunkId last_chunk() const { return last_chunk_; }
  // Null for what is not in the chunk set.
  const ledger::ChunkRow* FindChunk(std::string_view path) const;

  // A partition's chunks of one generation, ascending by offset.
  using Place = std::pair<Generation, PartitionId>;
  std::map<Place, std::vector<const ledger::ChunkRow*>> ChunksByPartition() const;

  // What was planned on top of this state has been recorded.
  void Apply(const ledger::NewState& planned, const ledger::RecordedState& recorded);

 private:
  void ApplyCut(const ledger::NewCut& planned, const ledger::CutRow& recorded);

  std::optional<ledger::StateView> last_;
  ChunkSet chunks_;
  // Paths point into chunks_.
  std::map<std::string_view, ChunkId> paths_;
  std::vector<ledger::ManifestRow> manifests_;
  ChunkId last_chunk_;
};

// Builds the next state, cut by cut, on top of a table.
// Threads: none. The table and the schemas must not change while it lives.
class StatePlan {
 public:
  struct Origin {
    const TableIdentity& identity;
    const CurrentTable& current;
    // The topic's versions, numbered from 0.
    const std::vector<iceberg::Schema>& schemas;
    SchemaVersion schema_version;
    // Of this process.
    std::string nonce;
    int writer_version = 0;
  };

  explicit StatePlan(const Origin& origin);

  // The parent's chunk set plus `chunks`, which need no id.
  void Append(std::vector<ledger::CutPartition> partitions, std::vector<ledger::ChunkRow> chunks);
  // The chunk set changes, `removed` (ascending) leave; too many manifests become one.
  void Replace(std::vector<ledger::CutPartition> partitions, std::vector<ledger::ChunkRow> chunks,
               std::vector<ChunkId> removed, std::vector<ledger::LostRange> lost);

  bool empty() const { return state_.cuts.empty(); }
  std::size_t manifest_count() const { return manifests_.size(); }

  // The state to record.
  ledger::NewState Finish(const HistoryLimits& limits, std::chrono::milliseconds backdate);

  // The manifests that the plan writes: key and bytes.
  const std::vector<std::pair<std::string, Bytes>>& manifest_files() const { return files_; }

 private:
  ledger::NewCut& StartCut(iceberg::Operation operation,
                           std::vector<ledger::CutPartition> partitions);
  void AddChunks(ledger::NewCut& cut, std::vector<ledger::ChunkRow> chunks);
  // Writes the cut's manifest: its new chunks, what is live in `rewritten`, and what it removed.
  void WriteManifest(ledger::NewCut& cut, const std::vector<bool>& rewritten);
  const ledger::ChunkRow& Chunk(ChunkId id) const;
  bool IsLive(ChunkId id) const;

  const Origin origin_;
  ledger::NewState state_;
  CutNumber next_cut_;
  ChunkId last_chunk_;
  std::vector<ledger::ManifestRow> manifests_;
  // Added and removed by the plan.
  ChunkSet added_;
  std::set<ChunkId> removed_;
  std::vector<std::pair<std::string, Bytes>> files_;
};

}  // namespace frazil::table
