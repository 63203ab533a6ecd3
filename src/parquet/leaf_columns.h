// SPDX-License-Identifier: Apache-2.0
// A nested Arrow column taken apart into leaves with levels, as Parquet stores them.
// Spec: Apache Parquet, "Nested Encoding"; Dremel. Internal to this module.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "iceberg/schema.h"
#include "parquet/slot_bits.h"

namespace frazil::parquet {

// One leaf of a batch. A slot is a place where a value can stand: a row, or an element of the list
// or map around it. An entry is a pair of levels: one for each slot, and one for each list that has
// no slots because it is NULL, empty, or in something that is.
struct LeafColumn {
  const iceberg::NestedField* field = nullptr;
  // One for each slot; where `present` has no bit, anything.
  std::shared_ptr<arrow::Array> values;
  SlotBits present;
  std::int64_t slots = 0;
  std::int64_t present_count = 0;
  std::int64_t entries = 0;

  std::uint8_t max_definition = 0;
  std::uint8_t max_repetition = 0;
  // An entry has a slot where its definition level is at least this.
  std::uint8_t slot_definition = 0;
  // One for each entry. Null: each entry has a slot, and its level is max_definition, or one less
  // where the slot has no value.
  const std::uint8_t* definition = nullptr;
  // One for each entry; null when max_repetition is 0.
  const std::uint8_t* repetition = nullptr;

  bool repeated() const { return max_repetition > 0; }
};

// Calls visit for each leaf, depth first. What it is shown lasts for the call.
// Requires: `column` comes from ConformColumn(field), and is valid as Arrow understands it.
// Errors: visit's; internal, naming the field, for a NULL in a required field whose parents are
// there, and for more than 255 levels.
Status VisitLeaves(const iceberg::NestedField& field, const std::shared_ptr<arrow::Array>& column,
                   const std::function<Status(const LeafColumn&)>& visit);

}  // namespace frazil::parquet
