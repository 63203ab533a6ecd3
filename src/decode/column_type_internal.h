// SPDX-License-Identifier: Apache-2.0
// How a field stands in a record, and which column its leaf becomes (docs/types.md). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "avro/schema.h"
#include "base/result.h"
#include "iceberg/schema.h"

namespace frazil::decode {

// Of the three, one holds: `value` is set, `branches` is set, or the field is always null and gets
// no column. Points into the schema that was looked at.
struct FieldShape {
  // The schema of the value that is not null.
  const avro::Schema* value = nullptr;
  // A union of several types beside null.
  const avro::Schema* branches = nullptr;
  // A union's branch number stands before the value.
  bool in_union = false;
  // Numbers of the branches; null_branch is -1 where null is not allowed.
  int null_branch = -1;
  int value_branch = 0;

  bool always_null() const { return value == nullptr && branches == nullptr; }
};

FieldShape ShapeOf(const avro::Schema& schema);

// Record, array or map.
bool IsNested(const avro::Schema& value);

// Whether a value is a time of day, whose column counts microseconds whatever the writer counts.
bool IsTimeOfDay(const avro::Schema& value);

// The column of a value that is not nested.
// Errors: schema_incompatible for a type that has no column.
Result<iceberg::Type> LeafTypeOf(const avro::Schema& value);

// What a branch of a union is known by: the full name of a named type, else the type ("string").
std::string BranchIdentity(const avro::Schema& branch);
// The last part of a full name.
std::string_view SimpleName(std::string_view full_name);
// A branch's column carries its identity in its documentation, so that it is found again whatever
// name the column got.
std::string BranchDoc(const std::string& identity);
// The identity in a column's documentation; empty for a column that is no branch's.
std::string_view IdentityOfBranch(const iceberg::NestedField& column);
// The column of a branch among those of its union; null when there is none. A named type is found
// by its full name, else by an alias, else by its simple name as long as nothing in `others` (the
// union) is the type that the column was made for.
const iceberg::NestedField* FindBranch(const std::vector<iceberg::NestedField>& columns,
                                       const avro::Schema& branch, const avro::Schema& others);

}  // namespace frazil::decode
