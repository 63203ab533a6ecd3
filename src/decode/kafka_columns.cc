// SPDX-License-Identifier: Apache-2.0
#include "decode/kafka_columns.h"

namespace frazil::decode {

using iceberg::Type;
using iceberg::TypeKind;

std::vector<iceberg::NestedField> KafkaColumns() {
  const auto column = [](FieldId id, const char* name, bool required, Type type) {
    return iceberg::NestedField{
        .id = id, .name = name, .required = required, .type = std::move(type), .doc = ""};
  };
  Type header =
      Type::Struct({column(kHeaderKeyField, "key", true, Type::Of(TypeKind::kString)),
                    column(kHeaderValueField, "value", false, Type::Of(TypeKind::kBinary))});
  return {
      column(kGenerationField, "kafka_generation", true, Type::Of(TypeKind::kInt)),
      column(kPartitionField, "kafka_partition", true, Type::Of(TypeKind::kInt)),
      column(kOffsetField, "kafka_offset", true, Type::Of(TypeKind::kLong)),
      column(kTimestampField, "kafka_timestamp", false, Type::Of(TypeKind::kTimestamptz)),
      column(kKeyField, "kafka_key", false, Type::Of(TypeKind::kBinary)),
      column(kHeadersField, "kafka_headers", true,
             Type::List(kHeadersElementField, std::move(header), true)),
  };
}

}  // namespace frazil::decode
