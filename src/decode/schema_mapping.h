// SPDX-License-Identifier: Apache-2.0
// From the versions of an Avro subject to the versions of a table's schema (R2, R3, R5). Pure.
#pragma once

#include <string_view>

#include "avro/schema.h"
#include "base/ids.h"
#include "base/result.h"
#include "iceberg/schema.h"

namespace frazil::decode {

struct MappedSchema {
  // The value's fields in the writer's order, all optional, then KafkaColumns().
  iceberg::Schema schema;
  // The topic's counter after this version: no id at or above it was ever given away.
  FieldId next_field_id;
};

// The table schema of a subject's first version, with version 0.
// Errors: schema_incompatible, naming the field and the reason, for what cannot be shown: a top
// level that is no record, a field that begins with "kafka_" in any case, two names that differ
// only by case, and (for now) nested fields and unions of several types.
Result<MappedSchema> MapFirstSchema(const avro::Schema& value, FieldId next_field_id);

// The table schema after `previous`, with the next version number. A field keeps its id by name
// when its type is the same or a promotion (int to long, float to double, wider decimal); the type
// never narrows: a subject that goes back to int keeps the long column. A new name gets a new id, a
// missing name leaves the schema, and a name that comes back later gets another id. When nothing
// but the version number would differ from `previous`, `previous` itself is returned.
// Errors: schema_incompatible as above, and for any other change of a field's type.
Result<MappedSchema> MapNextSchema(const iceberg::Schema& previous, const avro::Schema& value,
                                   FieldId next_field_id);

}  // namespace frazil::decode
