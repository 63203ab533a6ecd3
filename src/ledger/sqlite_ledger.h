// SPDX-License-Identifier: Apache-2.0
// The opening of a ledger with settings that only tests change. Internal to this module.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "ledger/ledger.h"
#include "ledger/ledger_tables.h"

namespace frazil::ledger {

Result<std::unique_ptr<Ledger>> OpenSqliteLedger(const std::string& folder, const Clock& clock,
                                                 const ConnectionSettings& settings);

}  // namespace frazil::ledger
