// SPDX-License-Identifier: Apache-2.0
// Counts and extremes of one leaf of a batch. Internal to this module.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include <arrow/util/decimal.h>
#include <parquet/statistics.h>

#include "base/result.h"
#include "parquet/column_metrics.h"
#include "parquet/leaf_columns.h"
#include "parquet/leaf_values.h"
#include "parquet/value_dictionary.h"

namespace frazil::parquet {

struct LeafSummary {
  std::int64_t nan_count = 0;
  // Of the values that are neither NULL nor NaN; monostate: there are none. Whole numbers, floats,
  // decimals, bytes (those of the batch, as Arrow has them).
  std::variant<std::monostate, Extremes<std::int64_t>, Extremes<double>,
               Extremes<arrow::Decimal128>, Extremes<std::string_view>>
      extremes;
};

// With `dictionary`, which holds all values and no others, only those are looked at.
// Errors: internal, naming the field, for a decimal that its precision cannot hold.
Result<LeafSummary> Summarize(const LeafColumn& leaf, const LeafValues& values,
                              const ValueDictionary* dictionary);

// What the file's footer says of the leaf in this row group; nothing of one that may be NaN.
::parquet::EncodedStatistics StatisticsOf(const LeafColumn& leaf, const LeafValues& values,
                                          const LeafSummary& summary);

}  // namespace frazil::parquet
