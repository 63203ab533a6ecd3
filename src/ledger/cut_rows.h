// SPDX-License-Identifier: Apache-2.0
// Rows of states, cuts, their partitions, and lost ranges. Internal to this module.
// Errors of all: ledger, corrupt_data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

struct StoredState {
  StateRow row;
  // The clock when it was recorded, but never below that of the state before.
  UnixMillis recorded;
  // How many cuts it lists.
  std::int64_t listed = 0;
};

// Ascending; those of [first, last] that are there.
Result<std::vector<StoredState>> ReadStates(Database& database, std::int64_t table_key,
                                            std::int64_t first, std::int64_t last);
Status InsertState(Database& database, std::int64_t table_key, const StoredState& state);

// Without the partitions.
Result<std::optional<CutRow>> ReadCut(Database& database, std::int64_t table_key, CutNumber number);
// The cuts that a state lists, ascending, without their partitions. Errors: corrupt_data unless
// they are as many as it counts.
Result<std::vector<CutRow>> ReadListed(Database& database, std::int64_t table_key,
                                       const StoredState& state);
// `listed_from`: the first state that lists it. `manifests`: how many its list has.
Status InsertCut(Database& database, std::int64_t table_key, const CutRow& row,
                 std::int64_t listed_from, std::int64_t manifests);

// corrupt_data when the cut has none.
Result<std::vector<CutPartition>> ReadPartitions(Database& database, std::int64_t table_key,
                                                 CutNumber cut);

Result<std::vector<LostRange>> ReadLost(Database& database, std::int64_t table_key);
Status InsertLost(Database& database, std::int64_t table_key, std::int64_t position,
                  const LostRange& range);

}  // namespace frazil::ledger
