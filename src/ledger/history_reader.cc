// SPDX-License-Identifier: Apache-2.0
#include "ledger/history_reader.h"

#include <algorithm>
#include <utility>

#include "ledger/cut_rows.h"
#include "ledger/file_rows.h"
#include "ledger/row_reader.h"
#include "ledger/table_line.h"

namespace frazil::ledger {
namespace {

// Requires: the line has whole states from `number` on.
Result<StateView> ReadState(Database& database, const TableLine& line, std::int64_t number) {
  const std::int64_t first =
      std::max<std::int64_t>(1, number - static_cast<std::int64_t>(kPreviousStates));
  FRAZIL_ASSIGN_OR_RETURN(const auto states, ReadStates(database, line.table_key, first, number));
  if (static_cast<std::int64_t>(states.size()) != number - first + 1) return MissingRow("states");
  StateView view;
  view.state = states.back().row;
  for (std::size_t i = 0; i + 1 < states.size(); ++i) view.previous.push_back(states[i].row);
  FRAZIL_ASSIGN_OR_RETURN(view.listed, ReadListed(database, line.table_key, states.back()));
  const CutNumber last = view.listed.empty() ? CutNumber(0) : view.listed.back().number;
  if (last != view.state.cut) return MissingRow("cuts");
  if (!view.listed.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(view.listed.back().partitions,
                            ReadPartitions(database, line.table_key, last));
  }
  return view;
}

void Add(const FileTotals& totals, FileTotals& to) {
  to.files += totals.files;
  to.records += totals.records;
  to.bytes += totals.bytes;
}

Result<std::vector<ManifestRow>> ReadManifestsOf(Database& database, std::int64_t table_key,
                                                 const CutRow& cut) {
  FRAZIL_ASSIGN_OR_RETURN(auto manifests, ReadManifestList(database, table_key, cut.number));
  FileTotals live;
  for (const ManifestRow& manifest : manifests) {
    Add(manifest.added, live);
    Add(manifest.existing, live);
  }
  if (live != cut.total) return MissingRow("manifests");
  return manifests;
}

// The chunks that entries name and that are not in the set.
Status ReadFormerChunks(Database& database, std::int64_t table_key, CurrentView& view) {
  std::vector<ChunkId> named;
  for (const ManifestRow& manifest : view.manifests) {
    for (const ManifestEntryRow& entry : manifest.entries) named.push_back(entry.chunk);
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  auto live = view.chunks.begin();
  for (const ChunkId id : named) {
    while (live != view.chunks.end() && live->id < id) ++live;
    if (live != view.chunks.end() && live->id == id) continue;
    FRAZIL_ASSIGN_OR_RETURN(ChunkRow chunk, ReadChunk(database, table_key, id));
    view.former_chunks.push_back(std::move(chunk));
  }
  return {};
}

}  // namespace

Result<CurrentView> ReadCurrent(Database& database, std::int64_t table_key) {
  CurrentView view;
  FRAZIL_ASSIGN_OR_RETURN(const auto line, FindLine(database, table_key));
  if (!line || line->last_state == 0) return view;
  view.last_chunk = line->last_chunk;
  FRAZIL_ASSIGN_OR_RETURN(view.last, ReadState(database, *line, line->last_state));
  if (view.last->listed.empty()) return view;
  const CutRow& cut = view.last->listed.back();
  FRAZIL_ASSIGN_OR_RETURN(view.chunks, ReadLiveChunks(database, table_key));
  FileTotals total;
  for (const ChunkRow& chunk : view.chunks) {
    Add({.files = 1, .records = chunk.file.record_count, .bytes = chunk.file.file_size}, total);
  }
  if (total != cut.total) return MissingRow("chunks");
  FRAZIL_ASSIGN_OR_RETURN(view.manifests, ReadManifestsOf(database, table_key, cut));
  for (ManifestRow& manifest : view.manifests) {
    FRAZIL_ASSIGN_OR_RETURN(manifest.entries, ReadEntries(database, table_key, manifest));
  }
  FRAZIL_RETURN_IF_ERROR(ReadFormerChunks(database, table_key, view));
  return view;
}

Result<std::optional<StateView>> FindState(Database& database, std::int64_t table_key,
                                           std::int64_t number) {
  FRAZIL_ASSIGN_OR_RETURN(const auto line, FindLine(database, table_key));
  if (!line || number < line->first_whole || number > line->last_state) {
    return std::optional<StateView>();
  }
  FRAZIL_ASSIGN_OR_RETURN(StateView view, ReadState(database, *line, number));
  return std::optional<StateView>(std::move(view));
}

Result<std::optional<CutView>> FindCut(Database& database, std::int64_t table_key,
                                       CutNumber number) {
  FRAZIL_ASSIGN_OR_RETURN(auto cut, ReadCut(database, table_key, number));
  if (!cut) return std::optional<CutView>();
  CutView view;
  FRAZIL_ASSIGN_OR_RETURN(cut->partitions, ReadPartitions(database, table_key, number));
  view.cut = *std::move(cut);
  FRAZIL_ASSIGN_OR_RETURN(view.manifests, ReadManifestsOf(database, table_key, view.cut));
  return std::optional<CutView>(std::move(view));
}

Result<std::optional<ManifestView>> FindManifest(Database& database, std::int64_t table_key,
                                                 CutNumber cut) {
  FRAZIL_ASSIGN_OR_RETURN(auto manifest, ReadManifest(database, table_key, cut));
  if (!manifest) return std::optional<ManifestView>();
  ManifestView view{.manifest = *std::move(manifest), .chunks = {}};
  FRAZIL_ASSIGN_OR_RETURN(view.manifest.entries, ReadEntries(database, table_key, view.manifest));
  view.chunks.reserve(view.manifest.entries.size());
  for (const ManifestEntryRow& entry : view.manifest.entries) {
    FRAZIL_ASSIGN_OR_RETURN(ChunkRow chunk, ReadChunk(database, table_key, entry.chunk));
    view.chunks.push_back(std::move(chunk));
  }
  return std::optional<ManifestView>(std::move(view));
}

Result<std::optional<ChunkRow>> FindChunk(Database& database, std::int64_t table_key,
                                          const std::string& path) {
  return FindChunkByPath(database, table_key, path);
}

Result<std::vector<LostRange>> LostRanges(Database& database, std::int64_t table_key) {
  FRAZIL_ASSIGN_OR_RETURN(const auto line, FindLine(database, table_key));
  FRAZIL_ASSIGN_OR_RETURN(auto ranges, ReadLost(database, table_key));
  if (line && line->lost != static_cast<std::int64_t>(ranges.size())) {
    return MissingRow("lost_ranges");
  }
  return ranges;
}

}  // namespace frazil::ledger
