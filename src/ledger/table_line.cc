// SPDX-License-Identifier: Apache-2.0
#include "ledger/table_line.h"

#include "ledger/row_reader.h"

namespace frazil::ledger {

Result<std::optional<TableLine>> FindLine(Database& database, std::int64_t table_key) {
  Query query = database.Prepare(
      "SELECT topic_key, last_state, last_stamp, last_recorded, last_cut, last_snapshot, "
      "last_chunk, listed, manifests, lost, first_row, first_whole FROM tables WHERE table_key = "
      "?");
  FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(table_key).Step());
  if (!found) return std::optional<TableLine>();
  RowReader reader(query);
  TableLine line;
  line.table_key = table_key;
  line.topic_key = reader.Number<std::int64_t>();
  line.last_state = reader.Number<std::int64_t>();
  line.last_stamp = reader.Number<UnixMillis>();
  line.last_recorded = reader.Number<UnixMillis>();
  line.last_cut = reader.Number<CutNumber>();
  line.last_snapshot = reader.Optional<SnapshotId>();
  line.last_chunk = reader.Number<ChunkId>();
  line.listed = reader.Number<std::int64_t>();
  line.manifests = reader.Number<std::int64_t>();
  line.lost = reader.Number<std::int64_t>();
  line.first_row = reader.Number<std::int64_t>();
  line.first_whole = reader.Number<std::int64_t>();
  FRAZIL_RETURN_IF_ERROR(reader.Check("tables"));
  return std::optional<TableLine>(line);
}

Status WriteLine(Database& database, const TableLine& line) {
  Query query = database.Prepare(
      "UPDATE tables SET last_state = ?, last_stamp = ?, last_recorded = ?, last_cut = ?, "
      "last_snapshot = ?, last_chunk = ?, listed = ?, manifests = ?, lost = ?, first_row = ?, "
      "first_whole = ? "
      "WHERE table_key = ?");
  query.Bind(line.last_state)
      .Bind(line.last_stamp.value())
      .Bind(line.last_recorded.value())
      .Bind(line.last_cut.value());
  if (line.last_snapshot) {
    query.Bind(line.last_snapshot->value());
  } else {
    query.BindNull();
  }
  return query.Bind(line.last_chunk.value())
      .Bind(line.listed)
      .Bind(line.manifests)
      .Bind(line.lost)
      .Bind(line.first_row)
      .Bind(line.first_whole)
      .Bind(line.table_key)
      .Run();
}

}  // namespace frazil::ledger
