// SPDX-License-Identifier: Apache-2.0
// One leaf of a row group as a column chunk: pages, and what the footer says of them.
// Spec: Apache Parquet, "Data Pages", "Dictionary Encoding". Internal to this module.
#pragma once

#include <cstdint>

#include <parquet/statistics.h>

#include "base/result.h"
#include "parquet/file_buffer.h"
#include "parquet/leaf_columns.h"
#include "parquet/leaf_summary.h"

namespace frazil::parquet {

struct ColumnChunk {
  // From the file's start; 0: no dictionary.
  std::int64_t dictionary_offset = 0;
  std::int64_t data_offset = 0;
  std::int64_t bytes = 0;
  std::int32_t data_pages = 0;
  // Its texts are those of the leaf.
  LeafSummary summary;
  ::parquet::EncodedStatistics statistics;
};

// Appends the leaf's pages (PlanPages), all in PLAIN form or all by a dictionary, or counts their
// bytes. Requires: the leaf has entries.
// Errors: internal, naming the field, for a decimal that its precision cannot hold;
// resource_exhausted for a page of more than 2 GiB.
Result<ColumnChunk> WriteColumnChunk(const LeafColumn& leaf, FileBuffer& file);

}  // namespace frazil::parquet
