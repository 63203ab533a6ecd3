// SPDX-License-Identifier: Apache-2.0
// What every version of the encoder offers. Internal to this module.
#pragma once

#include <cstddef>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "parquet/chunk_encoder.h"

namespace frazil::parquet {

// Promises what ChunkEncoder promises of the calls of the same names, but lets exceptions out.
class FileEncoder {
 public:
  FileEncoder() = default;
  FileEncoder(const FileEncoder&) = delete;
  FileEncoder& operator=(const FileEncoder&) = delete;
  virtual ~FileEncoder() = default;

  // Requires: as many columns as the schema has.
  virtual Status Append(const arrow::RecordBatch& batch) = 0;
  virtual std::size_t bytes_written() const = 0;
  virtual Result<EncodedChunk> Finish() = 0;
};

}  // namespace frazil::parquet
