// SPDX-License-Identifier: Apache-2.0
// The Arrow types that stand for Iceberg types, and a batch's columns held against them.
// Internal to this module.
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "iceberg/schema.h"

namespace frazil::parquet {

// boolean bool_; int int32; long int64; float float32; double float64; decimal decimal128;
// date date32; time time64(us); timestamp timestamp(us); timestamptz timestamp(us, UTC);
// string utf8; uuid fixed_size_binary(16); fixed fixed_size_binary(n); binary binary;
// struct struct_; list list; map map. Nullability follows `required` at every level.
// Requires: a type that ParquetSchema takes.
std::shared_ptr<arrow::DataType> ArrowType(const iceberg::Type& type);
std::shared_ptr<arrow::Schema> ArrowSchema(const iceberg::Schema& schema);

// What becomes of text that comes as a dictionary of int32 and utf8.
enum class Dictionaries {
  kUnfold,  // utf8
  kKeep,
};

// The same values under ArrowType(field.type), or with dictionaries in the places of text.
// Definition levels are derived from the nullability in nested types, so that must be the schema's
// own and not the batch's.
// Errors: internal, naming the field, when the column has another type (names, nullability and
// metadata of nested fields, and the name of a time zone, are free), or when a dictionary holds
// NULL or is shorter than an index says; resource_exhausted.
Result<std::shared_ptr<arrow::Array>> ConformColumn(const iceberg::NestedField& field,
                                                    const std::shared_ptr<arrow::Array>& column,
                                                    Dictionaries dictionaries);

}  // namespace frazil::parquet
