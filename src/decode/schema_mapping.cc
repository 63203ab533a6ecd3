// SPDX-License-Identifier: Apache-2.0
#include "decode/schema_mapping.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "decode/kafka_columns.h"
#include "decode/type_mapping_internal.h"

namespace frazil::decode {

namespace {

std::vector<iceberg::NestedField> ValueColumns(const iceberg::Schema& schema) {
  std::vector<iceberg::NestedField> columns;
  for (const iceberg::NestedField& field : schema.fields) {
    if (field.id >= kFirstValueField) columns.push_back(field);
  }
  return columns;
}

Result<MappedSchema> Map(const avro::Schema& value, const iceberg::Schema* previous,
                         FieldId next_field_id) {
  TypeMapper mapper(std::max(next_field_id, kFirstValueField));
  const auto before =
      previous == nullptr ? std::vector<iceberg::NestedField>() : ValueColumns(*previous);
  MappedSchema mapped;
  FRAZIL_ASSIGN_OR_RETURN(
      mapped.schema.fields,
      mapper.MapFields(AsRecord(value), previous == nullptr ? nullptr : &before));
  mapped.schema.version = previous == nullptr ? SchemaVersion{0} : previous->version + 1;
  mapped.next_field_id = mapper.next();
  for (iceberg::NestedField& field : KafkaColumns()) mapped.schema.fields.push_back(field);
  return mapped;
}

}  // namespace

Result<MappedSchema> MapFirstSchema(const avro::Schema& value, FieldId next_field_id) {
  return Map(value, nullptr, next_field_id);
}

Result<MappedSchema> MapNextSchema(const iceberg::Schema& previous, const avro::Schema& value,
                                   FieldId next_field_id) {
  FRAZIL_ASSIGN_OR_RETURN(auto mapped, Map(value, &previous, next_field_id));
  if (mapped.schema.fields == previous.fields) {
    return MappedSchema{.schema = previous, .next_field_id = next_field_id};
  }
  return mapped;
}

}  // namespace frazil::decode
