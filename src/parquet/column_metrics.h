// SPDX-License-Identifier: Apache-2.0
// Counts and bounds of a column's leaves, from its Arrow values. Internal to this module.
#pragma once

#include <map>

#include <arrow/type_fwd.h>

#include "base/ids.h"
#include "base/result.h"
#include "iceberg/data_file.h"
#include "iceberg/schema.h"

namespace frazil::parquet {

using MetricsByField = std::map<FieldId, iceberg::ColumnMetrics>;

// Adds one entry for each leaf of `field` to `metrics`; column_size stays 0.
//
// A leaf outside lists and maps has one value for each row: NULL where it or a struct around it is.
// A leaf inside has one value for each element that exists, and no bounds: readers use bounds of
// columns that have one value a row only. Uuids have no bounds, because readers differ in their
// order; nor has a fixed longer than a bound may be, because a cut one cannot be read.
// Requires: `column` comes from ConformColumn(field).
// Errors: internal, naming the field, for a NULL in a required field whose parents are there, and
// for a decimal that its precision cannot hold.
Status AddColumnMetrics(const iceberg::NestedField& field, const arrow::Array& column,
                        MetricsByField& metrics);

}  // namespace frazil::parquet
