// SPDX-License-Identifier: Apache-2.0
// Arrow columns to the Parquet bytes of one virtual data file, with exact statistics.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "iceberg/data_file.h"
#include "iceberg/schema.h"

namespace arrow {
class RecordBatch;
}

namespace frazil::parquet {

// Part of every chunk's name (R4): raised whenever the same columns would give other bytes, be it
// by a change here or by another version of libparquet.
inline constexpr int kEncoderVersion = 1;

struct EncodedChunk {
  Bytes file;
  std::int64_t record_count = 0;
  // One entry for each leaf of the schema.
  std::map<FieldId, iceberg::ColumnMetrics> columns;
};

// The same batch and schema give the same bytes, in every process. Parquet columns carry the
// schema's field ids.
// Requires: the batch's columns are those of `schema`, in order (decode::DecodeBlocks).
// Errors: path_not_reproducible for an encoder version that this build does not have;
// resource_exhausted when there is no memory; internal when batch and schema do not agree (types,
// NULL in a required field, a decimal wider than its precision).
Result<EncodedChunk> EncodeChunk(const arrow::RecordBatch& batch, const iceberg::Schema& schema,
                                 int encoder_version = kEncoderVersion);

}  // namespace frazil::parquet
