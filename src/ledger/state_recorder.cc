// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "iceberg/data_file_json.h"
#include "ledger/cut_tables.h"
#include "ledger/operation_name.h"
#include "ledger/row_reader.h"

namespace frazil::ledger {
namespace {

// The end of a table's line.
struct LastRow {
  // 0: none yet.
  std::int64_t state = 0;
  std::int64_t cut = 0;
  UnixMillis stamp;
};

std::string Place(const CutPartition& partition) {
  return "generation " + std::to_string(partition.generation.value()) + ", partition " +
         std::to_string(partition.partition.value());
}

std::pair<Generation, PartitionId> KeyOf(const CutPartition& partition) {
  return {partition.generation, partition.partition};
}

Error BadCut(const std::string& what, const CutPartition& partition) {
  return Error(ErrorCode::kInvalidArgument, "a cut " + what + ": " + Place(partition));
}

Result<LastRow> ReadLast(Database& database, std::int64_t table_key) {
  LastRow last;
  {
    Query query = database.Prepare("SELECT 1 FROM tables WHERE table_key = ?");
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(table_key).Step());
    if (!found) {
      return Error(ErrorCode::kInvalidArgument,
                   "the ledger has no table of that key: " + std::to_string(table_key));
    }
  }
  {
    Query query = database.Prepare(
        "SELECT number, stamp FROM states WHERE table_key = ? ORDER BY number DESC LIMIT 1");
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(table_key).Step());
    if (!found) return last;
    last.state = query.Int(0);
    last.stamp = UnixMillis(query.Int(1));
  }
  Query query = database.Prepare("SELECT max(number) FROM cuts WHERE table_key = ?");
  FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(table_key).Step());
  if (found) last.cut = query.Int(0);
  return last;
}

Result<std::vector<CutPartition>> ReadVector(Database& database, std::int64_t table_key,
                                             std::int64_t cut) {
  Query query = database.Prepare(
      "SELECT generation, partition, epoch, start_offset, end_offset FROM cut_partitions "
      "WHERE table_key = ? AND cut = ? ORDER BY generation, partition");
  query.Bind(table_key).Bind(cut);
  std::vector<CutPartition> partitions;
  for (;;) {
    FRAZIL_ASSIGN_OR_RETURN(const bool row, query.Step());
    if (!row) return partitions;
    RowReader reader(query);
    partitions.push_back(PartitionOf(reader));
    FRAZIL_RETURN_IF_ERROR(reader.Check("cut_partitions"));
  }
}

// R10. Until a table has its first snapshot its stamps stay at the beginning of 1970.
UnixMillis StampAfter(const LastRow& last, UnixMillis now, std::chrono::milliseconds backdate) {
  const UnixMillis next = last.stamp + 1;
  if (last.cut == 0) return next;
  return std::max(next, UnixMillis(now.value() - backdate.count()));
}

Status InsertCut(Database& database, std::int64_t table_key, const CutRow& row) {
  FRAZIL_RETURN_IF_ERROR(
      database
          .Prepare("INSERT INTO cuts (table_key, number, stamp, schema_version, nonce, "
                   "writer_version, snapshot_id, operation) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
          .Bind(table_key)
          .Bind(row.number.value())
          .Bind(row.stamp.value())
          .Bind(std::int64_t{row.schema_version.value()})
          .Bind(std::string_view(row.nonce))
          .Bind(std::int64_t{row.writer_version})
          .Bind(row.cut.snapshot_id.value())
          .Bind(NameOf(row.cut.operation))
          .Run());
  for (const CutPartition& partition : row.cut.partitions) {
    FRAZIL_RETURN_IF_ERROR(
        database
            .Prepare("INSERT INTO cut_partitions (table_key, cut, generation, partition, epoch, "
                     "start_offset, end_offset) VALUES (?, ?, ?, ?, ?, ?, ?)")
            .Bind(table_key)
            .Bind(row.number.value())
            .Bind(std::int64_t{partition.generation.value()})
            .Bind(std::int64_t{partition.partition.value()})
            .Bind(std::int64_t{partition.epoch.value()})
            .Bind(partition.start.value())
            .Bind(partition.end.value())
            .Run());
  }
  return {};
}

Status InsertChunks(Database& database, std::int64_t table_key, const CutRow& row) {
  std::int64_t position = 0;
  for (const ChunkRow& chunk : row.cut.chunks) {
    FRAZIL_RETURN_IF_ERROR(
        database
            .Prepare("INSERT INTO chunks (table_key, cut, position, generation, partition, "
                     "start_offset, end_offset, schema_version, encoder_version, content_hash, "
                     "path, record_count, file_size, columns) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .Bind(table_key)
            .Bind(row.number.value())
            .Bind(position++)
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
            .Run());
  }
  return {};
}

Status InsertState(Database& database, std::int64_t table_key, const StateRow& row) {
  Query query = database.Prepare(
      "INSERT INTO states (table_key, number, stamp, cut, schema_version, nonce, writer_version) "
      "VALUES (?, ?, ?, ?, ?, ?, ?)");
  query.Bind(table_key).Bind(row.number).Bind(row.stamp.value());
  if (row.cut.value() == 0) {
    query.BindNull();
  } else {
    query.Bind(row.cut.value());
  }
  return query.Bind(std::int64_t{row.schema_version.value()})
      .Bind(std::string_view(row.nonce))
      .Bind(std::int64_t{row.writer_version})
      .Run();
}

Status CheckCut(Database& database, std::int64_t table_key, const LastRow& last,
                const NewCut& cut) {
  FRAZIL_ASSIGN_OR_RETURN(const auto before, ReadVector(database, table_key, last.cut));
  FRAZIL_RETURN_IF_ERROR(CheckVector(before, cut.partitions));
  Query query = database.Prepare("SELECT 1 FROM cuts WHERE table_key = ? AND snapshot_id = ?");
  FRAZIL_ASSIGN_OR_RETURN(const bool taken,
                          query.Bind(table_key).Bind(cut.snapshot_id.value()).Step());
  if (taken) {
    return Error(ErrorCode::kInvalidArgument, "another cut of the table has that snapshot id: " +
                                                  std::to_string(cut.snapshot_id.value()));
  }
  return {};
}

}  // namespace

Status CheckVector(const std::vector<CutPartition>& before,
                   const std::vector<CutPartition>& after) {
  const CutPartition* previous = nullptr;
  for (const CutPartition& partition : after) {
    if (previous != nullptr && KeyOf(*previous) >= KeyOf(partition)) {
      return BadCut("does not list its partitions in ascending order", partition);
    }
    if (partition.generation.value() < 0 || partition.partition.value() < 0 ||
        partition.start.value() < 0 || partition.end < partition.start) {
      return BadCut("has a range that ends before it starts, or a negative number", partition);
    }
    previous = &partition;
  }
  auto next = after.begin();
  for (const CutPartition& old : before) {
    while (next != after.end() && KeyOf(*next) < KeyOf(old)) ++next;
    if (next == after.end() || KeyOf(*next) != KeyOf(old)) {
      return BadCut("leaves out a partition of the cut before it", old);
    }
    if (next->start < old.start || next->end < old.end) {
      return BadCut("starts or ends below the cut before it", old);
    }
  }
  return {};
}

Result<RecordedState> RecordState(Database& database, std::int64_t table_key,
                                  std::int64_t expected_last_state, const NewState& state,
                                  const std::string& nonce, UnixMillis now) {
  FRAZIL_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  FRAZIL_ASSIGN_OR_RETURN(const LastRow last, ReadLast(database, table_key));
  if (last.state != expected_last_state) {
    return Error(ErrorCode::kConflict,
                 "another state of the table was recorded first; read its history again: state " +
                     std::to_string(last.state));
  }
  RecordedState recorded;
  recorded.state = {.number = last.state + 1,
                    .stamp = StampAfter(last, now, state.backdate),
                    .cut = CutNumber(last.cut),
                    .schema_version = state.schema_version,
                    .nonce = nonce,
                    .writer_version = state.writer_version};
  if (state.cut.has_value()) {
    FRAZIL_RETURN_IF_ERROR(CheckCut(database, table_key, last, *state.cut));
    recorded.state.cut = CutNumber(last.cut + 1);
    recorded.cut = CutRow{.number = recorded.state.cut,
                          .stamp = recorded.state.stamp,
                          .schema_version = state.schema_version,
                          .nonce = nonce,
                          .writer_version = state.writer_version,
                          .cut = *state.cut};
    FRAZIL_RETURN_IF_ERROR(InsertCut(database, table_key, *recorded.cut));
    FRAZIL_RETURN_IF_ERROR(InsertChunks(database, table_key, *recorded.cut));
  }
  FRAZIL_RETURN_IF_ERROR(InsertState(database, table_key, recorded.state));
  FRAZIL_RETURN_IF_ERROR(transaction.Commit());
  return recorded;
}

}  // namespace frazil::ledger
