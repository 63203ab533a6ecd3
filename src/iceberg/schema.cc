// SPDX-License-Identifier: Apache-2.0
#include "iceberg/schema.h"

#include <algorithm>
#include <utility>

namespace frazil::iceberg {
namespace {

void CollectLeaves(const std::vector<NestedField>& fields,
                   std::vector<const NestedField*>& leaves) {
  for (const NestedField& field : fields) {
    if (field.type.is_primitive()) {
      leaves.push_back(&field);
    } else {
      CollectLeaves(field.type.fields, leaves);
    }
  }
}

FieldId HighestOf(const std::vector<NestedField>& fields) {
  FieldId highest;
  for (const NestedField& field : fields) {
    highest = std::max({highest, field.id, HighestOf(field.type.fields)});
  }
  return highest;
}

}  // namespace

Type Type::Of(TypeKind kind) { return Type{.kind = kind, .fields = {}}; }

Type Type::Decimal(int precision, int scale) {
  Type type = Of(TypeKind::kDecimal);
  type.precision = precision;
  type.scale = scale;
  return type;
}

Type Type::Fixed(int length) {
  Type type = Of(TypeKind::kFixed);
  type.length = length;
  return type;
}

Type Type::Struct(std::vector<NestedField> fields) {
  Type type = Of(TypeKind::kStruct);
  type.fields = std::move(fields);
  return type;
}

Type Type::List(FieldId element_id, Type element, bool element_required) {
  Type type = Of(TypeKind::kList);
  type.fields.push_back({.id = element_id,
                         .name = "element",
                         .required = element_required,
                         .type = std::move(element),
                         .doc = {}});
  return type;
}

Type Type::Map(FieldId key_id, Type key, FieldId value_id, Type value, bool value_required) {
  Type type = Of(TypeKind::kMap);
  type.fields.push_back(
      {.id = key_id, .name = "key", .required = true, .type = std::move(key), .doc = {}});
  type.fields.push_back({.id = value_id,
                         .name = "value",
                         .required = value_required,
                         .type = std::move(value),
                         .doc = {}});
  return type;
}

bool operator==(const Type& left, const Type& right) {
  return left.kind == right.kind && left.precision == right.precision &&
         left.scale == right.scale && left.length == right.length && left.fields == right.fields;
}

std::string ToString(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return "boolean";
    case TypeKind::kInt:
      return "int";
    case TypeKind::kLong:
      return "long";
    case TypeKind::kFloat:
      return "float";
    case TypeKind::kDouble:
      return "double";
    case TypeKind::kDecimal:
      return "decimal(" + std::to_string(type.precision) + ", " + std::to_string(type.scale) + ")";
    case TypeKind::kDate:
      return "date";
    case TypeKind::kTime:
      return "time";
    case TypeKind::kTimestamp:
      return "timestamp";
    case TypeKind::kTimestamptz:
      return "timestamptz";
    case TypeKind::kString:
      return "string";
    case TypeKind::kUuid:
      return "uuid";
    case TypeKind::kFixed:
      return "fixed[" + std::to_string(type.length) + "]";
    case TypeKind::kBinary:
      return "binary";
    case TypeKind::kStruct:
      break;
    case TypeKind::kList:
      return "list<" + ToString(type.fields.at(0).type) + ">";
    case TypeKind::kMap:
      return "map<" + ToString(type.fields.at(0).type) + ", " + ToString(type.fields.at(1).type) +
             ">";
  }
  std::string text = "struct<";
  for (const NestedField& field : type.fields) {
    if (text.back() != '<') text += ", ";
    text += field.name + ": " + ToString(field.type);
  }
  return text + ">";
}

const NestedField* FindField(const Schema& schema, std::string_view name) {
  const auto found = std::ranges::find(schema.fields, name, &NestedField::name);
  return found == schema.fields.end() ? nullptr : &*found;
}

std::vector<const NestedField*> LeafFields(const Schema& schema) {
  std::vector<const NestedField*> leaves;
  CollectLeaves(schema.fields, leaves);
  return leaves;
}

FieldId HighestFieldId(const Schema& schema) { return HighestOf(schema.fields); }

bool IsPromotion(const Type& from, const Type& to) {
  if (from == to) return true;
  if (from.kind == TypeKind::kInt) return to.kind == TypeKind::kLong;
  if (from.kind == TypeKind::kFloat) return to.kind == TypeKind::kDouble;
  return from.kind == TypeKind::kDecimal && to.kind == TypeKind::kDecimal &&
         from.scale == to.scale && from.precision <= to.precision;
}

namespace {

bool HoldsFields(const std::vector<NestedField>& fields, const std::vector<NestedField>& others);

bool HoldsType(const Type& type, const Type& other) {
  if (other.is_primitive()) return IsPromotion(other, type);
  return type.kind == other.kind && HoldsFields(type.fields, other.fields);
}

bool HoldsFields(const std::vector<NestedField>& fields, const std::vector<NestedField>& others) {
  return std::all_of(others.begin(), others.end(), [&fields](const NestedField& other) {
    return std::any_of(fields.begin(), fields.end(), [&other](const NestedField& field) {
      return field.id == other.id && HoldsType(field.type, other.type);
    });
  });
}

}  // namespace

bool HoldsAllFields(const Schema& schema, const Schema& other) {
  return HoldsFields(schema.fields, other.fields);
}

}  // namespace frazil::iceberg
