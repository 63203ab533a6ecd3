// SPDX-License-Identifier: Apache-2.0
// An Iceberg schema as a Parquet schema. Internal to this module.
// Spec: Apache Iceberg table spec, appendix A "Parquet".
#pragma once

#include <parquet/schema.h>

#include "base/result.h"
#include "iceberg/schema.h"

namespace frazil::parquet {

// The root group. Every node but the repeated ones carries its field id; lists are
// LIST/"list"/"element", maps MAP/"key_value"/"key","value".
// Errors: internal for what Parquet cannot hold (a struct without fields, a decimal or fixed out of
// its bounds).
Result<::parquet::schema::NodePtr> ParquetSchema(const iceberg::Schema& schema);

}  // namespace frazil::parquet
