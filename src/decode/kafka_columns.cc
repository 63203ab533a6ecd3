// SPDX-License-Identifier: Apache-2.0
#include "decode/kafka_columns.h"

#include <algorithm>
#include <utility>

namespace frazil::decode {

using iceberg::Type;
using iceberg::TypeKind;

namespace {

iceberg::NestedField Column(FieldId id, const char* name, bool required, Type type) {
  return {.id = id, .name = name, .required = required, .type = std::move(type), .doc = ""};
}

}  // namespace

ValueFormat FormatOf(const iceberg::Schema& schema) {
  const bool raw = std::ranges::find(schema.fields, kValueField, &iceberg::NestedField::id) !=
                   schema.fields.end();
  return raw ? ValueFormat::kRaw : ValueFormat::kAvro;
}

iceberg::Schema RawSchema() {
  iceberg::Schema schema;
  schema.fields.push_back(Column(kValueField, "kafka_value", false, Type::Of(TypeKind::kBinary)));
  for (iceberg::NestedField& field : KafkaColumns()) schema.fields.push_back(std::move(field));
  return schema;
}

std::vector<iceberg::NestedField> KafkaColumns() {
  Type header =
      Type::Struct({Column(kHeaderKeyField, "key", true, Type::Of(TypeKind::kString)),
                    Column(kHeaderValueField, "value", false, Type::Of(TypeKind::kBinary))});
  return {
      Column(kGenerationField, "kafka_generation", true, Type::Of(TypeKind::kInt)),
      Column(kPartitionField, "kafka_partition", true, Type::Of(TypeKind::kInt)),
      Column(kOffsetField, "kafka_offset", true, Type::Of(TypeKind::kLong)),
      Column(kTimestampField, "kafka_timestamp", false, Type::Of(TypeKind::kTimestamptz)),
      Column(kKeyField, "kafka_key", false, Type::Of(TypeKind::kBinary)),
      Column(kHeadersField, "kafka_headers", true,
             Type::List(kHeadersElementField, std::move(header), true)),
  };
}

}  // namespace frazil::decode
