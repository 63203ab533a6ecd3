// SPDX-License-Identifier: Apache-2.0
// Reading and recording cuts and states. Internal to this module.
#pragma once

#include <string>

#include "base/result.h"
#include "ledger/ledger.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

Result<TableHistory> ReadHistory(Database& database, std::int64_t table_key);

// As Ledger::RecordState, at the moment `now`.
Result<RecordedState> RecordState(Database& database, std::int64_t table_key,
                                  std::int64_t expected_last_state, const NewState& state,
                                  const std::string& nonce, UnixMillis now);

// Errors: invalid_argument: the vector does not ascend, a range is not one, or the ranges of
// `before` do not all go on in it without falling (R10).
Status CheckVector(const std::vector<CutPartition>& before, const std::vector<CutPartition>& after);

}  // namespace frazil::ledger
