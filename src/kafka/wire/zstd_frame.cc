// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include "base/check.h"
#include "kafka/wire/output_buffer_internal.h"
#include "kafka/wire/zstd_frame_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr int kLevel = 3;
// What every decoder takes, and the most that any level uses.
constexpr int kMaxWindowLog = 27;
// Allocated at once for a frame that claims to fit into it, which is then read in one pass; the
// rest follows as bytes come.
constexpr std::size_t kTrustedBytes = 4U << 20;

std::size_t FirstCapacity(ByteView input) {
  const auto stated = ZSTD_getFrameContentSize(input.data(), input.size());
  if (stated <= kTrustedBytes) return static_cast<std::size_t>(stated);
  return input.size() * 4;
}

}  // namespace

struct ZstdDecompressor::Context {
  Context() : zstd(ZSTD_createDCtx()) {
    if (zstd == nullptr) return;
    FRAZIL_CHECK(ZSTD_isError(ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, kMaxWindowLog)) ==
                 0);
  }
  ~Context() { ZSTD_freeDCtx(zstd); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // nullptr when there was no memory.
  ZSTD_DCtx* zstd;
};

ZstdDecompressor::ZstdDecompressor() = default;
ZstdDecompressor::~ZstdDecompressor() = default;

Result<Buffer> ZstdDecompressor::Decompress(ByteView input, std::size_t max_bytes) {
  if (context_ == nullptr) context_ = std::make_unique<Context>();
  ZSTD_DCtx* const zstd = context_->zstd;
  if (zstd == nullptr || ZSTD_isError(ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only)) != 0) {
    return Error(ErrorCode::kResourceExhausted, "There is no memory for uncompressing zstd data.");
  }
  return DecompressStream("zstd", input, max_bytes, FirstCapacity(input), true,
                          [zstd](ByteView from, std::span<std::uint8_t> to) -> Result<CodecStep> {
                            ZSTD_inBuffer in{from.data(), from.size(), 0};
                            ZSTD_outBuffer out{to.data(), to.size(), 0};
                            const std::size_t left = ZSTD_decompressStream(zstd, &out, &in);
                            if (ZSTD_isError(left) != 0)
                              return DamagedData("zstd", ZSTD_getErrorName(left));
                            return CodecStep{in.pos, out.pos, left == 0};
                          });
}

Bytes CompressZstdFrame(ByteView bytes) {
  Bytes frame(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), kLevel);
  FRAZIL_CHECK(ZSTD_isError(size) == 0);
  frame.resize(size);
  return frame;
}

}  // namespace frazil::kafka::wire
