// SPDX-License-Identifier: Apache-2.0
#include "parquet/chunk_encoder.h"

#include <exception>
#include <new>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>

#include "parquet/file_encoder.h"
#include "parquet/library_encoder.h"
#include "parquet/library_error.h"
#include "parquet/page_encoder.h"

namespace frazil::parquet {
namespace {

// Plain pages are about as long as Arrow's buffers; with the room at hand nothing is copied twice.
std::size_t ExpectedSize(const arrow::RecordBatch& batch) {
  constexpr std::int64_t kFooterBytes = std::int64_t{16} * 1024;
  std::int64_t size = kFooterBytes;
  for (const auto& column : batch.columns()) {
    size += arrow::util::ReferencedBufferSize(*column->data()).ValueOr(0);
  }
  return static_cast<std::size_t>(size);
}

// The libraries' exceptions end here.
template <typename Call>
auto Guarded(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::exception& exception) {
    return Error(ErrorCode::kInternal, std::string("Parquet encoding failed: ") + exception.what());
  }
}

}  // namespace

ChunkEncoder::ChunkEncoder(std::unique_ptr<FileEncoder> file) : file_(std::move(file)) {}
ChunkEncoder::ChunkEncoder(ChunkEncoder&& other) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&& other) noexcept = default;
ChunkEncoder::~ChunkEncoder() = default;

Result<ChunkEncoder> ChunkEncoder::Open(const iceberg::Schema& schema, int encoder_version,
                                        std::size_t expected_file_bytes, EncoderOutput output) {
  if (encoder_version < kOldestEncoderVersion || encoder_version > kEncoderVersion) {
    return Error(
        ErrorCode::kPathNotReproducible,
        "this build cannot encode chunks of encoder version " + std::to_string(encoder_version));
  }
  const auto open = encoder_version == 1 ? OpenLibraryEncoder : OpenPageEncoder;
  return Guarded([&]() -> Result<ChunkEncoder> {
    FRAZIL_ASSIGN_OR_RETURN(auto file, open(schema, expected_file_bytes, output));
    ChunkEncoder encoder(std::move(file));
    encoder.columns_ = schema.fields.size();
    return encoder;
  });
}

Status ChunkEncoder::Append(const arrow::RecordBatch& batch) {
  if (static_cast<std::size_t>(batch.num_columns()) != columns_) {
    return Error(ErrorCode::kInternal, "the batch and its schema differ in their columns: " +
                                           std::to_string(batch.num_columns()) + " and " +
                                           std::to_string(columns_));
  }
  return Guarded([&] { return file_->Append(batch); });
}

std::size_t ChunkEncoder::bytes_written() const { return file_->bytes_written(); }

Result<EncodedChunk> ChunkEncoder::Finish() {
  return Guarded([&] { return file_->Finish(); });
}

Result<EncodedChunk> EncodeChunk(const arrow::RecordBatch& batch, const iceberg::Schema& schema,
                                 int encoder_version, EncoderOutput output) {
  FRAZIL_ASSIGN_OR_RETURN(ChunkEncoder encoder,
                          ChunkEncoder::Open(schema, encoder_version, ExpectedSize(batch), output));
  FRAZIL_RETURN_IF_ERROR(encoder.Append(batch));
  return encoder.Finish();
}

}  // namespace frazil::parquet
