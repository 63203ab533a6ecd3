// SPDX-License-Identifier: Apache-2.0
#include <lz4frame.h>

#include "base/check.h"
#include "kafka/wire/lz4_frame_internal.h"
#include "kafka/wire/output_buffer_internal.h"

namespace frazil::kafka::wire {

namespace {

// The most that the frame can hold by its blocks' headers (LZ4 Frame Format, "Data Blocks"), but
// never much more than its own size: what is allocated before anything was uncompressed.
std::size_t ExpectedBytes(ByteView frame) {
  constexpr std::size_t kHeaderBytes = 7;
  const std::size_t usual = frame.size() * 4;
  if (frame.size() < kHeaderBytes) return usual;
  const std::uint8_t flags = frame[4];
  const int block_size_code = frame[5] >> 4 & 7;  // 4: 64 KiB, and four times as much for each more
  if (block_size_code < 4) return usual;
  const std::size_t block_bytes = std::size_t{64 << 10} << (2 * (block_size_code - 4));
  const std::size_t block_checksum = (flags & 0x10) != 0 ? 4 : 0;
  std::size_t at = kHeaderBytes + ((flags & 0x08) != 0 ? 8 : 0) + ((flags & 0x01) != 0 ? 4 : 0);
  std::size_t most = 0;
  while (most < usual && at + 4 <= frame.size()) {
    const std::uint32_t size =
        frame[at] | frame[at + 1] << 8 | frame[at + 2] << 16 | (frame[at + 3] & 0x7fU) << 24;
    if (size == 0) return most;
    most += block_bytes;
    at += 4 + size + block_checksum;
  }
  return usual;
}

}  // namespace

struct Lz4Decompressor::Context {
  Context() { LZ4F_createDecompressionContext(&lz4, LZ4F_VERSION); }
  ~Context() { LZ4F_freeDecompressionContext(lz4); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // nullptr when there was no memory.
  LZ4F_dctx* lz4 = nullptr;
};

Lz4Decompressor::Lz4Decompressor() = default;
Lz4Decompressor::~Lz4Decompressor() = default;

Result<Buffer> Lz4Decompressor::Decompress(ByteView frame, std::size_t max_bytes,
                                           OutputArena& arena) {
  if (context_ == nullptr) context_ = std::make_unique<Context>();
  LZ4F_dctx* const lz4 = context_->lz4;
  if (lz4 == nullptr) {
    return Error(ErrorCode::kResourceExhausted, "There is no memory for uncompressing LZ4 data.");
  }
  LZ4F_resetDecompressionContext(lz4);
  return DecompressStream(
      "LZ4", frame, max_bytes, arena, ExpectedBytes(frame), false,
      [lz4](ByteView input, std::span<std::uint8_t> output) -> Result<CodecStep> {
        CodecStep step{input.size(), output.size(), false};
        const std::size_t hint =
            LZ4F_decompress(lz4, output.data(), &step.produced, input.data(), &step.taken, nullptr);
        if (LZ4F_isError(hint) != 0) return DamagedData("LZ4", LZ4F_getErrorName(hint));
        step.frame_ended = hint == 0;
        return step;
      });
}

Bytes CompressLz4Frame(ByteView bytes) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  Bytes frame(LZ4F_compressFrameBound(bytes.size(), &preferences));
  const std::size_t size =
      LZ4F_compressFrame(frame.data(), frame.size(), bytes.data(), bytes.size(), &preferences);
  FRAZIL_CHECK(LZ4F_isError(size) == 0);
  frame.resize(size);
  return frame;
}

}  // namespace frazil::kafka::wire
