// SPDX-License-Identifier: Apache-2.0
#include "parquet/column_metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "iceberg/single_value.h"
#include "parquet/leaf_columns.h"
#include "parquet/leaf_summary.h"

namespace frazil::parquet {
namespace {

using iceberg::ColumnMetrics;
using iceberg::NestedField;
using iceberg::TypeKind;
using Leaf = ColumnMeter::Leaf;

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
Status ForEachValue(const arrow::Array& array, const Places& places, Leaf& leaf, Visit visit) {
  const NestedField& field = *leaf.field;
  const bool has_nulls = array.null_count() > 0;
  if (has_nulls && field.required && places.slots.empty()) return NullInRequired(field);
  for (std::int64_t i = 0; i < array.length(); ++i) {
    const Slot slot = places.At(i);
    if (slot == Slot::kAbsent) continue;
    ++leaf.counts.value_count;
    if (slot == Slot::kPresent && !(has_nulls && array.IsNull(i))) {
      visit(i);
      continue;
    }
    if (slot == Slot::kPresent && field.required) return NullInRequired(field);
    ++leaf.counts.null_count;
  }
  return {};
}

// What a batch showed joins what the ones before it did.
template <typename Kept, typename Value>
void MergeExtremes(const Extremes<Value>& found, bool repeated, Leaf& leaf) {
  if (found.empty() || repeated) return;
  if (!std::holds_alternative<Extremes<Kept>>(leaf.extremes)) leaf.extremes = Extremes<Kept>();
  std::get<Extremes<Kept>>(leaf.extremes).Merge(found);
}

template <typename ArrowArray>
Status MeasureNumbers(const arrow::Array& array, const Places& places, Leaf& leaf) {
  const auto& numbers = static_cast<const ArrowArray&>(array);
  Extremes<std::int64_t> extremes;
  FRAZIL_RETURN_IF_ERROR(
      ForEachValue(array, places, leaf, [&](std::int64_t i) { extremes.Add(numbers.Value(i)); }));
  MergeExtremes<std::int64_t>(extremes, places.repeated, leaf);
  return {};
}

template <typename ArrowArray>
Status MeasureFloats(const arrow::Array& array, const Places& places, Leaf& leaf) {
  const auto& numbers = static_cast<const ArrowArray&>(array);
  Extremes<double> extremes;
  FRAZIL_RETURN_IF_ERROR(ForEachValue(array, places, leaf, [&](std::int64_t i) {
    const auto value = static_cast<double>(numbers.Value(i));
    if (std::isnan(value)) {
      ++leaf.counts.nan_count;
    } else {
      extremes.Add(value);
    }
  }));
  MergeExtremes<double>(extremes, places.repeated, leaf);
  return {};
}

Status MeasureDecimals(const arrow::Array& array, const Places& places, Leaf& leaf) {
  const auto& decimals = static_cast<const arrow::Decimal128Array&>(array);
  Extremes<arrow::Decimal128> extremes;
  FRAZIL_RETURN_IF_ERROR(ForEachValue(array, places, leaf, [&](std::int64_t i) {
    extremes.Add(arrow::Decimal128(decimals.Value(i)));
  }));
  if (extremes.empty()) return {};
  // A value too wide for the column's integers would be written cut.
  const int precision = leaf.field->type.precision;
  if (!extremes.low().FitsInPrecision(precision) || !extremes.high().FitsInPrecision(precision)) {
    return Error(ErrorCode::kInternal, "a value does not fit into " + ToString(leaf.field->type) +
                                           " of the field: " + leaf.field->name);
  }
  MergeExtremes<arrow::Decimal128>(extremes, places.repeated, leaf);
  return {};
}

bool HasBounds(const iceberg::Type& type) {
  return type.kind != TypeKind::kUuid &&
         (type.kind != TypeKind::kFixed ||
          static_cast<std::size_t>(type.length) <= iceberg::kBoundLength);
}

// string, binary, fixed, uuid. std::string_view compares as unsigned bytes, and so does the
// std::string that keeps an extreme beyond its batch.
template <typename ArrowArray>
Status MeasureBytes(const arrow::Array& array, const Places& places, Leaf& leaf) {
  const auto& values = static_cast<const ArrowArray&>(array);
  Extremes<std::string_view> extremes;
  FRAZIL_RETURN_IF_ERROR(
      ForEachValue(array, places, leaf, [&](std::int64_t i) { extremes.Add(values.GetView(i)); }));
  if (HasBounds(leaf.field->type)) MergeExtremes<std::string>(extremes, places.repeated, leaf);
  return {};
}

Status MeasureLeaf(const arrow::Array& array, const Places& places, Leaf& leaf) {
  switch (leaf.field->type.kind) {
    case TypeKind::kBoolean:
      return MeasureNumbers<arrow::BooleanArray>(array, places, leaf);
    case TypeKind::kInt:
      return MeasureNumbers<arrow::Int32Array>(array, places, leaf);
    case TypeKind::kDate:
      return MeasureNumbers<arrow::Date32Array>(array, places, leaf);
    case TypeKind::kLong:
      return MeasureNumbers<arrow::Int64Array>(array, places, leaf);
    case TypeKind::kTime:
      return MeasureNumbers<arrow::Time64Array>(array, places, leaf);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestamptz:
      return MeasureNumbers<arrow::TimestampArray>(array, places, leaf);
    case TypeKind::kFloat:
      return MeasureFloats<arrow::FloatArray>(array, places, leaf);
    case TypeKind::kDouble:
      return MeasureFloats<arrow::DoubleArray>(array, places, leaf);
    case TypeKind::kDecimal:
      return MeasureDecimals(array, places, leaf);
    case TypeKind::kString:
    case TypeKind::kBinary:
      return MeasureBytes<arrow::BinaryArray>(array, places, leaf);
    case TypeKind::kUuid:
    case TypeKind::kFixed:
      return MeasureBytes<arrow::FixedSizeBinaryArray>(array, places, leaf);
    default:
      return Error(ErrorCode::kInternal, "not a leaf: " + leaf.field->name);
  }
}

Status Walk(const NestedField& field, const arrow::Array& array, const Places& places,
            ColumnMeter::Leaves& leaves);

Status WalkStruct(const NestedField& field, const arrow::StructArray& array, const Places& places,
                  ColumnMeter::Leaves& leaves) {
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
    FRAZIL_RETURN_IF_ERROR(Walk(field.type.fields[i], *child, inner, leaves));
  }
  return {};
}

// Lists, and maps: lists whose elements are entries of a key and a value.
Status WalkList(const NestedField& field, const arrow::ListArray& array, const Places& places,
                ColumnMeter::Leaves& leaves) {
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
    return Walk(field.type.fields.at(0), *elements, inner, leaves);
  }
  const auto& entries = static_cast<const arrow::StructArray&>(*elements);
  FRAZIL_RETURN_IF_ERROR(Walk(field.type.fields.at(0), *entries.field(0), inner, leaves));
  return Walk(field.type.fields.at(1), *entries.field(1), inner, leaves);
}

Status Walk(const NestedField& field, const arrow::Array& array, const Places& places,
            ColumnMeter::Leaves& leaves) {
  switch (field.type.kind) {
    case TypeKind::kStruct:
      return WalkStruct(field, static_cast<const arrow::StructArray&>(array), places, leaves);
    case TypeKind::kList:
    case TypeKind::kMap:
      return WalkList(field, static_cast<const arrow::ListArray&>(array), places, leaves);
    default:
      return MeasureLeaf(array, places, leaves.at(field.id));
  }
}

void BoundNumbers(TypeKind kind, const Extremes<std::int64_t>& found, ColumnMetrics& metrics) {
  const auto encode = [kind](std::int64_t value) {
    switch (kind) {
      case TypeKind::kBoolean:
        return iceberg::EncodeBoolean(value != 0);
      case TypeKind::kInt:
      case TypeKind::kDate:
        return iceberg::EncodeInt(static_cast<std::int32_t>(value));
      default:
        return iceberg::EncodeLong(value);
    }
  };
  metrics.lower_bound = encode(found.low());
  metrics.upper_bound = encode(found.high());
}

void BoundFloats(TypeKind kind, const Extremes<double>& found, ColumnMetrics& metrics) {
  if (kind == TypeKind::kFloat) {
    metrics.lower_bound = iceberg::LowerBound(static_cast<float>(found.low()));
    metrics.upper_bound = iceberg::UpperBound(static_cast<float>(found.high()));
  } else {
    metrics.lower_bound = iceberg::LowerBound(found.low());
    metrics.upper_bound = iceberg::UpperBound(found.high());
  }
}

void BoundBytes(TypeKind kind, const Extremes<std::string>& found, ColumnMetrics& metrics) {
  if (kind == TypeKind::kString) {
    metrics.lower_bound = iceberg::LowerTextBound(found.low());
    metrics.upper_bound = iceberg::UpperTextBound(found.high());
  } else {
    metrics.lower_bound = iceberg::LowerBinaryBound(AsBytes(found.low()));
    metrics.upper_bound = iceberg::UpperBinaryBound(AsBytes(found.high()));
  }
}

ColumnMetrics MetricsOf(const Leaf& leaf) {
  ColumnMetrics metrics = leaf.counts;
  const TypeKind kind = leaf.field->type.kind;
  if (const auto* numbers = std::get_if<Extremes<std::int64_t>>(&leaf.extremes)) {
    BoundNumbers(kind, *numbers, metrics);
  } else if (const auto* floats = std::get_if<Extremes<double>>(&leaf.extremes)) {
    BoundFloats(kind, *floats, metrics);
    // To engines that sort NaN above all numbers a number is no upper bound.
    if (metrics.nan_count > 0) metrics.upper_bound.reset();
  } else if (const auto* decimals = std::get_if<Extremes<arrow::Decimal128>>(&leaf.extremes)) {
    metrics.lower_bound = iceberg::EncodeDecimal(decimals->low().ToBytes());
    metrics.upper_bound = iceberg::EncodeDecimal(decimals->high().ToBytes());
  } else if (const auto* bytes = std::get_if<Extremes<std::string>>(&leaf.extremes)) {
    BoundBytes(kind, *bytes, metrics);
  }
  return metrics;
}

}  // namespace

ColumnMeter::ColumnMeter(const iceberg::Schema& schema) {
  for (const NestedField* field : LeafFields(schema)) {
    Leaf leaf{.field = field, .counts = {}, .extremes = {}};
    const TypeKind kind = field->type.kind;
    if (kind == TypeKind::kFloat || kind == TypeKind::kDouble) leaf.counts.nan_count = 0;
    leaves_.emplace(field->id, std::move(leaf));
  }
}

Status ColumnMeter::Add(const NestedField& field, const arrow::Array& column) {
  return Walk(field, column, Places{}, leaves_);
}

void ColumnMeter::Add(const LeafColumn& column, const LeafSummary& summary) {
  Leaf& leaf = leaves_.at(column.field->id);
  leaf.counts.value_count += column.slots;
  leaf.counts.null_count += column.slots - column.present_count;
  leaf.counts.nan_count += summary.nan_count;
  if (const auto* numbers = std::get_if<Extremes<std::int64_t>>(&summary.extremes)) {
    MergeExtremes<std::int64_t>(*numbers, column.repeated(), leaf);
  } else if (const auto* reals = std::get_if<Extremes<double>>(&summary.extremes)) {
    MergeExtremes<double>(*reals, column.repeated(), leaf);
  } else if (const auto* decimals = std::get_if<Extremes<arrow::Decimal128>>(&summary.extremes)) {
    MergeExtremes<arrow::Decimal128>(*decimals, column.repeated(), leaf);
  } else if (const auto* bytes = std::get_if<Extremes<std::string_view>>(&summary.extremes)) {
    if (HasBounds(leaf.field->type)) MergeExtremes<std::string>(*bytes, column.repeated(), leaf);
  }
}

MetricsByField ColumnMeter::Metrics() const {
  MetricsByField metrics;
  for (const auto& [id, leaf] : leaves_) metrics.emplace(id, MetricsOf(leaf));
  return metrics;
}

}  // namespace frazil::parquet
