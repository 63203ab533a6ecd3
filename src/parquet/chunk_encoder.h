// SPDX-License-Identifier: Apache-2.0
// Arrow columns to the Parquet bytes of one virtual data file, with exact statistics.
#pragma once

#include <cstddef>
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

class FileEncoder;

// Part of every chunk's name (R4): raised whenever the same columns would give other bytes, be it
// by a change here or by another version of libparquet. 1: pages by libparquet; 2: pages by us.
inline constexpr int kEncoderVersion = 2;
inline constexpr int kOldestEncoderVersion = 1;

enum class EncoderOutput {
  kFile,
  // All but the bytes. With version 2 no page is written and no memory is taken for them.
  kSizeOnly,
};

struct EncodedChunk {
  // Empty with kSizeOnly.
  Bytes file;
  // Of the file, whether it is here or not.
  std::int64_t file_size = 0;
  std::int64_t record_count = 0;
  // One entry for each leaf of the schema.
  std::map<FieldId, iceberg::ColumnMetrics> columns;
};

// Encodes a file batch by batch, so that only one batch's columns are in memory beside the bytes.
// The same batches and schema give the same bytes, in every process: where one batch ends and the
// next begins is part of the form. Parquet columns carry the schema's field ids.
// Errors of every call: resource_exhausted when there is no memory, or when a page would be larger
// than Parquet can say (2 GiB). After an error only destruction is left.
// Threads: one at a time. Movable; of what was moved from only destruction and assignment are left.
class ChunkEncoder {
 public:
  // Room for `expected_file_bytes` is reserved ahead; 0: unknown. A wrong guess costs memory while
  // the file grows, nothing else. `schema` is copied.
  // Errors: path_not_reproducible for an encoder version that this build does not have; internal
  // for a schema that Parquet cannot hold.
  static Result<ChunkEncoder> Open(const iceberg::Schema& schema, int encoder_version,
                                   std::size_t expected_file_bytes,
                                   EncoderOutput output = EncoderOutput::kFile);

  ChunkEncoder(ChunkEncoder&& other) noexcept;
  ChunkEncoder& operator=(ChunkEncoder&& other) noexcept;
  ~ChunkEncoder();

  // Adds one row group, however many rows there are; a batch without rows adds none.
  // Requires: the batch's columns are those of the schema, in order (decode::DecodeBlocks). Text
  // may come as a dictionary of int32 and utf8: the bytes are those of the same text without one.
  // Errors: internal when batch and schema do not agree (types, NULL in a required field, a decimal
  // wider than its precision, an index beyond its dictionary).
  Status Append(const arrow::RecordBatch& batch);

  // Of the file so far, without its footer; with kSizeOnly as many as there would be.
  std::size_t bytes_written() const;

  // The whole file, with the metrics of all its rows. Called once, as the last call.
  Result<EncodedChunk> Finish();

 private:
  explicit ChunkEncoder(std::unique_ptr<FileEncoder> file);

  std::unique_ptr<FileEncoder> file_;
  std::size_t columns_ = 0;
};

// Open, one Append, Finish; with their errors.
Result<EncodedChunk> EncodeChunk(const arrow::RecordBatch& batch, const iceberg::Schema& schema,
                                 int encoder_version = kEncoderVersion,
                                 EncoderOutput output = EncoderOutput::kFile);

}  // namespace frazil::parquet
