// SPDX-License-Identifier: Apache-2.0
#include "parquet/chunk_encoder.h"

#include <exception>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/status.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "parquet/arrow_columns.h"
#include "parquet/column_metrics.h"
#include "parquet/parquet_schema.h"

namespace frazil::parquet {
namespace {

// Collects the file in memory.
class ByteSink final : public arrow::io::OutputStream {
 public:
  explicit ByteSink(std::size_t expected_size) { bytes_.reserve(expected_size); }

  arrow::Status Write(const void* data, std::int64_t size) override {
    const auto* from = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override {
    return static_cast<std::int64_t>(bytes_.size());
  }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }

  std::size_t size() const { return bytes_.size(); }
  Bytes Take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
  bool closed_ = false;
};

// Everything that shapes the file is said here, so that no default of the library's does (R4).
std::shared_ptr<::parquet::WriterProperties> FileProperties(
    const ::parquet::SchemaDescriptor& leaves) {
  constexpr std::int64_t kPageBytes = std::int64_t{1024} * 1024;
  constexpr std::int64_t kPageRows = 20'000;
  constexpr std::int64_t kWriteBatchRows = 1024;
  constexpr std::size_t kMaxStatisticsBytes = 4096;
  ::parquet::WriterProperties::Builder builder;
  builder.version(::parquet::ParquetVersion::PARQUET_2_6)
      ->data_page_version(::parquet::ParquetDataPageVersion::V1)
      ->memory_pool(arrow::system_memory_pool())
      ->created_by("frazil encoder " + std::to_string(kEncoderVersion))
      ->compression(::parquet::Compression::UNCOMPRESSED)
      ->encoding(::parquet::Encoding::PLAIN)
      ->disable_dictionary()
      ->enable_statistics()
      ->max_statistics_size(kMaxStatisticsBytes)
      ->disable_write_page_index()
      ->set_size_statistics_level(::parquet::SizeStatisticsLevel::None)
      ->disable_page_checksum()
      ->disable_content_defined_chunking()
      ->data_pagesize(kPageBytes)
      ->max_rows_per_page(kPageRows)
      ->write_batch_size(kWriteBatchRows)
      ->max_row_group_length(std::numeric_limits<std::int64_t>::max());
  // Statistics leave NaN out, and engines that sort it above all numbers (DuckDB) would skip the
  // row groups that hold it: x > 1 is true for NaN there.
  for (int i = 0; i < leaves.num_columns(); ++i) {
    const ::parquet::ColumnDescriptor& leaf = *leaves.Column(i);
    const bool may_be_nan = leaf.physical_type() == ::parquet::Type::FLOAT ||
                            leaf.physical_type() == ::parquet::Type::DOUBLE;
    if (may_be_nan) builder.disable_statistics(leaf.path());
  }
  return builder.build();
}

std::shared_ptr<::parquet::ArrowWriterProperties> ColumnProperties() {
  ::parquet::ArrowWriterProperties::Builder builder;
  builder.disable_deprecated_int96_timestamps();
  builder.set_use_threads(false);
  return builder.build();
}

Error LibraryError(const arrow::Status& status) {
  if (status.IsOutOfMemory()) {
    return Error(ErrorCode::kResourceExhausted, "there is no memory to encode a Parquet file");
  }
  return Error(ErrorCode::kInternal, "Parquet encoding failed: " + status.message());
}

#define RETURN_IF_NOT_OK(expression)                                     \
  do {                                                                   \
    if (arrow::Status arrow_status = (expression); !arrow_status.ok()) { \
      return LibraryError(arrow_status);                                 \
    }                                                                    \
  } while (false)

// Plain pages are about as long as Arrow's buffers; with the room at hand nothing is copied twice.
std::size_t ExpectedSize(const arrow::RecordBatch& batch) {
  constexpr std::int64_t kFooterBytes = std::int64_t{16} * 1024;
  std::int64_t size = kFooterBytes;
  for (const auto& column : batch.columns()) {
    size += arrow::util::ReferencedBufferSize(*column->data()).ValueOr(0);
  }
  return static_cast<std::size_t>(size);
}

// The library's exceptions end here.
template <typename Call>
auto Guarded(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::kResourceExhausted, "there is no memory to encode a Parquet file");
  } catch (const std::exception& exception) {
    return Error(ErrorCode::kInternal, std::string("Parquet encoding failed: ") + exception.what());
  }
}

}  // namespace

class ChunkEncoder::File {
 public:
  File(const iceberg::Schema& schema, std::size_t expected_bytes)
      : schema_(schema), meter_(schema_), sink_(std::make_shared<ByteSink>(expected_bytes)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Status Open() {
    FRAZIL_ASSIGN_OR_RETURN(const auto root, ParquetSchema(schema_));
    ::parquet::SchemaDescriptor leaves;
    leaves.Init(root);
    auto file = ::parquet::ParquetFileWriter::Open(
        sink_, std::static_pointer_cast<::parquet::schema::GroupNode>(root),
        FileProperties(leaves));
    RETURN_IF_NOT_OK(::parquet::arrow::FileWriter::Make(arrow::system_memory_pool(),
                                                        std::move(file), ArrowSchema(schema_),
                                                        ColumnProperties(), &writer_));
    return {};
  }

  Status Append(const arrow::RecordBatch& batch) {
    if (batch.num_columns() != static_cast<int>(schema_.fields.size())) {
      return Error(ErrorCode::kInternal, "the batch and its schema differ in their columns: " +
                                             std::to_string(batch.num_columns()) + " and " +
                                             std::to_string(schema_.fields.size()));
    }
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (int i = 0; i < batch.num_columns(); ++i) {
      const auto& field = schema_.fields[static_cast<std::size_t>(i)];
      FRAZIL_ASSIGN_OR_RETURN(auto column, ConformColumn(field, batch.column(i)));
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

  std::size_t bytes_written() const { return sink_->size(); }

  Result<EncodedChunk> Finish() {
    RETURN_IF_NOT_OK(writer_->Close());
    EncodedChunk chunk{.file = {}, .record_count = record_count_, .columns = meter_.Metrics()};
    const auto footer = writer_->metadata();
    for (int group = 0; group < footer->num_row_groups(); ++group) {
      const auto row_group = footer->RowGroup(group);
      for (int i = 0; i < row_group->num_columns(); ++i) {
        const FieldId id(footer->schema()->Column(i)->schema_node()->field_id());
        chunk.columns.at(id).column_size += row_group->ColumnChunk(i)->total_compressed_size();
      }
    }
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

ChunkEncoder::ChunkEncoder(std::unique_ptr<File> file) : file_(std::move(file)) {}
ChunkEncoder::ChunkEncoder(ChunkEncoder&& other) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&& other) noexcept = default;
ChunkEncoder::~ChunkEncoder() = default;

Result<ChunkEncoder> ChunkEncoder::Open(const iceberg::Schema& schema, int encoder_version,
                                        std::size_t expected_file_bytes) {
  if (encoder_version != kEncoderVersion) {
    return Error(
        ErrorCode::kPathNotReproducible,
        "this build cannot encode chunks of encoder version " + std::to_string(encoder_version));
  }
  return Guarded([&]() -> Result<ChunkEncoder> {
    auto file = std::make_unique<File>(schema, expected_file_bytes);
    FRAZIL_RETURN_IF_ERROR(file->Open());
    return ChunkEncoder(std::move(file));
  });
}

Status ChunkEncoder::Append(const arrow::RecordBatch& batch) {
  return Guarded([&] { return file_->Append(batch); });
}

std::size_t ChunkEncoder::bytes_written() const { return file_->bytes_written(); }

Result<EncodedChunk> ChunkEncoder::Finish() {
  return Guarded([&] { return file_->Finish(); });
}

Result<EncodedChunk> EncodeChunk(const arrow::RecordBatch& batch, const iceberg::Schema& schema,
                                 int encoder_version) {
  FRAZIL_ASSIGN_OR_RETURN(ChunkEncoder encoder,
                          ChunkEncoder::Open(schema, encoder_version, ExpectedSize(batch)));
  FRAZIL_RETURN_IF_ERROR(encoder.Append(batch));
  return encoder.Finish();
}

}  // namespace frazil::parquet
