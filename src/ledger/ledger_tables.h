// SPDX-License-Identifier: Apache-2.0
// The tables of the ledger's file and their version. Internal to this module.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

// PRAGMA application_id: "Frzl".
inline constexpr std::int64_t kApplicationId = 0x46727a6c;
// PRAGMA user_version. Raised with every change of the tables.
inline constexpr std::int64_t kTablesVersion = 2;

// Where a column names the cut or the state that ends something, and none has.
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct ConnectionSettings {
  std::chrono::milliseconds busy_timeout{5000};
  // Pages that the file may have; 0: no limit. For tests of a full disk.
  std::int64_t max_page_count = 0;
};

// Makes the tables and a secret in a new, empty file. When it returns, the file is on the disk and
// needs no log. Requires: nothing was done with the connection. Errors: ledger.
Status MakeTables(Database& database, const std::string& path);

// Sets a connection up: WAL, synchronous NORMAL. Errors: ledger, corrupt_data.
Status Configure(Database& database, const std::string& path, const ConnectionSettings& settings);

// Errors: ledger, corrupt_data.
Result<Bytes> ReadSecret(Database& database, const std::string& path);

}  // namespace frazil::ledger
