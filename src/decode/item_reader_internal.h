// SPDX-License-Identifier: Apache-2.0
// The items of arrays and maps, read one after the other into the columns inside: where an item
// ends is known only when it has been read. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "decode/avro_plan_internal.h"
#include "decode/column_tree_internal.h"
#include "decode/flaw_internal.h"

namespace frazil::decode {

// An operation on an item, and its column. The fields of a record that is never null stand in its
// place.
struct ItemStep {
  ReadItem read;
  const Op* op;
  ColumnBuffers* column;
};
// The steps of an array's or a map's item.
struct ItemSteps {
  const Op* op = nullptr;
  std::vector<ItemStep> steps;
};

struct ItemContext {
  ColumnTree& columns;
  // Of the arrays and maps that were met so far, by the numbers of their columns. Kept from one
  // context to the next.
  std::vector<ItemSteps>& steps;
  // As in RowSet.
  bool words_before_end = false;
  // What is wrong, and the path of the operation that found it.
  Flaw flaw = Flaw::kNone;
  std::string_view path;
};

// What an operation does with one value.
ReadItem ReadItemOf(OpCode code, bool in_union);

// Moves past the array or map of the row, whose `count` items become the rows from `first` on of
// the columns inside. Gives what is behind it; null after a flaw: the columns are of no use then.
// Spec: Apache Avro 1.12, "Arrays", "Maps": blocks of items, until an empty one.
const std::uint8_t* ReadItems(ItemContext& context, const Op& op, const std::uint8_t* at,
                              const std::uint8_t* end, std::size_t row, std::size_t first,
                              std::size_t& count);

}  // namespace frazil::decode
