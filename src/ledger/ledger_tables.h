// SPDX-License-Identifier: Apache-2.0
// The tables of the ledger's file and their version. Internal to this module.
#pragma once

#include <chrono>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

// PRAGMA user_version. Raised with every change of the tables; PrepareTables brings older files up.
inline constexpr std::int64_t kTablesVersion = 1;

struct ConnectionSettings {
  std::chrono::milliseconds busy_timeout{5000};
  // Pages that the file may have; 0: no limit. For tests of a full disk.
  std::int64_t max_page_count = 0;
};

// Sets the connection up (WAL, synchronous NORMAL, foreign keys) and makes the tables in a new
// file. Returns the secret (R25), made with the tables.
// Errors: ledger: a newer Frazil wrote the file, or it belongs to another program.
Result<Bytes> PrepareTables(Database& database, const std::string& path,
                            const ConnectionSettings& settings);

}  // namespace frazil::ledger
