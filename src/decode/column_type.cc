// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "decode/column_type_internal.h"

namespace frazil::decode {

using avro::LogicalType;
using iceberg::Type;
using iceberg::TypeKind;

namespace {

constexpr int kWidestDecimal = 38;
constexpr std::size_t kUuidSize = 16;
constexpr std::string_view kBranchDoc = "union branch ";
constexpr std::array<std::string_view, 9> kTypesWithoutName = {
    "boolean", "int", "long", "float", "double", "bytes", "string", "array", "map"};

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

FieldShape ShapeOf(const avro::Schema& schema) {
  if (schema.type == avro::Type::kNull) return {};
  if (schema.type != avro::Type::kUnion) return {.value = &schema};
  FieldShape shape{.in_union = true, .value_branch = -1};
  int values = 0;
  for (std::size_t i = 0; i < schema.children.size(); ++i) {
    const avro::Schema& branch = schema.children[i];
    if (branch.type == avro::Type::kNull) {
      shape.null_branch = static_cast<int>(i);
      continue;
    }
    ++values;
    shape.value_branch = static_cast<int>(i);
    shape.value = &branch;
  }
  if (values > 1) {
    shape.value = nullptr;
    shape.branches = &schema;
  }
  return shape;
}

bool IsNested(const avro::Schema& value) {
  return value.type == avro::Type::kRecord || value.type == avro::Type::kArray ||
         value.type == avro::Type::kMap;
}

bool IsTimeOfDay(const avro::Schema& value) {
  return value.logical_type == LogicalType::kTimeMillis ||
         value.logical_type == LogicalType::kTimeMicros;
}

Result<Type> LeafTypeOf(const avro::Schema& value) {
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
    case avro::Type::kNull:
    case avro::Type::kUnion:
      break;
  }
  return Incompatible("the type has no column", value);
}

std::string BranchIdentity(const avro::Schema& branch) {
  if (!branch.name.empty()) return branch.name;
  avro::Schema plain;
  plain.type = branch.type;
  return avro::Describe(plain);
}

std::string_view SimpleName(std::string_view full_name) {
  const auto dot = full_name.rfind('.');
  return dot == std::string_view::npos ? full_name : full_name.substr(dot + 1);
}

std::string BranchDoc(const std::string& identity) { return std::string(kBranchDoc) + identity; }

std::string_view IdentityOfBranch(const iceberg::NestedField& column) {
  const std::string_view doc = column.doc;
  if (!doc.starts_with(kBranchDoc)) return {};
  const std::string_view rest = doc.substr(kBranchDoc.size());
  return rest.substr(0, rest.find(' '));
}

const iceberg::NestedField* FindBranch(const std::vector<iceberg::NestedField>& columns,
                                       const avro::Schema& branch, const avro::Schema& others) {
  const auto of = [&columns](std::string_view identity) -> const iceberg::NestedField* {
    const auto found = std::ranges::find(columns, identity, IdentityOfBranch);
    return found == columns.end() ? nullptr : &*found;
  };
  if (const auto* found = of(BranchIdentity(branch)); found != nullptr) return found;
  if (branch.name.empty()) return nullptr;
  const auto owned = [&others](std::string_view identity) {
    return std::ranges::find(others.children, identity, BranchIdentity) != others.children.end();
  };
  for (const std::string& alias : branch.aliases) {
    const auto* found = of(alias);
    if (found != nullptr && !owned(alias)) return found;
  }
  for (const iceberg::NestedField& column : columns) {
    const std::string_view identity = IdentityOfBranch(column);
    if (identity.empty() || SimpleName(identity) != SimpleName(branch.name)) continue;
    if (std::ranges::find(kTypesWithoutName, identity) != kTypesWithoutName.end()) continue;
    if (!owned(identity)) return &column;
  }
  return nullptr;
}

}  // namespace frazil::decode
