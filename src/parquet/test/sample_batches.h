// SPDX-License-Identifier: Apache-2.0
// Batches whose values are written down as JSON, so that a test in any language knows them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "iceberg/schema.h"

namespace frazil::parquet {

struct Sample {
  std::string name;
  iceberg::Schema schema;
  // One JSON array for each column. Numbers may be NaN, Infinity and -Infinity; decimals are texts;
  // dates are days, times and timestamps microseconds; binary, fixed and uuid are texts of
  // characters below 128; structs are objects, maps lists of pairs.
  std::vector<std::string> columns;
  std::shared_ptr<arrow::RecordBatch> batch;
};

// Parses the columns. Ends the process when they do not fit the schema.
Sample MakeSample(std::string name, iceberg::Schema schema, std::vector<std::string> columns);

// The fixed samples: every type, nested ones, a Kafka table, no rows, several pages, and few values
// many times.
std::vector<Sample> FixedSamples();

iceberg::NestedField Field(int id, const std::string& name, iceberg::Type type,
                           bool required = false);
iceberg::Schema SchemaOf(std::vector<iceberg::NestedField> fields);

}  // namespace frazil::parquet
