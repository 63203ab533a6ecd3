// SPDX-License-Identifier: Apache-2.0
// A data file as a manifest describes it.
// Spec: Apache Iceberg table spec, "Data File Fields" and appendix D. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/ids.h"

namespace frazil::iceberg {

// What is known of one leaf column; exact.
struct ColumnMetrics {
  // Bytes in the file.
  std::int64_t column_size = 0;
  // Values, NULLs and NaNs included.
  std::int64_t value_count = 0;
  std::int64_t null_count = 0;
  // Float and double only; -1: not counted.
  std::int64_t nan_count = -1;
  // Single-value serialization (appendix D); empty optional: no bound, as where all values are NULL
  // or NaN; where some are NaN there is no upper one. A text or binary bound may be cut: lower
  // down, upper up.
  std::optional<Bytes> lower_bound;
  std::optional<Bytes> upper_bound;

  friend bool operator==(const ColumnMetrics&, const ColumnMetrics&) = default;
};

// Unpartitioned data files only, for now.
struct DataFile {
  std::string path;
  std::int64_t record_count = 0;
  std::int64_t file_size = 0;
  // Keyed by field id, ascending; one entry for each leaf.
  std::map<FieldId, ColumnMetrics> columns;

  friend bool operator==(const DataFile&, const DataFile&) = default;
};

}  // namespace frazil::iceberg
