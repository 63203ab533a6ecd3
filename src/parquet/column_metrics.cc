// SPDX-License-Identifier: Apache-2.0
#include "parquet/column_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "iceberg/single_value.h"

namespace frazil::parquet {
namespace {

using iceberg::ColumnMetrics;
using iceberg::NestedField;
using iceberg::TypeKind;

// What stands at a place of an array that lies inside others.
enum class Slot : std::uint8_t {
  kAbsent,      // no list that exists covers it
  kParentNull,  // a value, NULL because a struct around it is
  kPresent,     // the array itself decides
};

// The places of the array being walked.
struct Places {
  // Empty: all are kPresent.
  std::vector<Slot> slots;
  // In a list or map: not one value a row.
  bool repeated = false;

  Slot At(std::int64_t i) const {
    return slots.empty() ? Slot::kPresent : slots[static_cast<std::size_t>(i)];
  }
};

Error NullInRequired(const NestedField& field) {
  return Error(ErrorCode::kInternal, "a required field holds NULL: " + field.name);
}

// Calls visit(i) for each value that is not NULL; fills the counts.
template <typename Visit>
Status ForEachValue(const NestedField& field, const arrow::Array& array, const Places& places,
                    ColumnMetrics& metrics, Visit visit) {
  const bool has_nulls = array.null_count() > 0;
  if (has_nulls && field.required && places.slots.empty()) return NullInRequired(field);
  for (std::int64_t i = 0; i < array.length(); ++i) {
    const Slot slot = places.At(i);
    if (slot == Slot::kAbsent) continue;
    ++metrics.value_count;
    if (slot == Slot::kPresent && !(has_nulls && array.IsNull(i))) {
      visit(i);
      continue;
    }
    if (slot == Slot::kPresent && field.required) return NullInRequired(field);
    ++metrics.null_count;
  }
  return {};
}

// The least and the greatest of the values shown to it.
template <typename Value>
class Extremes {
 public:
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
  bool empty() const { return empty_; }
  const Value& low() const { return low_; }
  const Value& high() const { return high_; }

 private:
  bool empty_ = true;
  Value low_{};
  Value high_{};
};

template <typename ArrowArray, typename Value, typename Encode>
Status MeasureNumbers(const NestedField& field, const arrow::Array& array, const Places& places,
                      Encode encode, ColumnMetrics& metrics) {
  const auto& numbers = static_cast<const ArrowArray&>(array);
  Extremes<Value> extremes;
  FRAZIL_RETURN_IF_ERROR(ForEachValue(field, array, places, metrics, [&](std::int64_t i) {
    extremes.Add(static_cast<Value>(numbers.Value(i)));
  }));
  if (extremes.empty() || places.repeated) return {};
  metrics.lower_bound = encode(extremes.low());
  metrics.upper_bound = encode(extremes.high());
  return {};
}

template <typename ArrowArray, typename Value>
Status MeasureFloats(const NestedField& field, const arrow::Array& array, const Places& places,
                     ColumnMetrics& metrics) {
  const auto& numbers = static_cast<const ArrowArray&>(array);
  Extremes<Value> extremes;
  metrics.nan_count = 0;
  FRAZIL_RETURN_IF_ERROR(ForEachValue(field, array, places, metrics, [&](std::int64_t i) {
    const Value value = numbers.Value(i);
    if (std::isnan(value)) {
      ++metrics.nan_count;
    } else {
      extremes.Add(value);
    }
  }));
  if (extremes.empty() || places.repeated) return {};
  metrics.lower_bound = iceberg::LowerBound(extremes.low());
  metrics.upper_bound = iceberg::UpperBound(extremes.high());
  return {};
}

Bytes EncodeDecimal(const arrow::Decimal128& value) {
  return iceberg::EncodeDecimal(value.ToBytes());
}

Status MeasureDecimals(const NestedField& field, const arrow::Array& array, const Places& places,
                       ColumnMetrics& metrics) {
  const auto& decimals = static_cast<const arrow::Decimal128Array&>(array);
  Extremes<arrow::Decimal128> extremes;
  FRAZIL_RETURN_IF_ERROR(ForEachValue(field, array, places, metrics, [&](std::int64_t i) {
    extremes.Add(arrow::Decimal128(decimals.Value(i)));
  }));
  if (extremes.empty()) return {};
  // A value too wide for the column's integers would be written cut.
  const int precision = field.type.precision;
  if (!extremes.low().FitsInPrecision(precision) || !extremes.high().FitsInPrecision(precision)) {
    return Error(ErrorCode::kInternal, "a value does not fit into " + ToString(field.type) +
                                           " of the field: " + field.name);
  }
  if (places.repeated) return {};
  metrics.lower_bound = EncodeDecimal(extremes.low());
  metrics.upper_bound = EncodeDecimal(extremes.high());
  return {};
}

// string, binary, fixed, uuid. std::string_view compares as unsigned bytes.
template <typename ArrowArray>
Status MeasureBytes(const NestedField& field, const arrow::Array& array, const Places& places,
                    ColumnMetrics& metrics) {
  const auto& values = static_cast<const ArrowArray&>(array);
  Extremes<std::string_view> extremes;
  FRAZIL_RETURN_IF_ERROR(ForEachValue(field, array, places, metrics,
                                      [&](std::int64_t i) { extremes.Add(values.GetView(i)); }));
  if (extremes.empty() || places.repeated) return {};
  switch (field.type.kind) {
    case TypeKind::kString:
      metrics.lower_bound = iceberg::LowerTextBound(extremes.low());
      metrics.upper_bound = iceberg::UpperTextBound(extremes.high());
      break;
    case TypeKind::kFixed:
      if (static_cast<std::size_t>(field.type.length) > iceberg::kBoundLength) break;
      [[fallthrough]];
    case TypeKind::kBinary:
      metrics.lower_bound = iceberg::LowerBinaryBound(AsBytes(extremes.low()));
      metrics.upper_bound = iceberg::UpperBinaryBound(AsBytes(extremes.high()));
      break;
    default:
      break;
  }
  return {};
}

Status MeasureLeaf(const NestedField& field, const arrow::Array& array, const Places& places,
                   ColumnMetrics& metrics) {
  switch (field.type.kind) {
    case TypeKind::kBoolean:
      return MeasureNumbers<arrow::BooleanArray, bool>(field, array, places, iceberg::EncodeBoolean,
                                                       metrics);
    case TypeKind::kInt:
      return MeasureNumbers<arrow::Int32Array, std::int32_t>(field, array, places,
                                                             iceberg::EncodeInt, metrics);
    case TypeKind::kDate:
      return MeasureNumbers<arrow::Date32Array, std::int32_t>(field, array, places,
                                                              iceberg::EncodeInt, metrics);
    case TypeKind::kLong:
      return MeasureNumbers<arrow::Int64Array, std::int64_t>(field, array, places,
                                                             iceberg::EncodeLong, metrics);
    case TypeKind::kTime:
      return MeasureNumbers<arrow::Time64Array, std::int64_t>(field, array, places,
                                                              iceberg::EncodeLong, metrics);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestamptz:
      return MeasureNumbers<arrow::TimestampArray, std::int64_t>(field, array, places,
                                                                 iceberg::EncodeLong, metrics);
    case TypeKind::kFloat:
      return MeasureFloats<arrow::FloatArray, float>(field, array, places, metrics);
    case TypeKind::kDouble:
      return MeasureFloats<arrow::DoubleArray, double>(field, array, places, metrics);
    case TypeKind::kDecimal:
      return MeasureDecimals(field, array, places, metrics);
    case TypeKind::kString:
    case TypeKind::kBinary:
      return MeasureBytes<arrow::BinaryArray>(field, array, places, metrics);
    case TypeKind::kUuid:
    case TypeKind::kFixed:
      return MeasureBytes<arrow::FixedSizeBinaryArray>(field, array, places, metrics);
    default:
      return Error(ErrorCode::kInternal, "not a leaf: " + field.name);
  }
}

Status Walk(const NestedField& field, const arrow::Array& array, const Places& places,
            MetricsByField& metrics);

Status WalkStruct(const NestedField& field, const arrow::StructArray& array, const Places& places,
                  MetricsByField& metrics) {
  Places inner{.slots = places.slots, .repeated = places.repeated};
  if (array.null_count() > 0) {
    inner.slots.resize(static_cast<std::size_t>(array.length()), Slot::kPresent);
    for (std::int64_t i = 0; i < array.length(); ++i) {
      Slot& slot = inner.slots[static_cast<std::size_t>(i)];
      if (slot != Slot::kPresent || !array.IsNull(i)) continue;
      if (field.required) return NullInRequired(field);
      slot = Slot::kParentNull;
    }
  }
  for (std::size_t i = 0; i < field.type.fields.size(); ++i) {
    const auto child = array.field(static_cast<int>(i));
    FRAZIL_RETURN_IF_ERROR(Walk(field.type.fields[i], *child, inner, metrics));
  }
  return {};
}

// Lists, and maps: lists whose elements are entries of a key and a value.
Status WalkList(const NestedField& field, const arrow::ListArray& array, const Places& places,
                MetricsByField& metrics) {
  const auto elements = array.values();
  Places inner{
      .slots = std::vector<Slot>(static_cast<std::size_t>(elements->length()), Slot::kAbsent),
      .repeated = true};
  for (std::int64_t i = 0; i < array.length(); ++i) {
    if (places.At(i) != Slot::kPresent) continue;
    if (array.IsNull(i)) {
      if (field.required) return NullInRequired(field);
      continue;
    }
    const auto first = inner.slots.begin() + array.value_offset(i);
    std::fill(first, first + array.value_length(i), Slot::kPresent);
  }
  if (field.type.kind == TypeKind::kList) {
    return Walk(field.type.fields.at(0), *elements, inner, metrics);
  }
  const auto& entries = static_cast<const arrow::StructArray&>(*elements);
  FRAZIL_RETURN_IF_ERROR(Walk(field.type.fields.at(0), *entries.field(0), inner, metrics));
  return Walk(field.type.fields.at(1), *entries.field(1), inner, metrics);
}

Status Walk(const NestedField& field, const arrow::Array& array, const Places& places,
            MetricsByField& metrics) {
  switch (field.type.kind) {
    case TypeKind::kStruct:
      return WalkStruct(field, static_cast<const arrow::StructArray&>(array), places, metrics);
    case TypeKind::kList:
    case TypeKind::kMap:
      return WalkList(field, static_cast<const arrow::ListArray&>(array), places, metrics);
    default:
      return MeasureLeaf(field, array, places, metrics[field.id]);
  }
}

}  // namespace

Status AddColumnMetrics(const NestedField& field, const arrow::Array& column,
                        MetricsByField& metrics) {
  return Walk(field, column, Places{}, metrics);
}

}  // namespace frazil::parquet
