// SPDX-License-Identifier: Apache-2.0
// Removing what no path leads to any more. Internal to this module.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/result.h"
#include "ledger/ledger.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

// Rows that one call removes, about: so that loads wait some milliseconds at most.
inline constexpr std::int64_t kPurgedRows = 200;

// As Ledger::Purge, at the moment `now`.
Result<std::int64_t> Purge(Database& database, std::int64_t table_key,
                           std::chrono::milliseconds retention, UnixMillis now);

}  // namespace frazil::ledger
