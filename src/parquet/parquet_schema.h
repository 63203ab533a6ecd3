// SPDX-License-Identifier: Apache-2.0
// An Iceberg schema as a Parquet schema. Internal to this module.
// Spec: Apache Iceberg table spec, appendix A "Parquet".
#pragma once

#include <cstddef>

#include <parquet/schema.h>

#include "base/result.h"
#include "iceberg/schema.h"

namespace frazil::parquet {

// The root group. Every node but the repeated ones carries its field id; lists are
// LIST/"list"/"element", maps MAP/"key_value"/"key","value".
// Errors: internal for what Parquet cannot hold (a struct without fields, a decimal or fixed out of
// its bounds).
Result<::parquet::schema::NodePtr> ParquetSchema(const iceberg::Schema& schema);

// Whether a decimal is a number of 4 or 8 bytes, as those of up to 18 digits are, and not bytes.
bool IsDecimalNumber(const iceberg::Type& type);

// Bytes of a plain value; 0: of any length (string, binary), or less than one (boolean).
// Requires: a leaf that ParquetSchema takes.
std::size_t ParquetWidth(const iceberg::Type& type);

}  // namespace frazil::parquet
