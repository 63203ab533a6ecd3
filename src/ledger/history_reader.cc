// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "iceberg/data_file_json.h"
#include "ledger/cut_tables.h"
#include "ledger/operation_name.h"
#include "ledger/row_reader.h"

namespace frazil::ledger {
namespace {

using Cuts = std::vector<CutRow>;

// A row that belongs to no cut, or stands twice: rows come in the order of the cuts.
Error Stray(const std::string& table) {
  return Error(ErrorCode::kCorruptData,
               "the ledger holds a row without its cut; put back a copy of it: table " + table);
}

// Moves `at` on to the cut with that number.
bool FindCut(const Cuts& cuts, std::int64_t number, std::size_t& at) {
  while (at < cuts.size() && cuts[at].number.value() < number) ++at;
  return at < cuts.size() && cuts[at].number.value() == number;
}

Result<Cuts> ReadCuts(Database& database, std::int64_t table_key) {
  Query query = database.Prepare(
      "SELECT number, stamp, schema_version, nonce, writer_version, snapshot_id, operation "
      "FROM cuts WHERE table_key = ? ORDER BY number");
  query.Bind(table_key);
  Cuts cuts;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool row, query.Step());
    if (!row) return cuts;
    RowReader reader(query);
    CutRow& cut = cuts.emplace_back();
    cut.number = reader.Number<CutNumber>();
    cut.stamp = reader.Number<UnixMillis>();
    cut.schema_version = reader.Number<SchemaVersion>();
    cut.nonce = reader.Text();
    cut.writer_version = reader.Number<int>();
    cut.cut.snapshot_id = reader.Number<SnapshotId>();
    FRAZIL_ASSIGN_OR_RETURN(cut.cut.operation, OperationOf(reader.Text()));
    FRAZIL_RETURN_IF_ERROR(reader.Check("cuts"));
  }
}

Status ReadPartitions(Database& database, std::int64_t table_key, Cuts& cuts) {
  Query query = database.Prepare(
      "SELECT cut, generation, partition, epoch, start_offset, end_offset "
      "FROM cut_partitions WHERE table_key = ? ORDER BY cut, generation, partition");
  query.Bind(table_key);
  std::size_t at = 0;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool row, query.Step());
    if (!row) return {};
    RowReader reader(query);
    if (!FindCut(cuts, reader.Number<std::int64_t>(), at)) return Stray("cut_partitions");
    cuts[at].cut.partitions.push_back(PartitionOf(reader));
    FRAZIL_RETURN_IF_ERROR(reader.Check("cut_partitions"));
  }
}

Status ReadChunks(Database& database, std::int64_t table_key, Cuts& cuts) {
  Query query = database.Prepare(
      "SELECT cut, generation, partition, start_offset, end_offset, schema_version, "
      "encoder_version, content_hash, path, record_count, file_size, columns "
      "FROM chunks WHERE table_key = ? ORDER BY cut, position");
  query.Bind(table_key);
  std::size_t at = 0;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool row, query.Step());
    if (!row) return {};
    RowReader reader(query);
    if (!FindCut(cuts, reader.Number<std::int64_t>(), at)) return Stray("chunks");
    ChunkRow& chunk = cuts[at].cut.chunks.emplace_back();
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
    FRAZIL_RETURN_IF_ERROR(reader.Check("chunks"));
    auto columns = iceberg::ColumnsFromJson(reader.Text());
    if (!columns.ok()) return columns.error().Within("a chunk's columns in the ledger");
    chunk.file.columns = std::move(columns).value();
  }
}

Result<std::vector<StateRow>> ReadStates(Database& database, std::int64_t table_key) {
  Query query = database.Prepare(
      "SELECT number, stamp, cut, schema_version, nonce, writer_version "
      "FROM states WHERE table_key = ? ORDER BY number");
  query.Bind(table_key);
  std::vector<StateRow> states;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool row, query.Step());
    if (!row) return states;
    RowReader reader(query);
    StateRow& state = states.emplace_back();
    state.number = reader.Number<std::int64_t>();
    state.stamp = reader.Number<UnixMillis>();
    state.cut = reader.Number<CutNumber>();
    state.schema_version = reader.Number<SchemaVersion>();
    state.nonce = reader.Text();
    state.writer_version = reader.Number<int>();
    FRAZIL_RETURN_IF_ERROR(reader.Check("states"));
  }
}

}  // namespace

Result<TableHistory> ReadHistory(Database& database, std::int64_t table_key) {
  TableHistory history;
  FRAZIL_ASSIGN_OR_RETURN(history.cuts, ReadCuts(database, table_key));
  FRAZIL_RETURN_IF_ERROR(ReadPartitions(database, table_key, history.cuts));
  FRAZIL_RETURN_IF_ERROR(ReadChunks(database, table_key, history.cuts));
  FRAZIL_ASSIGN_OR_RETURN(history.states, ReadStates(database, table_key));
  return history;
}

}  // namespace frazil::ledger
