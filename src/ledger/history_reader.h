// SPDX-License-Identifier: Apache-2.0
// What was recorded, read again. Internal to this module.
// Each function does what the member of Ledger with its name promises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

Result<CurrentView> ReadCurrent(Database& database, std::int64_t table_key);
Result<std::optional<StateView>> FindState(Database& database, std::int64_t table_key,
                                           std::int64_t number);
Result<std::optional<CutView>> FindCut(Database& database, std::int64_t table_key,
                                       CutNumber number);
Result<std::optional<ManifestView>> FindManifest(Database& database, std::int64_t table_key,
                                                 CutNumber cut);
Result<std::optional<ChunkRow>> FindChunk(Database& database, std::int64_t table_key,
                                          const std::string& path);
Result<std::vector<LostRange>> LostRanges(Database& database, std::int64_t table_key);

}  // namespace frazil::ledger
