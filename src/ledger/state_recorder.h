// SPDX-License-Identifier: Apache-2.0
// Compare and swap of a table's last state. Internal to this module.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "ledger/ledger.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

// As Ledger::RecordState, at the moment `now`.
Result<RecordedState> RecordState(Database& database, std::int64_t table_key,
                                  std::int64_t expected_last_state, const NewState& state,
                                  const std::string& nonce, UnixMillis now);

}  // namespace frazil::ledger
