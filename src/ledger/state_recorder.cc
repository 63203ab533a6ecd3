// SPDX-License-Identifier: Apache-2.0
#include "ledger/state_recorder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "ledger/cut_check.h"
#include "ledger/cut_rows.h"
#include "ledger/file_rows.h"
#include "ledger/ledger_tables.h"
#include "ledger/row_reader.h"
#include "ledger/table_line.h"
#include "ledger/topic_tables.h"

namespace frazil::ledger {
namespace {

// Errors whose caller has to change what it gives.
Error Refused(const std::string& what) { return Error(ErrorCode::kInvalidArgument, what); }

// One call, within a transaction that the caller ends.
class Recording {
 public:
  Recording(Database& database, const TableLine& line, const NewState& state,
            const std::string& nonce, UnixMillis now)
      : database_(database), line_(line), state_(state), nonce_(nonce), now_(now) {}

  Result<RecordedState> Run() {
    RecordedState recorded;
    number_ = line_.last_state + 1;
    FRAZIL_RETURN_IF_ERROR(OpenNextGeneration());
    FRAZIL_RETURN_IF_ERROR(Unlist());
    for (const NewCut& cut : state_.cuts) {
      FRAZIL_ASSIGN_OR_RETURN(CutRow row, RecordCut(cut));
      recorded.cuts.push_back(std::move(row));
    }
    recorded.state = {.number = number_,
                      .stamp = state_.cuts.empty() ? NextStamp() : line_.last_stamp,
                      .cut = line_.last_cut,
                      .schema_version = state_.schema_version,
                      .nonce = nonce_,
                      .writer_version = state_.writer_version};
    line_.last_state = number_;
    line_.last_stamp = recorded.state.stamp;
    line_.last_recorded = std::max(line_.last_recorded, now_);
    FRAZIL_RETURN_IF_ERROR(InsertState(
        database_, line_.table_key,
        {.row = recorded.state, .recorded = line_.last_recorded, .listed = line_.listed}));
    FRAZIL_RETURN_IF_ERROR(WriteLine(database_, line_));
    return recorded;
  }

 private:
  // R10. Until a table has its first snapshot its stamps stay at the beginning of 1970.
  UnixMillis NextStamp() const {
    const UnixMillis next = line_.last_stamp + 1;
    if (line_.last_cut.value() == 0) return next;
    return std::max(next, UnixMillis(now_.value() - state_.backdate.count()));
  }

  Status OpenNextGeneration() {
    if (state_.generation) {
      FRAZIL_RETURN_IF_ERROR(OpenGeneration(database_, line_.topic_key, *state_.generation));
    }
    FRAZIL_ASSIGN_OR_RETURN(const auto current, CurrentGeneration(database_, line_.topic_key));
    if (!current) return MissingRow("topics");
    generation_ = *current;
    return {};
  }

  Status Unlist() {
    for (const CutNumber cut : state_.unlisted) {
      const bool shown = cut == line_.last_cut && state_.cuts.empty();
      if (!shown) {
        FRAZIL_RETURN_IF_ERROR(
            database_
                .Prepare("UPDATE cuts SET listed_until = ? WHERE table_key = ? AND number = ? "
                         "AND listed_until = ?")
                .Bind(number_)
                .Bind(line_.table_key)
                .Bind(cut.value())
                .Bind(kNever)
                .Run());
      }
      if (shown || database_.Changes() != 1) {
        return Refused("a state unlists a cut that is not listed, or that it shows: " +
                       std::to_string(cut.value()));
      }
      --line_.listed;
    }
    return {};
  }

  Result<CutRow> RecordCut(const NewCut& cut) {
    FRAZIL_RETURN_IF_ERROR(CheckPartitions(cut));
    FRAZIL_RETURN_IF_ERROR(CheckSnapshot(cut.snapshot_id));
    FRAZIL_RETURN_IF_ERROR(CheckLost(cut.lost));
    FRAZIL_ASSIGN_OR_RETURN(const FileStep step, CheckFiles(database_, line_, cut));
    CutRow row{.number = line_.last_cut + 1,
               .stamp = NextStamp(),
               .schema_version = state_.schema_version,
               .nonce = nonce_,
               .writer_version = state_.writer_version,
               .snapshot_id = cut.snapshot_id,
               .parent_snapshot_id = line_.last_snapshot,
               .operation = cut.operation,
               .partitions = cut.partitions,
               .added = step.added,
               .removed = step.removed,
               .total = {}};
    FRAZIL_ASSIGN_OR_RETURN(row.total, TotalAfter(step));
    line_.manifests +=
        (cut.manifest ? 1 : 0) - static_cast<std::int64_t>(cut.removed_manifests.size());
    FRAZIL_RETURN_IF_ERROR(InsertCut(database_, line_.table_key, row, number_, line_.manifests));
    FRAZIL_RETURN_IF_ERROR(RemoveFiles(cut, row.number));
    FRAZIL_RETURN_IF_ERROR(AddFiles(cut, row));
    for (LostRange range : cut.lost) {
      range.stamp = row.stamp;
      FRAZIL_RETURN_IF_ERROR(InsertLost(database_, line_.table_key, ++line_.lost, range));
    }
    line_.last_cut = row.number;
    line_.last_stamp = row.stamp;
    line_.last_snapshot = row.snapshot_id;
    ++line_.listed;
    return row;
  }

  Status CheckPartitions(const NewCut& cut) const {
    std::vector<CutPartition> before;
    if (line_.last_cut.value() > 0) {
      FRAZIL_ASSIGN_OR_RETURN(before, ReadPartitions(database_, line_.table_key, line_.last_cut));
    }
    FRAZIL_RETURN_IF_ERROR(CheckVector(before, cut.partitions));
    if (cut.partitions.empty() || cut.partitions.back().generation <= generation_) return {};
    return Refused("a cut has a generation that the topic has not opened: " +
                   std::to_string(cut.partitions.back().generation.value()));
  }

  Status CheckSnapshot(SnapshotId id) const {
    Query query = database_.Prepare("SELECT 1 FROM cuts WHERE table_key = ? AND snapshot_id = ?");
    FRAZIL_ASSIGN_OR_RETURN(const bool taken, query.Bind(line_.table_key).Bind(id.value()).Step());
    if (!taken) return {};
    return Refused("another cut of the table has that snapshot id: " + std::to_string(id.value()));
  }

  static Status CheckLost(const std::vector<LostRange>& lost) {
    constexpr std::array<std::string_view, 3> kReasons = {"expired", "recreated", "diverged"};
    for (const LostRange& range : lost) {
      if (std::find(kReasons.begin(), kReasons.end(), range.reason) == kReasons.end() ||
          range.start.value() < 0 || range.end < range.start) {
        return Refused("a lost range has no range, or a reason that is none: " +
                       Printable(range.reason));
      }
    }
    return {};
  }

  Result<FileTotals> TotalAfter(const FileStep& step) const {
    FileTotals total;
    if (line_.last_cut.value() > 0) {
      FRAZIL_ASSIGN_OR_RETURN(const auto last, ReadCut(database_, line_.table_key, line_.last_cut));
      if (!last) return MissingRow("cuts");
      total = last->total;
    }
    total.files += step.added.files - step.removed.files;
    total.records += step.added.records - step.removed.records;
    total.bytes += step.added.bytes - step.removed.bytes;
    return total;
  }

  Status RemoveFiles(const NewCut& cut, CutNumber number) {
    for (const ChunkId chunk : cut.removed_chunks) {
      FRAZIL_RETURN_IF_ERROR(
          database_
              .Prepare("UPDATE chunks SET until_cut = ? WHERE table_key = ? AND id = ? "
                       "AND until_cut = ?")
              .Bind(number.value())
              .Bind(line_.table_key)
              .Bind(chunk.value())
              .Bind(kNever)
              .Run());
      if (database_.Changes() != 1) return MissingRow("chunks");
    }
    for (const CutNumber manifest : cut.removed_manifests) {
      FRAZIL_RETURN_IF_ERROR(
          database_.Prepare("UPDATE manifests SET until_cut = ? WHERE table_key = ? AND cut = ?")
              .Bind(number.value())
              .Bind(line_.table_key)
              .Bind(manifest.value())
              .Run());
    }
    return {};
  }

  Status AddFiles(const NewCut& cut, const CutRow& row) {
    for (ChunkRow chunk : cut.chunks) {
      chunk.added_cut = row.number;
      chunk.added_snapshot = row.snapshot_id;
      chunk.added_stamp = row.stamp;
      FRAZIL_RETURN_IF_ERROR(InsertChunk(database_, line_.table_key, chunk));
      line_.last_chunk = std::max(line_.last_chunk, chunk.id);
    }
    if (!cut.manifest) return {};
    const NewManifest& manifest = *cut.manifest;
    return InsertManifest(database_, line_.table_key,
                          {.cut = row.number,
                           .stamp = row.stamp,
                           .snapshot_id = row.snapshot_id,
                           .schema_version = row.schema_version,
                           .nonce = row.nonce,
                           .writer_version = row.writer_version,
                           .length = manifest.length,
                           .content_hash = manifest.content_hash,
                           .min_sequence_number = manifest.min_sequence_number,
                           .added = manifest.added,
                           .existing = manifest.existing,
                           .deleted = manifest.deleted,
                           .entries = manifest.entries});
  }

  Database& database_;
  TableLine line_;
  const NewState& state_;
  const std::string& nonce_;
  const UnixMillis now_;
  std::int64_t number_ = 0;
  Generation generation_;
};

}  // namespace

Result<RecordedState> RecordState(Database& database, std::int64_t table_key,
                                  std::int64_t expected_last_state, const NewState& state,
                                  const std::string& nonce, UnixMillis now) {
  FRAZIL_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  FRAZIL_ASSIGN_OR_RETURN(const auto line, FindLine(database, table_key));
  if (!line) {
    return Refused("the ledger has no table of that key: " + std::to_string(table_key));
  }
  if (line->last_state != expected_last_state) {
    return Error(ErrorCode::kConflict,
                 "another state of the table was recorded first; read its history again: state " +
                     std::to_string(line->last_state));
  }
  FRAZIL_ASSIGN_OR_RETURN(RecordedState recorded,
                          Recording(database, *line, state, nonce, now).Run());
  FRAZIL_RETURN_IF_ERROR(transaction.Commit());
  return recorded;
}

}  // namespace frazil::ledger
