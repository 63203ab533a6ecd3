// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>

#include "decode/column_type_internal.h"

namespace frazil::decode {

using avro::LogicalType;
using iceberg::Type;
using iceberg::TypeKind;

namespace {

constexpr int kWidestDecimal = 38;
constexpr std::size_t kUuidSize = 16;

Error Incompatible(std::string_view reason, const avro::Schema& schema) {
  return Error(ErrorCode::kSchemaIncompatible, std::string(reason) + ": " + avro::Describe(schema));
}

Result<Type> DecimalOf(const avro::Schema& schema) {
  if (schema.precision > kWidestDecimal) {
    return Incompatible("a decimal of more than 38 digits has no column type", schema);
  }
  return Type::Decimal(schema.precision, schema.scale);
}

Result<Type> FixedOf(const avro::Schema& schema) {
  if (schema.logical_type == LogicalType::kDecimal) return DecimalOf(schema);
  if (schema.logical_type == LogicalType::kUuid && schema.size == kUuidSize) {
    return Type::Of(TypeKind::kUuid);
  }
  if (schema.size == 0 || schema.size > std::numeric_limits<std::int32_t>::max()) {
    return Incompatible("a fixed of this size has no column type", schema);
  }
  return Type::Fixed(static_cast<int>(schema.size));
}

Type LongOf(const avro::Schema& schema) {
  switch (schema.logical_type) {
    case LogicalType::kTimestampMillis:
    case LogicalType::kTimestampMicros:
    case LogicalType::kTimestampNanos:
      return Type::Of(TypeKind::kTimestamptz);
    case LogicalType::kLocalTimestampMillis:
    case LogicalType::kLocalTimestampMicros:
    case LogicalType::kLocalTimestampNanos:
      return Type::Of(TypeKind::kTimestamp);
    default:
      return Type::Of(TypeKind::kLong);
  }
}

Type IntOf(const avro::Schema& schema) {
  switch (schema.logical_type) {
    case LogicalType::kDate:
      return Type::Of(TypeKind::kDate);
    case LogicalType::kTimeMillis:
      return Type::Of(TypeKind::kLong);
    default:
      return Type::Of(TypeKind::kInt);
  }
}

}  // namespace

Result<FieldShape> ShapeOf(const avro::Schema& schema) {
  if (schema.type == avro::Type::kNull) return FieldShape{};
  if (schema.type != avro::Type::kUnion) return FieldShape{.value = &schema};
  FieldShape shape{.in_union = true, .value_branch = -1};
  for (std::size_t i = 0; i < schema.children.size(); ++i) {
    const avro::Schema& branch = schema.children[i];
    int& slot = branch.type == avro::Type::kNull ? shape.null_branch : shape.value_branch;
    if (slot >= 0) {
      return Incompatible("a union of several types cannot be shown as a column yet", schema);
    }
    slot = static_cast<int>(i);
    if (branch.type != avro::Type::kNull) shape.value = &branch;
  }
  return shape;
}

Result<Type> ColumnTypeOf(const avro::Schema& value) {
  switch (value.type) {
    case avro::Type::kBoolean:
      return Type::Of(TypeKind::kBoolean);
    case avro::Type::kInt:
      return IntOf(value);
    case avro::Type::kLong:
      return LongOf(value);
    case avro::Type::kFloat:
      return Type::Of(TypeKind::kFloat);
    case avro::Type::kDouble:
      return Type::Of(TypeKind::kDouble);
    case avro::Type::kBytes:
      if (value.logical_type == LogicalType::kDecimal) return DecimalOf(value);
      return Type::Of(TypeKind::kBinary);
    case avro::Type::kString:
      return Type::Of(value.logical_type == LogicalType::kUuid ? TypeKind::kUuid
                                                               : TypeKind::kString);
    case avro::Type::kEnum:
      return Type::Of(TypeKind::kString);
    case avro::Type::kFixed:
      return FixedOf(value);
    case avro::Type::kRecord:
    case avro::Type::kArray:
    case avro::Type::kMap:
      return Incompatible("a nested value cannot be shown as a column yet", value);
    case avro::Type::kNull:
    case avro::Type::kUnion:
      break;
  }
  return Incompatible("the type has no column", value);
}

}  // namespace frazil::decode
