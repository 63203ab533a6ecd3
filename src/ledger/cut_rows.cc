// SPDX-License-Identifier: Apache-2.0
#include "ledger/cut_rows.h"

#include <algorithm>
#include <utility>

#include "ledger/ledger_tables.h"
#include "ledger/operation_name.h"
#include "ledger/partition_vector.h"
#include "ledger/row_reader.h"

#define FRAZIL_CUT_COLUMNS                                                                  \
  "number, stamp, schema_version, nonce, writer_version, snapshot_id, parent_snapshot_id, " \
  "operation, added_files, added_records, added_bytes, removed_files, removed_records, "    \
  "removed_bytes, total_files, total_records, total_bytes"

namespace frazil::ledger {
namespace {

FileTotals TotalsOf(RowReader& reader) {
  FileTotals totals;
  totals.files = reader.Number<std::int64_t>();
  totals.records = reader.Number<std::int64_t>();
  totals.bytes = reader.Number<std::int64_t>();
  return totals;
}

Query& Bind(Query& query, const FileTotals& totals) {
  return query.Bind(totals.files).Bind(totals.records).Bind(totals.bytes);
}

Result<CutRow> CutOf(const Query& query) {
  RowReader reader(query);
  CutRow cut;
  cut.number = reader.Number<CutNumber>();
  cut.stamp = reader.Number<UnixMillis>();
  cut.schema_version = reader.Number<SchemaVersion>();
  cut.nonce = reader.Text();
  cut.writer_version = reader.Number<int>();
  cut.snapshot_id = reader.Number<SnapshotId>();
  cut.parent_snapshot_id = reader.Optional<SnapshotId>();
  FRAZIL_ASSIGN_OR_RETURN(cut.operation, OperationOf(reader.Text()));
  cut.added = TotalsOf(reader);
  cut.removed = TotalsOf(reader);
  cut.total = TotalsOf(reader);
  FRAZIL_RETURN_IF_ERROR(reader.Check("cuts"));
  return cut;
}

}  // namespace

Result<std::vector<StoredState>> ReadStates(Database& database, std::int64_t table_key,
                                            std::int64_t first, std::int64_t last) {
  Query query = database.Prepare(
      "SELECT number, stamp, cut, schema_version, nonce, writer_version, recorded, listed "
      "FROM states WHERE table_key = ? AND number BETWEEN ? AND ? ORDER BY number");
  query.Bind(table_key).Bind(first).Bind(last);
  std::vector<StoredState> states;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) return states;
    RowReader reader(query);
    StoredState& state = states.emplace_back();
    state.row.number = reader.Number<std::int64_t>();
    state.row.stamp = reader.Number<UnixMillis>();
    state.row.cut = reader.Number<CutNumber>();
    state.row.schema_version = reader.Number<SchemaVersion>();
    state.row.nonce = reader.Text();
    state.row.writer_version = reader.Number<int>();
    state.recorded = reader.Number<UnixMillis>();
    state.listed = reader.Number<std::int64_t>();
    FRAZIL_RETURN_IF_ERROR(reader.Check("states"));
  }
}

Status InsertState(Database& database, std::int64_t table_key, const StoredState& state) {
  return database
      .Prepare(
          "INSERT INTO states (table_key, number, stamp, cut, schema_version, nonce, "
          "writer_version, recorded, listed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .Bind(table_key)
      .Bind(state.row.number)
      .Bind(state.row.stamp.value())
      .Bind(state.row.cut.value())
      .Bind(std::int64_t{state.row.schema_version.value()})
      .Bind(std::string_view(state.row.nonce))
      .Bind(std::int64_t{state.row.writer_version})
      .Bind(state.recorded.value())
      .Bind(state.listed)
      .Run();
}

Result<std::optional<CutRow>> ReadCut(Database& database, std::int64_t table_key,
                                      CutNumber number) {
  Query query = database.Prepare("SELECT " FRAZIL_CUT_COLUMNS
                                 " FROM cuts WHERE table_key = ? AND number = ?");
  FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(table_key).Bind(number.value()).Step());
  if (!found) return std::optional<CutRow>();
  FRAZIL_ASSIGN_OR_RETURN(CutRow cut, CutOf(query));
  return std::optional<CutRow>(std::move(cut));
}

Result<std::vector<CutRow>> ReadListed(Database& database, std::int64_t table_key,
                                       const StoredState& state) {
  // Newest first and no further than the last one: most of them are the newest.
  Query query = database.Prepare("SELECT " FRAZIL_CUT_COLUMNS
                                 " FROM cuts WHERE table_key = ? AND number <= ? "
                                 "AND +listed_until > ? AND +listed_from <= ? "
                                 "ORDER BY number DESC LIMIT ?");
  query.Bind(table_key).Bind(state.row.cut.value());
  query.Bind(state.row.number).Bind(state.row.number).Bind(state.listed);
  std::vector<CutRow> cuts;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) break;
    FRAZIL_ASSIGN_OR_RETURN(CutRow cut, CutOf(query));
    cuts.push_back(std::move(cut));
  }
  if (static_cast<std::int64_t>(cuts.size()) != state.listed) return MissingRow("cuts");
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

Status InsertCut(Database& database, std::int64_t table_key, const CutRow& row,
                 std::int64_t listed_from, std::int64_t manifests) {
  {
    Query query = database.Prepare("INSERT INTO cuts (" FRAZIL_CUT_COLUMNS
                                   ", table_key, manifests, listed_from, listed_until) "
                                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                   "?, ?, ?, ?)");
    query.Bind(row.number.value())
        .Bind(row.stamp.value())
        .Bind(std::int64_t{row.schema_version.value()})
        .Bind(std::string_view(row.nonce))
        .Bind(std::int64_t{row.writer_version})
        .Bind(row.snapshot_id.value());
    if (row.parent_snapshot_id) {
      query.Bind(row.parent_snapshot_id->value());
    } else {
      query.BindNull();
    }
    query.Bind(NameOf(row.operation));
    Bind(Bind(Bind(query, row.added), row.removed), row.total);
    FRAZIL_RETURN_IF_ERROR(
        query.Bind(table_key).Bind(manifests).Bind(listed_from).Bind(kNever).Run());
  }
  return database
      .Prepare("INSERT INTO cut_partitions (table_key, cut, partitions) VALUES (?, ?, ?)")
      .Bind(table_key)
      .Bind(row.number.value())
      .Bind(ByteView(EncodePartitions(row.partitions)))
      .Run();
}

Result<std::vector<CutPartition>> ReadPartitions(Database& database, std::int64_t table_key,
                                                 CutNumber cut) {
  Query query =
      database.Prepare("SELECT partitions FROM cut_partitions WHERE table_key = ? AND cut = ?");
  FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(table_key).Bind(cut.value()).Step());
  if (!found) return MissingRow("cut_partitions");
  return DecodePartitions(query.Blob(0));
}

Result<std::vector<LostRange>> ReadLost(Database& database, std::int64_t table_key) {
  Query query = database.Prepare(
      "SELECT position, generation, partition, start_offset, end_offset, reason, stamp "
      "FROM lost_ranges WHERE table_key = ? ORDER BY position");
  query.Bind(table_key);
  std::vector<LostRange> ranges;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
    if (!found) return ranges;
    RowReader reader(query);
    const auto position = reader.Number<std::int64_t>();
    LostRange& range = ranges.emplace_back();
    range.generation = reader.Number<Generation>();
    range.partition = reader.Number<PartitionId>();
    range.start = reader.Number<Offset>();
    range.end = reader.Number<Offset>();
    range.reason = reader.Text();
    range.stamp = reader.Number<UnixMillis>();
    FRAZIL_RETURN_IF_ERROR(reader.Check("lost_ranges"));
    if (position != static_cast<std::int64_t>(ranges.size())) return MissingRow("lost_ranges");
  }
}

Status InsertLost(Database& database, std::int64_t table_key, std::int64_t position,
                  const LostRange& range) {
  return database
      .Prepare(
          "INSERT INTO lost_ranges (table_key, position, generation, partition, "
          "start_offset, end_offset, reason, stamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .Bind(table_key)
      .Bind(position)
      .Bind(std::int64_t{range.generation.value()})
      .Bind(std::int64_t{range.partition.value()})
      .Bind(range.start.value())
      .Bind(range.end.value())
      .Bind(std::string_view(range.reason))
      .Bind(range.stamp.value())
      .Run();
}

}  // namespace frazil::ledger
