// SPDX-License-Identifier: Apache-2.0
// Where a table's line of states and cuts stands. Internal to this module.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/result.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

// The table's row, without its name.
struct TableLine {
  std::int64_t table_key = 0;
  std::int64_t topic_key = 0;
  // 0: none yet.
  std::int64_t last_state = 0;
  UnixMillis last_stamp;
  // The clock at the last state, or at an earlier one when it fell since.
  UnixMillis last_recorded;
  CutNumber last_cut;
  std::optional<SnapshotId> last_snapshot;
  // The highest id that a chunk ever had.
  ChunkId last_chunk;
  // Cuts that the last state lists.
  std::int64_t listed = 0;
  // Manifests in the last cut's list.
  std::int64_t manifests = 0;
  // Rows of lost_ranges.
  std::int64_t lost = 0;
  // States from here on have rows, and from `first_whole` on all that they need.
  std::int64_t first_row = 1;
  std::int64_t first_whole = 1;
};

// nullopt: no such table. Errors: corrupt_data, ledger.
Result<std::optional<TableLine>> FindLine(Database& database, std::int64_t table_key);
// Errors: ledger.
Status WriteLine(Database& database, const TableLine& line);

}  // namespace frazil::ledger
