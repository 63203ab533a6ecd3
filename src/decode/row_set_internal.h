// SPDX-License-Identifier: Apache-2.0
// A set of rows that operations run over: records, or the items of their arrays. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "decode/flaw_internal.h"

namespace frazil::decode {

// Row i of the set is read at at[i], which moves, up to end[i], and fills the column's row
// first + i. With a selection only the rows that it lists (ascending) have a value; the others are
// NULL.
struct RowSet {
  const std::uint8_t** at = nullptr;
  const std::uint8_t* const* end = nullptr;
  std::size_t first = 0;
  std::size_t count = 0;
  const std::uint32_t* selection = nullptr;
  std::size_t selected = 0;
  // The eight bytes before each end are readable: values near it need no slow path.
  bool words_before_end = false;

  // How many rows have a value.
  std::size_t values() const { return selection == nullptr ? count : selected; }

  template <typename Visit>
  void ForEachValue(Visit visit) const {
    if (selection == nullptr) {
      for (std::size_t row = 0; row < count; ++row) visit(row);
    } else {
      for (std::size_t i = 0; i < selected; ++i) visit(selection[i]);
    }
  }

  // Without values from `row` on. The NULLs of the rows behind are not filled in: for sets whose
  // columns are of no use any more.
  RowSet Before(std::size_t row) const {
    RowSet before = *this;
    if (selection == nullptr) {
      before.count = row;
    } else {
      before.selected = static_cast<std::size_t>(
          std::lower_bound(selection, selection + selected, row) - selection);
    }
    return before;
  }
};

// The first row of a set that an operation could not read; flaw kNone when there is none.
struct Stop {
  std::size_t row = 0;
  Flaw flaw = Flaw::kNone;
};

}  // namespace frazil::decode
