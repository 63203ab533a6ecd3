// SPDX-License-Identifier: Apache-2.0
// Iceberg types and schemas as values.
// Spec: Apache Iceberg table spec, "Schemas and Data Types" and appendix C. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace frazil::iceberg {

enum class TypeKind {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,    // microseconds, no zone
  kTimestamptz,  // microseconds, UTC
  kString,
  kUuid,
  kFixed,
  kBinary,
  kStruct,
  kList,
  kMap,
};

struct NestedField;

struct Type {
  TypeKind kind = TypeKind::kBoolean;
  // kDecimal.
  int precision = 0;
  int scale = 0;
  // kFixed.
  int length = 0;
  // kStruct: its fields. kList: one field "element". kMap: "key" (required) and "value".
  std::vector<NestedField> fields;

  bool is_primitive() const {
    return kind != TypeKind::kStruct && kind != TypeKind::kList && kind != TypeKind::kMap;
  }

  static Type Of(TypeKind kind);
  static Type Decimal(int precision, int scale);
  static Type Fixed(int length);
  static Type Struct(std::vector<NestedField> fields);
  static Type List(FieldId element_id, Type element, bool element_required);
  static Type Map(FieldId key_id, Type key, FieldId value_id, Type value, bool value_required);

  friend bool operator==(const Type&, const Type&);
};

struct NestedField {
  FieldId id;
  std::string name;
  bool required = false;
  Type type;
  std::string doc;

  friend bool operator==(const NestedField&, const NestedField&) = default;
};

struct Schema {
  SchemaVersion version;  // "schema-id"
  std::vector<NestedField> fields;

  friend bool operator==(const Schema&, const Schema&) = default;
};

// "long", "decimal(10, 2)", "list<string>": for messages.
std::string ToString(const Type& type);

// The field of that name at top level; null when there is none.
const NestedField* FindField(const Schema& schema, std::string_view name);

// The schema's fields that hold values of their own (leaves), depth first: their ids are the keys
// of a data file's value maps.
std::vector<const NestedField*> LeafFields(const Schema& schema);

// The highest id in use, nested ones included; 0 for no fields.
FieldId HighestFieldId(const Schema& schema);

// Whether readers may take values of `from` as `to` (same type, int to long, float to double, a
// wider decimal of the same scale).
bool IsPromotion(const Type& from, const Type& to);

// Whether `schema` has every field of `other`, nested ones too, by id and wide enough.
bool HoldsAllFields(const Schema& schema, const Schema& other);

// The JSON of appendix C: {"type":"struct","schema-id":0,"fields":[...]}. Keys in a fixed order.
std::string SchemaToJson(const Schema& schema);
// Errors: corrupt_data. Accepts what SchemaToJson writes and any other order of keys.
Result<Schema> SchemaFromJson(std::string_view json);

}  // namespace frazil::iceberg
