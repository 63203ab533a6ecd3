// SPDX-License-Identifier: Apache-2.0
// What a new cut must be to follow the one before it. Internal to this module.
#pragma once

#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "ledger/sqlite.h"
#include "ledger/table_line.h"

namespace frazil::ledger {

// Errors: invalid_argument: the vector does not ascend, a range is not one, or the ranges of
// `before` do not all go on in it without falling (R10) and as a closed generation lets them (R1).
Status CheckVector(const std::vector<CutPartition>& before, const std::vector<CutPartition>& after);

// Sums over the files that a cut adds and removes.
struct FileStep {
  FileTotals added;
  FileTotals removed;
};

// Holds the cut's files and manifest against the set and the list of the line's last cut: after it
// the live entries of the list are exactly the set.
// Errors: invalid_argument; ledger; corrupt_data.
Result<FileStep> CheckFiles(Database& database, const TableLine& line, const NewCut& cut);

}  // namespace frazil::ledger
