// SPDX-License-Identifier: Apache-2.0
// Runs a plan over consecutive records: operation by operation, each in one loop over all of them.
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "decode/avro_plan_internal.h"
#include "decode/column_tree_internal.h"
#include "decode/flaw_internal.h"
#include "decode/row_set_internal.h"

namespace frazil::decode {

// Rows that operations run over at once: their cursors and bytes shall stay in the processor's
// cache.
inline constexpr std::size_t kRowsAtOnce = 2048;

struct Failure {
  // Of the batch.
  std::size_t row = 0;
  // Of the field; empty: the record as a whole.
  std::string_view path;
  Flaw flaw = Flaw::kNone;
};

// Fills the value columns of consecutive records (no selection), at most kRowsAtOnce of them. The
// failure is that of the first row that has one; the columns are then of no use.
std::optional<Failure> Execute(const AvroPlan::Program& program, const RowSet& rows,
                               ColumnTree& columns, MemoryBudget& budget);

}  // namespace frazil::decode
