// SPDX-License-Identifier: Apache-2.0
#include "ledger/cut_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/encoding.h"
#include "ledger/file_rows.h"
#include "ledger/ledger_tables.h"
#include "ledger/row_reader.h"

namespace frazil::ledger {
namespace {

using iceberg::EntryStatus;
using Ids = std::vector<ChunkId>;

std::pair<Generation, PartitionId> KeyOf(const CutPartition& partition) {
  return {partition.generation, partition.partition};
}

Error BadVector(const std::string& what, const CutPartition& partition) {
  return Error(ErrorCode::kInvalidArgument,
               "a cut " + what + ": generation " + std::to_string(partition.generation.value()) +
                   ", partition " + std::to_string(partition.partition.value()));
}

Error BadFiles(const std::string& what) {
  return Error(ErrorCode::kInvalidArgument, "a cut " + what);
}

Status CheckStep(const CutPartition& before, const CutPartition& after) {
  if (after.start < before.start) return BadVector("starts below the cut before it", after);
  if (before.closed && !after.closed) return BadVector("opens a closed generation", after);
  if (before.closed && after.end > before.end) {
    return BadVector("raises the end of a closed generation", after);
  }
  // An end falls only where the generation is closed (R1).
  if (!after.closed && after.end < before.end) {
    return BadVector("ends below the cut before it", after);
  }
  return {};
}

FileTotals TotalsOf(std::int64_t records, std::int64_t bytes) {
  return {.files = 1, .records = records, .bytes = bytes};
}

void Add(const FileTotals& totals, FileTotals& to) {
  to.files += totals.files;
  to.records += totals.records;
  to.bytes += totals.bytes;
}

Result<FileTotals> Sum(Database& database, std::int64_t table_key, const Ids& ids) {
  FileTotals sum;
  for (const ChunkId id : ids) {
    Query query = database.Prepare(
        "SELECT record_count, file_size FROM chunks WHERE table_key = ? AND id = ?");
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(table_key).Bind(id.value()).Step());
    if (!found) return MissingRow("chunks");
    Add(TotalsOf(query.Int(0), query.Int(1)), sum);
  }
  return sum;
}

// The chunks that the cut adds, ascending.
Result<Ids> CheckNewChunks(Database& database, const TableLine& line, const NewCut& cut) {
  Ids ids;
  std::set<std::string_view> paths;
  for (const ChunkRow& chunk : cut.chunks) {
    if (chunk.id <= line.last_chunk) {
      return BadFiles("has a chunk whose id is not above all before: " +
                      std::to_string(chunk.id.value()));
    }
    if (chunk.start.value() < 0 || chunk.end < chunk.start || chunk.file.record_count < 0 ||
        chunk.file.file_size < 0) {
      return BadFiles("has a chunk with a range or count that is none: " +
                      Printable(chunk.file.path));
    }
    FRAZIL_ASSIGN_OR_RETURN(const auto known,
                            FindChunkByPath(database, line.table_key, chunk.file.path));
    // The same records listed again are the same file.
    const bool other = known.has_value() && known->content_hash != chunk.content_hash;
    if (other || !paths.insert(chunk.file.path).second) {
      return BadFiles("has the path of a chunk with other bytes: " + Printable(chunk.file.path));
    }
    ids.push_back(chunk.id);
  }
  std::sort(ids.begin(), ids.end());
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) {
    return BadFiles("gives one id to two chunks");
  }
  return ids;
}

// The live entries of the manifests that leave the list, ascending.
Result<Ids> CheckRemovedManifests(Database& database, const TableLine& line, const NewCut& cut) {
  Ids live;
  CutNumber previous;
  for (const CutNumber number : cut.removed_manifests) {
    if (number <= previous) return BadFiles("does not remove manifests in ascending order");
    previous = number;
    FRAZIL_ASSIGN_OR_RETURN(const auto manifest, ReadManifest(database, line.table_key, number));
    bool listed = false;
    {
      Query query = database.Prepare(
          "SELECT 1 FROM manifests WHERE table_key = ? AND cut = ? AND until_cut = ?");
      query.Bind(line.table_key).Bind(number.value()).Bind(kNever);
      FRAZIL_ASSIGN_OR_RETURN(listed, query.Step());
    }
    if (!manifest || !listed) {
      return BadFiles("removes a manifest that the list does not have: " +
                      std::to_string(number.value()));
    }
    FRAZIL_ASSIGN_OR_RETURN(const auto entries, ReadEntries(database, line.table_key, *manifest));
    for (const ManifestEntryRow& entry : entries) {
      if (entry.status != EntryStatus::kDeleted) live.push_back(entry.chunk);
    }
  }
  std::sort(live.begin(), live.end());
  return live;
}

// The chunks of a manifest's entries, by status; each ascending.
struct EntryIds {
  Ids added;
  Ids existing;
  Ids deleted;
};

EntryIds IdsOf(const std::vector<ManifestEntryRow>& entries) {
  EntryIds ids;
  for (const ManifestEntryRow& entry : entries) {
    switch (entry.status) {
      case EntryStatus::kAdded:
        ids.added.push_back(entry.chunk);
        break;
      case EntryStatus::kExisting:
        ids.existing.push_back(entry.chunk);
        break;
      case EntryStatus::kDeleted:
        ids.deleted.push_back(entry.chunk);
        break;
    }
  }
  for (Ids* of : {&ids.added, &ids.existing, &ids.deleted}) std::sort(of->begin(), of->end());
  return ids;
}

// A cut without a manifest changes no files; manifests whose files are all gone may leave.
Status CheckNoFiles(const NewCut& cut) {
  if (cut.chunks.empty() && cut.removed_chunks.empty()) return {};
  return BadFiles("changes files and has no manifest");
}

Status CheckOperation(const NewCut& cut) {
  if (cut.removed_chunks.empty() || cut.operation == iceberg::Operation::kReplace) return {};
  return BadFiles("removes chunks and is no replace");
}

Status CheckEntries(const NewCut& cut, const EntryIds& ids, const Ids& new_chunks,
                    const Ids& carried) {
  if (cut.manifest->entries.empty()) return BadFiles("has a manifest without entries");
  if (ids.added != new_chunks) return BadFiles("has other ADDED entries than chunks");
  for (std::size_t i = 1; i < cut.removed_chunks.size(); ++i) {
    if (cut.removed_chunks[i] <= cut.removed_chunks[i - 1]) {
      return BadFiles("does not remove chunks in ascending order");
    }
  }
  if (ids.deleted != cut.removed_chunks) {
    return BadFiles("has other DELETED entries than removed chunks");
  }
  Ids named;
  std::merge(ids.existing.begin(), ids.existing.end(), ids.deleted.begin(), ids.deleted.end(),
             std::back_inserter(named));
  if (named != carried) {
    return BadFiles(
        "has EXISTING and DELETED entries that are not the live ones of the manifests that it "
        "removes");
  }
  return {};
}

}  // namespace

Status CheckVector(const std::vector<CutPartition>& before,
                   const std::vector<CutPartition>& after) {
  const CutPartition* previous = nullptr;
  for (const CutPartition& partition : after) {
    if (previous != nullptr && KeyOf(*previous) >= KeyOf(partition)) {
      return BadVector("does not list its partitions in ascending order", partition);
    }
    if (partition.generation.value() < 0 || partition.partition.value() < 0 ||
        partition.epoch.value() < -1 || partition.start.value() < 0 ||
        partition.end < partition.start) {
      return BadVector("has a range that ends before it starts, or a negative number", partition);
    }
    previous = &partition;
  }
  auto next = after.begin();
  for (const CutPartition& old : before) {
    while (next != after.end() && KeyOf(*next) < KeyOf(old)) ++next;
    if (next == after.end() || KeyOf(*next) != KeyOf(old)) {
      return BadVector("leaves out a partition of the cut before it", old);
    }
    FRAZIL_RETURN_IF_ERROR(CheckStep(old, *next));
  }
  return {};
}

Result<FileStep> CheckFiles(Database& database, const TableLine& line, const NewCut& cut) {
  FileStep step;
  if (!cut.manifest) {
    FRAZIL_RETURN_IF_ERROR(CheckNoFiles(cut));
    FRAZIL_ASSIGN_OR_RETURN(const Ids carried, CheckRemovedManifests(database, line, cut));
    if (!carried.empty()) return BadFiles("removes a manifest with live files and has none itself");
    return step;
  }
  FRAZIL_RETURN_IF_ERROR(CheckOperation(cut));
  FRAZIL_ASSIGN_OR_RETURN(const Ids new_chunks, CheckNewChunks(database, line, cut));
  FRAZIL_ASSIGN_OR_RETURN(const Ids carried, CheckRemovedManifests(database, line, cut));
  const EntryIds ids = IdsOf(cut.manifest->entries);
  FRAZIL_RETURN_IF_ERROR(CheckEntries(cut, ids, new_chunks, carried));
  for (const ChunkRow& chunk : cut.chunks) {
    Add(TotalsOf(chunk.file.record_count, chunk.file.file_size), step.added);
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto existing, Sum(database, line.table_key, ids.existing));
  FRAZIL_ASSIGN_OR_RETURN(step.removed, Sum(database, line.table_key, ids.deleted));
  const NewManifest& manifest = *cut.manifest;
  if (manifest.added != step.added || manifest.existing != existing ||
      manifest.deleted != step.removed) {
    return BadFiles("has a manifest that counts other files, records or bytes than its entries");
  }
  return step;
}

}  // namespace frazil::ledger
