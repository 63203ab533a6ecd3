// SPDX-License-Identifier: Apache-2.0
#include "decode/schema_mapping.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "decode/column_type_internal.h"
#include "decode/kafka_columns.h"

namespace frazil::decode {

namespace {

struct ValueColumn {
  const avro::Field* field;
  iceberg::Type type;
};

// Avro names are ASCII, so this is the whole of case.
std::string LowerCase(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

Error Incompatible(const std::string& reason, std::string_view field) {
  return Error(ErrorCode::kSchemaIncompatible, reason + ": field " + std::string(field));
}

Status CheckNames(const avro::Schema& record) {
  std::map<std::string, std::string_view> seen;
  for (const avro::Field& field : record.fields) {
    std::string lower = LowerCase(field.name);
    if (lower.starts_with(kReservedPrefix)) {
      return Incompatible("names that begin with kafka_ are kept for Kafka's own columns",
                          field.name);
    }
    const auto [other, added] = seen.emplace(std::move(lower), field.name);
    if (!added) {
      return Incompatible("two names differ only by case, which query engines do not tell apart",
                          std::string(other->second) + " and field " + field.name);
    }
  }
  return {};
}

Result<std::vector<ValueColumn>> ValueColumns(const avro::Schema& value) {
  if (value.type != avro::Type::kRecord || value.recursive_reference) {
    return Error(ErrorCode::kSchemaIncompatible,
                 "a value that is not a record at its top level cannot be shown as columns: " +
                     avro::Describe(value));
  }
  FRAZIL_RETURN_IF_ERROR(CheckNames(value));
  std::vector<ValueColumn> columns;
  columns.reserve(value.fields.size());
  for (const avro::Field& field : value.fields) {
    const auto shape = ShapeOf(field.schema);
    if (!shape.ok()) return shape.error().Within("field " + field.name);
    if (shape->value == nullptr) continue;
    auto type = ColumnTypeOf(*shape->value);
    if (!type.ok()) return type.error().Within("field " + field.name);
    columns.push_back({&field, std::move(type).value()});
  }
  return columns;
}

// The type of a column that held `before` and shall also hold `after`.
Result<iceberg::Type> WiderType(const iceberg::Type& before, const iceberg::Type& after,
                                std::string_view field) {
  if (before == after || iceberg::IsPromotion(after, before)) return before;
  if (iceberg::IsPromotion(before, after)) return after;
  return Incompatible(
      "a field's type may only be widened (int to long, float to double, a decimal "
      "of more digits and the same scale); give the new type a new name",
      std::string(field) + ", from " + iceberg::ToString(before) + " to " +
          iceberg::ToString(after));
}

Result<MappedSchema> MapColumns(const iceberg::Schema* previous,
                                const std::vector<ValueColumn>& columns, FieldId next_field_id) {
  MappedSchema mapped;
  mapped.next_field_id = std::max(next_field_id, kFirstValueField);
  mapped.schema.version = previous == nullptr ? SchemaVersion{0} : previous->version + 1;
  for (const ValueColumn& column : columns) {
    const std::string& name = column.field->name;
    iceberg::NestedField field{.id = mapped.next_field_id,
                               .name = name,
                               .required = false,
                               .type = column.type,
                               .doc = column.field->doc};
    const iceberg::NestedField* before =
        previous == nullptr ? nullptr : iceberg::FindField(*previous, name);
    if (before != nullptr) {
      field.id = before->id;
      FRAZIL_ASSIGN_OR_RETURN(field.type, WiderType(before->type, column.type, name));
    } else if (mapped.next_field_id.value() == std::numeric_limits<std::int32_t>::max()) {
      return Incompatible("the topic has used up its field ids", name);
    } else {
      mapped.next_field_id = mapped.next_field_id + 1;
    }
    mapped.schema.fields.push_back(std::move(field));
  }
  for (iceberg::NestedField& field : KafkaColumns()) mapped.schema.fields.push_back(field);
  return mapped;
}

}  // namespace

Result<MappedSchema> MapFirstSchema(const avro::Schema& value, FieldId next_field_id) {
  FRAZIL_ASSIGN_OR_RETURN(const auto columns, ValueColumns(value));
  return MapColumns(nullptr, columns, next_field_id);
}

Result<MappedSchema> MapNextSchema(const iceberg::Schema& previous, const avro::Schema& value,
                                   FieldId next_field_id) {
  FRAZIL_ASSIGN_OR_RETURN(const auto columns, ValueColumns(value));
  FRAZIL_ASSIGN_OR_RETURN(auto mapped, MapColumns(&previous, columns, next_field_id));
  if (mapped.schema.fields == previous.fields) {
    return MappedSchema{.schema = previous, .next_field_id = next_field_id};
  }
  return mapped;
}

}  // namespace frazil::decode
