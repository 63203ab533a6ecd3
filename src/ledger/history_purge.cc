// SPDX-License-Identifier: Apache-2.0
#include "ledger/history_purge.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "ledger/cut_rows.h"
#include "ledger/ledger_tables.h"
#include "ledger/row_reader.h"
#include "ledger/table_line.h"

namespace frazil::ledger {
namespace {

// Beyond the retention: between the recording of a state and the end of the answer that shows it.
constexpr std::chrono::milliseconds kGrace = std::chrono::minutes(5);
constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 365 * 100);

// One call, within a transaction that the caller ends. A manifest whose row is gone leaves its
// entries to later calls; a chunk goes with the last entry that names it.
class Purging {
 public:
  Purging(Database& database, const TableLine& line) : database_(database), line_(line) {}

  // Returns how many rows went.
  Result<std::int64_t> Run(UnixMillis handed_out_since) {
    FRAZIL_RETURN_IF_ERROR(RemoveEntries());
    FRAZIL_ASSIGN_OR_RETURN(const std::int64_t first, FirstHandedOut(handed_out_since));
    constexpr auto kPrevious = static_cast<std::int64_t>(kPreviousStates);
    line_.first_whole = std::max(line_.first_whole, first - kPrevious);
    FRAZIL_RETURN_IF_ERROR(RemoveStates(first - 2 * kPrevious));
    FRAZIL_RETURN_IF_ERROR(RemoveCuts());
    FRAZIL_RETURN_IF_ERROR(RemoveEntries());
    FRAZIL_RETURN_IF_ERROR(WriteLine(database_, line_));
    return removed_;
  }

 private:
  std::int64_t Left() const { return std::max<std::int64_t>(0, kPurgedRows - removed_); }

  // The first state that was handed out since then, as far as this call goes.
  Result<std::int64_t> FirstHandedOut(UnixMillis since) {
    FRAZIL_ASSIGN_OR_RETURN(
        const auto states,
        ReadStates(database_, line_.table_key, line_.first_row,
                   line_.first_row + 2 * static_cast<std::int64_t>(kPreviousStates) + kPurgedRows));
    if (states.empty() || states.front().row.number != line_.first_row) {
      return MissingRow("states");
    }
    // Each was handed out until the next one came.
    for (std::size_t i = 1; i < states.size(); ++i) {
      if (states[i].recorded > since) return states[i].row.number - 1;
    }
    return states.back().row.number;
  }

  Status RemoveStates(std::int64_t before) {
    before = std::min(before, line_.first_row + Left());
    if (before <= line_.first_row) return {};
    FRAZIL_RETURN_IF_ERROR(
        database_.Prepare("DELETE FROM states WHERE table_key = ? AND number < ?")
            .Bind(line_.table_key)
            .Bind(before)
            .Run());
    removed_ += database_.Changes();
    line_.first_row = before;
    return {};
  }

  Result<std::vector<std::int64_t>> Numbers(Query& query) {
    std::vector<std::int64_t> numbers;
    for (;;) {
      FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Step());
      if (!found) return numbers;
      numbers.push_back(query.Int(0));
    }
  }

  // Cuts that no whole state lists.
  Status RemoveCuts() {
    std::vector<std::int64_t> cuts;
    {
      Query query = database_.Prepare(
          "SELECT number FROM cuts INDEXED BY cuts_by_listing WHERE table_key = ? "
          "AND listed_until <= ? ORDER BY listed_until LIMIT ?");
      query.Bind(line_.table_key).Bind(line_.first_whole).Bind(Left());
      FRAZIL_ASSIGN_OR_RETURN(cuts, Numbers(query));
    }
    for (const std::int64_t cut : cuts) {
      if (Left() == 0) return {};
      FRAZIL_RETURN_IF_ERROR(RemoveCut(cut));
    }
    return {};
  }

  Status RemoveCut(std::int64_t cut) {
    FRAZIL_RETURN_IF_ERROR(
        database_.Prepare("DELETE FROM cut_partitions WHERE table_key = ? AND cut = ?")
            .Bind(line_.table_key)
            .Bind(cut)
            .Run());
    FRAZIL_RETURN_IF_ERROR(database_.Prepare("DELETE FROM cuts WHERE table_key = ? AND number = ?")
                               .Bind(line_.table_key)
                               .Bind(cut)
                               .Run());
    removed_ += 2;
    return RemoveManifests(cut);
  }

  // Those that no cut lists now that `cut` is gone: between its neighbours they come and go.
  Status RemoveManifests(std::int64_t cut) {
    std::vector<std::int64_t> manifests;
    FRAZIL_ASSIGN_OR_RETURN(
        const std::int64_t before,
        Neighbour("SELECT max(number) FROM cuts WHERE table_key = ? AND number < ?", cut));
    FRAZIL_ASSIGN_OR_RETURN(
        const std::int64_t after,
        Neighbour("SELECT min(number) FROM cuts WHERE table_key = ? AND number > ?", cut));
    {
      Query query = database_.Prepare(
          "SELECT cut FROM manifests INDEXED BY manifests_by_end WHERE table_key = ? "
          "AND until_cut > ? AND until_cut <= ? AND cut > ?");
      query.Bind(line_.table_key).Bind(cut).Bind(after).Bind(before);
      FRAZIL_ASSIGN_OR_RETURN(manifests, Numbers(query));
    }
    for (const std::int64_t manifest : manifests) {
      FRAZIL_RETURN_IF_ERROR(
          database_.Prepare("DELETE FROM manifests WHERE table_key = ? AND cut = ?")
              .Bind(line_.table_key)
              .Bind(manifest)
              .Run());
      FRAZIL_RETURN_IF_ERROR(
          database_.Prepare("INSERT INTO removed_manifests (table_key, cut) VALUES (?, ?)")
              .Bind(line_.table_key)
              .Bind(manifest)
              .Run());
      ++removed_;
    }
    return {};
  }

  // The number of the cut before or after one; 0 for none (there is always a last cut).
  Result<std::int64_t> Neighbour(std::string_view sql, std::int64_t cut) {
    Query query = database_.Prepare(sql);
    FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(line_.table_key).Bind(cut).Step());
    return found ? query.Int(0) : 0;
  }

  Status RemoveEntries() {
    while (Left() > 0) {
      std::int64_t manifest = 0;
      {
        Query query =
            database_.Prepare("SELECT cut FROM removed_manifests WHERE table_key = ? LIMIT 1");
        FRAZIL_ASSIGN_OR_RETURN(const bool found, query.Bind(line_.table_key).Step());
        if (!found) return {};
        manifest = query.Int(0);
      }
      FRAZIL_RETURN_IF_ERROR(RemoveEntriesOf(manifest));
    }
    return {};
  }

  // As many as this call may; the manifest leaves the queue after the last one.
  Status RemoveEntriesOf(std::int64_t manifest) {
    std::vector<std::int64_t> chunks;
    const std::int64_t limit = Left();
    {
      Query query = database_.Prepare(
          "SELECT chunk FROM manifest_entries WHERE table_key = ? AND cut = ? "
          "ORDER BY position LIMIT ?");
      query.Bind(line_.table_key).Bind(manifest).Bind(limit);
      FRAZIL_ASSIGN_OR_RETURN(chunks, Numbers(query));
    }
    FRAZIL_RETURN_IF_ERROR(
        database_
            .Prepare("DELETE FROM manifest_entries WHERE table_key = ?1 AND cut = ?2 "
                     "AND position IN (SELECT position FROM manifest_entries "
                     "WHERE table_key = ?1 AND cut = ?2 ORDER BY position LIMIT ?3)")
            .Bind(line_.table_key)
            .Bind(manifest)
            .Bind(limit)
            .Run());
    removed_ += database_.Changes();
    for (const std::int64_t chunk : chunks) FRAZIL_RETURN_IF_ERROR(RemoveUnnamed(chunk));
    if (static_cast<std::int64_t>(chunks.size()) == limit) return {};
    return database_.Prepare("DELETE FROM removed_manifests WHERE table_key = ? AND cut = ?")
        .Bind(line_.table_key)
        .Bind(manifest)
        .Run();
  }

  Status RemoveUnnamed(std::int64_t chunk) {
    FRAZIL_RETURN_IF_ERROR(
        database_
            .Prepare("DELETE FROM chunks WHERE table_key = ?1 AND id = ?2 AND NOT EXISTS "
                     "(SELECT 1 FROM manifest_entries WHERE table_key = ?1 AND chunk = ?2)")
            .Bind(line_.table_key)
            .Bind(chunk)
            .Run());
    removed_ += database_.Changes();
    return {};
  }

  Database& database_;
  TableLine line_;
  std::int64_t removed_ = 0;
};

}  // namespace

Result<std::int64_t> Purge(Database& database, std::int64_t table_key,
                           std::chrono::milliseconds retention, UnixMillis now) {
  FRAZIL_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  FRAZIL_ASSIGN_OR_RETURN(const auto line, FindLine(database, table_key));
  if (!line || line->last_state == 0) return 0;
  const auto kept = std::clamp(retention, std::chrono::milliseconds(0), kLongest) + kGrace;
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t removed,
                          Purging(database, *line).Run(UnixMillis(now.value() - kept.count())));
  if (removed > 0) FRAZIL_RETURN_IF_ERROR(transaction.Commit());
  return removed;
}

}  // namespace frazil::ledger
