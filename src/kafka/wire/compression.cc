// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/compression.h"

#include <string>

#include "base/check.h"
#include "kafka/wire/gzip_internal.h"
#include "kafka/wire/lz4_frame_internal.h"
#include "kafka/wire/output_buffer_internal.h"
#include "kafka/wire/snappy_internal.h"
#include "kafka/wire/zstd_frame_internal.h"

namespace frazil::kafka::wire {

struct Decompressor::Contexts {
  GzipDecompressor gzip;
  Lz4Decompressor lz4;
  ZstdDecompressor zstd;
  OutputArena arena;
};

Decompressor::Decompressor() : contexts_(std::make_unique<Contexts>()) {}

Decompressor::~Decompressor() = default;

Result<Buffer> Decompressor::Decompress(CompressionCodec codec, ByteView input,
                                        std::size_t max_bytes) {
  switch (codec) {
    case CompressionCodec::kGzip:
      return contexts_->gzip.Decompress(input, max_bytes, contexts_->arena);
    case CompressionCodec::kSnappy:
      return DecompressSnappy(input, max_bytes, contexts_->arena);
    case CompressionCodec::kLz4:
      return contexts_->lz4.Decompress(input, max_bytes, contexts_->arena);
    case CompressionCodec::kZstd:
      return contexts_->zstd.Decompress(input, max_bytes, contexts_->arena);
    case CompressionCodec::kNone:
      break;
  }
  return Error(ErrorCode::kCorruptData,
               "A Kafka record batch breaks its format: there is no compression codec " +
                   std::to_string(static_cast<int>(codec)) + ".");
}

Bytes Compress(CompressionCodec codec, ByteView bytes) {
  switch (codec) {
    case CompressionCodec::kGzip:
      return CompressGzip(bytes);
    case CompressionCodec::kSnappy:
      return CompressSnappy(bytes);
    case CompressionCodec::kLz4:
      return CompressLz4Frame(bytes);
    case CompressionCodec::kZstd:
      return CompressZstdFrame(bytes);
    case CompressionCodec::kNone:
      break;
  }
  FRAZIL_CHECK(false);
  return {};
}

}  // namespace frazil::kafka::wire
