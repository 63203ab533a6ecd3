// SPDX-License-Identifier: Apache-2.0
#include "ledger/file_rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "iceberg/data_file_json.h"
#include "ledger/ledger_tables.h"
#include "ledger/row_reader.h"

#define FRAZIL_CHUNK_COLUMNS                                                                      \
  "id, added_cut, added_snapshot, added_stamp, generation, partition, start_offset, end_offset, " \
  "schema_version, encoder_version, content_hash, path, record_count, file_size, columns"
#define FRAZIL_MANIFEST_COLUMNS                                                            \
  "cut, stamp, snapshot_id, schema_version, nonce, writer_version, length, content_hash, " \
  "min_sequence_number, added_files, added_records, added_bytes, existing_files, "         \
  "existing_records, existing_bytes, deleted_files, deleted_records, deleted_bytes"

namespace frazil::ledger {
namespace {

using iceberg::EntryStatus;

std::string_view StatusName(EntryStatus status) {
  switch (status) {
    case EntryStatus::kAdded:
      return "a";
    case EntryStatus::kExisting:
      return "e";
    case EntryStatus::kDeleted:
      break;
  }
  return "d";
}

std::optional<EntryStatus> StatusOf(std::string_view name) {
  for (const EntryStatus status :
       {EntryStatus::kAdded, EntryStatus::kExisting, EntryStatus::kDeleted}) {
    if (StatusName(status) == name) return status;
  }
  return std::nullopt;
}

std::int64_t PathHash(const std::string& path) {
  return LoadBigEndian<std::int64_t>(Sha256(AsBytes(path)).data());
}

Result<ChunkRow> ChunkOf(const Query& query) {
  RowReader reader(query);
  ChunkRow chunk;
  chunk.id = reader.Number<ChunkId>();
  chunk.added_cut = reader.Number<CutNumber>();
  chunk.added_snapshot = reader.Number<SnapshotId>();
  chunk.added_stamp = reader.Number<UnixMillis>();
  chunk.generation = reader.Number<Generation>();
  chunk.partition = reader.Number<PartitionId>();
  chunk.start = reader.Number<Offset>();
  chunk.end = reader.Number<Offset>();
  chunk.schema_version = reader.Number<SchemaVersion>();
  chunk.encoder_version = reader.Number<int>();
  chunk.content_hash = reader.Array<32>();
  chunk.file.path = reader.Text();
  chunk.file.record_count = reader.Number<std::int64_t>();
  chunk.file.file_size = reader.Number<std::int64_t>();
  auto columns = iceberg::ColumnsFromJson(reader.Text());
  FRAZIL_RETURN_IF_ERROR(reader.Check("chunks"));
  if (!columns.ok()) return columns.error().Within("a chunk's columns in the ledger");
  chunk.file.columns = std::move(columns).value();
  return chunk;
}

FileTotals TotalsOf(RowReader& reader) {
  FileTotals totals;
  totals.files = reader.Number<std::int64_t>();
  totals.records = reader.Number<std::int64_t>();
  totals.bytes = reader.Number<std::int64_t>();
  return totals;
}

Result<ManifestRow> ManifestOf(const Query& query) {
  RowReader reader(query);
  ManifestRow manifest;
  manifest.cut = reader.Number<CutNumber>();
  manifest.stamp = reader.Number<UnixMillis>();
  manifest.snapshot_id = reader.Number<SnapshotId>();
  manifest.schema_version = reader.Number<SchemaVersion>();
  manifest.nonce = reader.Text();
  manifest.writer_version = reader.Number<int>();
  manifest.length = reader.Number<std::int64_t>();
  manifest.content_hash = reader.Array<32>();
  manifest.min_sequence_number = reader.Number<SequenceNumber>();
  manifest.added = TotalsOf(reader);
  manifest.existing = TotalsOf(reader);
  manifest.deleted = TotalsOf(reader);
  FRAZIL_RETURN_IF_ERROR(reader.Check("manifests"));
  return manifest;
}

Query& Bind(Query& query, const FileTotals& totals) {
  return query.Bind(totals.files).Bind(totals.records).Bind(totals.bytes);
}

Status InsertManifestRow(Database& database, std::int64_t table_key, const ManifestRow& manifest) {
  Query query = database.Prepare("INSERT INTO manifests (" FRAZIL_MANIFEST_COLUMNS
                                 ", table_key, until_cut) "
                                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                 "?)");
  query.Bind(manifest.cut.value())
      .Bind(manifest.stamp.value())
      .Bind(manifest.snapshot_id.value())
      .Bind(std::int64_t{manifest.schema_version.value()})
      .Bind(std::string_view(manifest.nonce))
      .Bind(std::int64_t{manifest.writer_version})
      .Bind(manifest.length)
      .Bind(ByteView(manifest.content_hash))
      .Bind(manifest.min_sequence_number.value());
  Bind(Bind(Bind(query, manifest.added), manifest.existing), manifest.deleted);
  return query.Bind(table_key).Bind(kNever).Run();
}

}  // namespace

Result<std::vector<ChunkRow>> ReadLiveChunks(Database& database, std::int64_t table_key) {
  Query query = database.Prepare("SELECT " FRAZIL_CHUNK_COLUMNS
                                 " FROM chunks INDEXED BY chunks_by_end WHERE table_key = ? "
                                 "AND until_cut = ? ORDER BY id");
  query.Bind(table_key).Bind(kNever);
  std::vector<ChunkRow> chunks;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) return chunks;
    FRAZIL_ASSIGN_OR_RETURN(ChunkRow chunk, ChunkOf(query));
    chunks.push_back(std::move(chunk));
  }
}

Result<ChunkRow> ReadChunk(Database& database, std::int64_t table_key, ChunkId id) {
  Query query = database.Prepare("SELECT " FRAZIL_CHUNK_COLUMNS
                                 " FROM chunks WHERE table_key = ? AND id = ?");
  FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(table_key).Bind(id.value()).Step());
  if (!found) return MissingRow("chunks");
  return ChunkOf(query);
}

Result<std::optional<ChunkRow>> FindChunkByPath(Database& database, std::int64_t table_key,
                                                const std::string& path) {
  Query query = database.Prepare("SELECT " FRAZIL_CHUNK_COLUMNS
                                 " FROM chunks WHERE table_key = ? AND path_hash = ?");
  query.Bind(table_key).Bind(PathHash(path));
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) return std::optional<ChunkRow>();
    FRAZIL_ASSIGN_OR_RETURN(ChunkRow chunk, ChunkOf(query));
    if (chunk.file.path == path) return std::optional<ChunkRow>(std::move(chunk));
  }
}

Status InsertChunk(Database& database, std::int64_t table_key, const ChunkRow& chunk) {
  return database
      .Prepare("INSERT INTO chunks (" FRAZIL_CHUNK_COLUMNS
               ", table_key, until_cut, path_hash) "
               "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .Bind(chunk.id.value())
      .Bind(chunk.added_cut.value())
      .Bind(chunk.added_snapshot.value())
      .Bind(chunk.added_stamp.value())
      .Bind(std::int64_t{chunk.generation.value()})
      .Bind(std::int64_t{chunk.partition.value()})
      .Bind(chunk.start.value())
      .Bind(chunk.end.value())
      .Bind(std::int64_t{chunk.schema_version.value()})
      .Bind(std::int64_t{chunk.encoder_version})
      .Bind(ByteView(chunk.content_hash))
      .Bind(std::string_view(chunk.file.path))
      .Bind(chunk.file.record_count)
      .Bind(chunk.file.file_size)
      .Bind(std::string_view(iceberg::ColumnsToJson(chunk.file.columns)))
      .Bind(table_key)
      .Bind(kNever)
      .Bind(PathHash(chunk.file.path))
      .Run();
}

Result<std::optional<ManifestRow>> ReadManifest(Database& database, std::int64_t table_key,
                                                CutNumber cut) {
  Query query = database.Prepare("SELECT " FRAZIL_MANIFEST_COLUMNS
                                 " FROM manifests WHERE table_key = ? AND cut = ?");
  FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(table_key).Bind(cut.value()).Step());
  if (!found) return std::optional<ManifestRow>();
  FRAZIL_ASSIGN_OR_RETURN(ManifestRow manifest, ManifestOf(query));
  return std::optional<ManifestRow>(std::move(manifest));
}

Result<std::vector<ManifestRow>> ReadManifestList(Database& database, std::int64_t table_key,
                                                  CutNumber cut) {
  std::int64_t count = 0;
  {
    Query query = database.Prepare("SELECT manifests FROM cuts WHERE table_key = ? AND number = ?");
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(table_key).Bind(cut.value()).Step());
    if (!found) return MissingRow("cuts");
    count = query.Int(0);
  }
  // Newest first and no further than the last one: most of them are the newest.
  Query query = database.Prepare("SELECT " FRAZIL_MANIFEST_COLUMNS
                                 " FROM manifests WHERE table_key = ? AND cut <= ? "
                                 "AND +until_cut > ? ORDER BY cut DESC LIMIT ?");
  query.Bind(table_key).Bind(cut.value()).Bind(cut.value()).Bind(count);
  std::vector<ManifestRow> manifests;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) break;
    FRAZIL_ASSIGN_OR_RETURN(ManifestRow manifest, ManifestOf(query));
    manifests.push_back(std::move(manifest));
  }
  if (static_cast<std::int64_t>(manifests.size()) != count) return MissingRow("manifests");
  std::reverse(manifests.begin(), manifests.end());
  return manifests;
}

Status InsertManifest(Database& database, std::int64_t table_key, const ManifestRow& manifest) {
  FRAZIL_RETURN_IF_ERROR(InsertManifestRow(database, table_key, manifest));
  std::int64_t position = 0;
  for (const ManifestEntryRow& entry : manifest.entries) {
    FRAZIL_RETURN_IF_ERROR(
        database
            .Prepare("INSERT INTO manifest_entries (table_key, cut, position, status, chunk) "
                     "VALUES (?, ?, ?, ?, ?)")
            .Bind(table_key)
            .Bind(manifest.cut.value())
            .Bind(position++)
            .Bind(StatusName(entry.status))
            .Bind(entry.chunk.value())
            .Run());
  }
  return {};
}

Result<std::vector<ManifestEntryRow>> ReadEntries(Database& database, std::int64_t table_key,
                                                  const ManifestRow& manifest) {
  Query query = database.Prepare(
      "SELECT position, status, chunk FROM manifest_entries WHERE table_key = ? AND cut = ? "
      "ORDER BY position");
  query.Bind(table_key).Bind(manifest.cut.value());
  std::vector<ManifestEntryRow> entries;
  std::array<std::int64_t, 3> counts{};
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) break;
    RowReader reader(query);
    const auto position = reader.Number<std::int64_t>();
    const auto status = StatusOf(reader.Text());
    const auto chunk = reader.Number<ChunkId>();
    FRAZIL_RETURN_IF_ERROR(reader.Check("manifest_entries"));
    if (!status || position != static_cast<std::int64_t>(entries.size())) {
      return MissingRow("manifest_entries");
    }
    ++counts.at(static_cast<std::size_t>(*status));
    entries.push_back({.status = *status, .chunk = chunk});
  }
  if (counts != std::array{manifest.existing.files, manifest.added.files, manifest.deleted.files}) {
    return MissingRow("manifest_entries");
  }
  return entries;
}

}  // namespace frazil::ledger
