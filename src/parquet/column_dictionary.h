// SPDX-License-Identifier: Apache-2.0
// Whether a column chunk has a dictionary, and which. Internal to this module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "parquet/leaf_columns.h"
#include "parquet/leaf_summary.h"
#include "parquet/leaf_values.h"
#include "parquet/value_dictionary.h"

namespace frazil::parquet {

struct ColumnDictionary {
  ValueDictionary values;
  // One for each value that is there; none when there is only one value.
  std::vector<std::uint8_t> numbers;

  // Bits of a number in a page. One that is always 0 has one bit, as readers expect.
  int width() const;
  // Of the dictionary's page.
  std::size_t PlainSize(const LeafValues& of) const;
};

// The dictionary of a leaf of texts or other bytes: when it has at most 256 different values, and
// becomes shorter. The same values always give the same answer, folded or not.
std::optional<ColumnDictionary> DictionaryOfBytes(const LeafColumn& leaf, const LeafValues& values);

// The dictionary of a leaf of whole numbers that are all one number, when it becomes shorter.
std::optional<ColumnDictionary> DictionaryOfConstant(const LeafColumn& leaf,
                                                     const LeafValues& values,
                                                     const LeafSummary& summary);

}  // namespace frazil::parquet
