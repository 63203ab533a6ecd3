// SPDX-License-Identifier: Apache-2.0
// Which column an Avro schema becomes (docs/types.md). Pure.
#pragma once

#include <optional>

#include "avro/schema.h"
#include "base/result.h"
#include "iceberg/schema.h"

namespace frazil::decode {

// How a field's value stands in a record, and what it becomes.
struct FieldShape {
  // The schema of the value that is not null. Null pointer: the field is always null and gets no
  // column. Points into the schema that was looked at.
  const avro::Schema* value = nullptr;
  // A union's branch number stands before the value.
  bool in_union = false;
  // Numbers of the branches; null_branch is -1 where null is not allowed.
  int null_branch = -1;
  int value_branch = 0;
};

// Errors: schema_incompatible for a union of several types.
Result<FieldShape> ShapeOf(const avro::Schema& schema);

// Errors: schema_incompatible for a type that has no column.
Result<iceberg::Type> ColumnTypeOf(const avro::Schema& value);

}  // namespace frazil::decode
