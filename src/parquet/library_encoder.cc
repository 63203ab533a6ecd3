// SPDX-License-Identifier: Apache-2.0
#include "parquet/library_encoder.h"

#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>

#include "parquet/arrow_columns.h"
#include "parquet/column_metrics.h"
#include "parquet/file_properties.h"
#include "parquet/library_error.h"
#include "parquet/parquet_schema.h"

namespace frazil::parquet {
namespace {

constexpr int kVersion = 1;

// Collects the file in memory, or counts its bytes.
class ByteSink final : public arrow::io::OutputStream {
 public:
  ByteSink(std::size_t expected_size, EncoderOutput output) : output_(output) {
    if (output_ == EncoderOutput::kFile) bytes_.reserve(expected_size);
  }

  arrow::Status Write(const void* data, std::int64_t size) override {
    const auto* from = static_cast<const std::uint8_t*>(data);
    if (output_ == EncoderOutput::kFile) bytes_.insert(bytes_.end(), from, from + size);
    size_ += static_cast<std::size_t>(size);
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return static_cast<std::int64_t>(size_); }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }

  std::size_t size() const { return size_; }
  Bytes Take() { return std::move(bytes_); }

 private:
  const EncoderOutput output_;
  Bytes bytes_;
  std::size_t size_ = 0;
  bool closed_ = false;
};

std::shared_ptr<::parquet::ArrowWriterProperties> ColumnProperties() {
  ::parquet::ArrowWriterProperties::Builder builder;
  builder.disable_deprecated_int96_timestamps();
  builder.set_use_threads(false);
  return builder.build();
}

#define RETURN_IF_NOT_OK(expression)                                     \
  do {                                                                   \
    if (arrow::Status arrow_status = (expression); !arrow_status.ok()) { \
      return LibraryError(arrow_status);                                 \
    }                                                                    \
  } while (false)

class LibraryEncoder final : public FileEncoder {
 public:
  LibraryEncoder(const iceberg::Schema& schema, std::size_t expected_bytes, EncoderOutput output)
      : schema_(schema),
        meter_(schema_),
        sink_(std::make_shared<ByteSink>(expected_bytes, output)) {}

  Status Open() {
    FRAZIL_ASSIGN_OR_RETURN(const auto root, ParquetSchema(schema_));
    ::parquet::SchemaDescriptor leaves;
    leaves.Init(root);
    auto file = ::parquet::ParquetFileWriter::Open(
        sink_, std::static_pointer_cast<::parquet::schema::GroupNode>(root),
        FileProperties(leaves, kVersion));
    RETURN_IF_NOT_OK(::parquet::arrow::FileWriter::Make(arrow::system_memory_pool(),
                                                        std::move(file), ArrowSchema(schema_),
                                                        ColumnProperties(), &writer_));
    return {};
  }

  Status Append(const arrow::RecordBatch& batch) override {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (int i = 0; i < batch.num_columns(); ++i) {
      const auto& field = schema_.fields[static_cast<std::size_t>(i)];
      FRAZIL_ASSIGN_OR_RETURN(auto column,
                              ConformColumn(field, batch.column(i), Dictionaries::kUnfold));
      FRAZIL_RETURN_IF_ERROR(meter_.Add(field, *column));
      columns.push_back(std::move(column));
    }
    // A file without rows has no row group at all: readers take that better than an empty one.
    if (batch.num_rows() == 0) return {};
    RETURN_IF_NOT_OK(writer_->NewRowGroup());
    for (const auto& column : columns) RETURN_IF_NOT_OK(writer_->WriteColumnChunk(*column));
    record_count_ += batch.num_rows();
    return {};
  }

  std::size_t bytes_written() const override { return sink_->size(); }

  Result<EncodedChunk> Finish() override {
    RETURN_IF_NOT_OK(writer_->Close());
    EncodedChunk chunk{
        .file = {}, .file_size = 0, .record_count = record_count_, .columns = meter_.Metrics()};
    const auto footer = writer_->metadata();
    for (int group = 0; group < footer->num_row_groups(); ++group) {
      const auto row_group = footer->RowGroup(group);
      for (int i = 0; i < row_group->num_columns(); ++i) {
        const FieldId id(footer->schema()->Column(i)->schema_node()->field_id());
        chunk.columns.at(id).column_size += row_group->ColumnChunk(i)->total_compressed_size();
      }
    }
    chunk.file_size = static_cast<std::int64_t>(sink_->size());
    chunk.file = sink_->Take();
    return chunk;
  }

 private:
  const iceberg::Schema schema_;
  ColumnMeter meter_;
  const std::shared_ptr<ByteSink> sink_;
  std::unique_ptr<::parquet::arrow::FileWriter> writer_;
  std::int64_t record_count_ = 0;
};

#undef RETURN_IF_NOT_OK

}  // namespace

Result<std::unique_ptr<FileEncoder>> OpenLibraryEncoder(const iceberg::Schema& schema,
                                                        std::size_t expected_file_bytes,
                                                        EncoderOutput output) {
  auto encoder = std::make_unique<LibraryEncoder>(schema, expected_file_bytes, output);
  FRAZIL_RETURN_IF_ERROR(encoder->Open());
  return std::unique_ptr<FileEncoder>(std::move(encoder));
}

}  // namespace frazil::parquet
