// SPDX-License-Identifier: Apache-2.0
// Counts and bounds of columns' leaves, from their Arrow values. Internal to this module.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include <arrow/type_fwd.h>
#include <arrow/util/decimal.h>

#include "base/ids.h"
#include "base/result.h"
#include "iceberg/data_file.h"
#include "iceberg/schema.h"

namespace frazil::parquet {

struct LeafColumn;
struct LeafSummary;

using MetricsByField = std::map<FieldId, iceberg::ColumnMetrics>;

// The least and the greatest of the values shown to it.
template <typename Value>
class Extremes {
 public:
  Extremes() = default;
  Extremes(Value low, Value high) : empty_(false), low_(std::move(low)), high_(std::move(high)) {}

  void Add(const Value& value) {
    if (empty_) {
      low_ = high_ = value;
      empty_ = false;
    } else if (value < low_) {
      low_ = value;
    } else if (high_ < value) {
      high_ = value;
    }
  }
  // Those of both. `Other` turns into `Value` without loss and in the same order.
  template <typename Other>
  void Merge(const Extremes<Other>& other) {
    if (other.empty()) return;
    if (empty_ || Value(other.low()) < low_) low_ = Value(other.low());
    if (empty_ || high_ < Value(other.high())) high_ = Value(other.high());
    empty_ = false;
  }
  bool empty() const { return empty_; }
  const Value& low() const { return low_; }
  const Value& high() const { return high_; }

 private:
  bool empty_ = true;
  Value low_{};
  Value high_{};
};

// Measures a file's columns batch by batch; in how many batches the rows come changes nothing.
//
// A leaf outside lists and maps has one value for each row: NULL where it or a struct around it is.
// A leaf inside has one value for each element that exists, and no bounds: readers use bounds of
// columns that have one value a row only. Uuids have no bounds, because readers differ in their
// order; nor has a fixed longer than a bound may be, because a cut one cannot be read.
class ColumnMeter {
 public:
  // `schema` must outlive the meter.
  explicit ColumnMeter(const iceberg::Schema& schema);

  // Requires: `column` comes from ConformColumn(field); `field` is one of the schema's columns.
  // Errors: internal, naming the field, for a NULL in a required field whose parents are there, and
  // for a decimal that its precision cannot hold. After one the meter is of no use.
  Status Add(const iceberg::NestedField& field, const arrow::Array& column);

  // Adds a leaf of a batch that was taken apart and summed up already.
  void Add(const LeafColumn& column, const LeafSummary& summary);

  // One entry for each leaf of the schema, of all that was added; column_size is 0.
  MetricsByField Metrics() const;

  struct Leaf {
    const iceberg::NestedField* field;
    iceberg::ColumnMetrics counts;
    // Exact, also where a bound will be cut. Whole numbers, floats, decimals, bytes.
    std::variant<std::monostate, Extremes<std::int64_t>, Extremes<double>,
                 Extremes<arrow::Decimal128>, Extremes<std::string>>
        extremes;
  };
  using Leaves = std::map<FieldId, Leaf>;

 private:
  Leaves leaves_;
};

}  // namespace frazil::parquet
