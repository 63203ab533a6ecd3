// SPDX-License-Identifier: Apache-2.0
#include "parquet/test/read_back.h"

#include <memory>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compare.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>

namespace frazil::parquet {

Result<EncodedChunk> EncodeInGroups(const iceberg::Schema& schema, const arrow::RecordBatch& batch,
                                    const std::vector<std::int64_t>& groups, int encoder_version,
                                    std::size_t expected_file_bytes, EncoderOutput output) {
  FRAZIL_ASSIGN_OR_RETURN(ChunkEncoder encoder,
                          ChunkEncoder::Open(schema, encoder_version, expected_file_bytes, output));
  std::int64_t start = 0;
  for (const std::int64_t rows : groups) {
    FRAZIL_RETURN_IF_ERROR(encoder.Append(*batch.Slice(start, rows)));
    start += rows;
  }
  return encoder.Finish();
}

std::string DifferenceFrom(const arrow::RecordBatch& batch, ByteView file) {
  auto opened = ::parquet::arrow::OpenFile(
      std::make_shared<arrow::io::BufferReader>(
          std::make_shared<arrow::Buffer>(file.data(), static_cast<std::int64_t>(file.size()))),
      arrow::default_memory_pool());
  if (!opened.ok()) return opened.status().ToString();
  const auto read = (*opened)->ReadTable();
  if (!read.ok()) return read.status().ToString();
  const arrow::Table& table = **read;
  if (const auto valid = table.ValidateFull(); !valid.ok()) return valid.ToString();
  if (table.num_rows() != batch.num_rows() || table.num_columns() != batch.num_columns()) {
    return "rows or columns differ in number";
  }
  const auto options = arrow::EqualOptions().nans_equal(true).signed_zeros_equal(false);
  for (int i = 0; i < table.num_columns(); ++i) {
    const arrow::ChunkedArray wanted(batch.column(i));
    if (table.field(i)->name() != batch.column_name(i)) return "column " + table.field(i)->name();
    if (!wanted.Equals(*table.column(i), options)) {
      return "column " + table.field(i)->ToString() + "\nwanted " + wanted.ToString() + "\nfound " +
             table.column(i)->ToString();
    }
  }
  return "";
}

}  // namespace frazil::parquet
