// SPDX-License-Identifier: Apache-2.0
// The making and opening of the ledger's file. Internal to this module.
#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "ledger/ledger_tables.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

struct OpenedFile {
  std::unique_ptr<Database> database;
  // R25.
  Bytes secret;
};

// `folder`/ledger.sqlite.
std::string LedgerPath(const std::string& folder);

// Opens LedgerPath(folder). Where there is none it is made under another name and gets its own
// when it is whole, so that a file of that name without our tables was never ours.
// Requires: the folder's lock is held.
// Errors: ledger.
Result<OpenedFile> OpenLedgerFile(const std::string& folder, const ConnectionSettings& settings);

}  // namespace frazil::ledger
