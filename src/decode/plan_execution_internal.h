// SPDX-License-Identifier: Apache-2.0
// Runs a plan over consecutive records: operation by operation, each in one loop over all of them.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "decode/avro_plan_internal.h"
#include "decode/column_tree_internal.h"
#include "decode/flaw_internal.h"

namespace frazil::decode {

// Where each row's record is read next, and where it ends. By row.
struct Cursors {
  std::vector<const std::uint8_t*> at;
  std::vector<const std::uint8_t*> end;
};

struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Failure {
  std::size_t row = 0;
  // Of the field; empty: the record as a whole.
  std::string_view path;
  Flaw flaw = Flaw::kNone;
};

// Fills the value columns of the rows. The failure is that of the first row that has one; the
// columns are then of no use.
std::optional<Failure> Execute(const AvroPlan::Program& program, RowRange rows, Cursors& cursors,
                               ColumnTree& columns, MemoryBudget& budget);

}  // namespace frazil::decode
