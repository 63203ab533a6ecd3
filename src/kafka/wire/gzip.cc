// SPDX-License-Identifier: Apache-2.0
#define ZLIB_CONST  // its input is not written to
#include <zlib.h>

#include "base/check.h"
#include "kafka/wire/gzip_internal.h"
#include "kafka/wire/output_buffer_internal.h"

namespace frazil::kafka::wire {
namespace {

// The largest window, and gzip's header and trailer around it.
constexpr int kGzipWindowBits = 15 + 16;
constexpr int kMemoryLevel = 8;

uInt Clamp(std::size_t size) { return static_cast<uInt>(std::min<std::size_t>(size, 1U << 30)); }

}  // namespace

struct GzipDecompressor::Context {
  Context() : ready(inflateInit2(&zlib, kGzipWindowBits) == Z_OK) {}
  ~Context() {
    if (ready) inflateEnd(&zlib);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  z_stream zlib{};
  bool ready;
};

GzipDecompressor::GzipDecompressor() = default;
GzipDecompressor::~GzipDecompressor() = default;

Result<Buffer> GzipDecompressor::Decompress(ByteView input, std::size_t max_bytes,
                                            OutputArena& arena) {
  if (context_ == nullptr) context_ = std::make_unique<Context>();
  if (!context_->ready || inflateReset(&context_->zlib) != Z_OK) {
    return Error(ErrorCode::kResourceExhausted, "There is no memory for uncompressing gzip data.");
  }
  z_stream& zlib = context_->zlib;
  return DecompressStream("gzip", input, max_bytes, arena, input.size() * 4, true,
                          [&zlib](ByteView from, std::span<std::uint8_t> to) -> Result<CodecStep> {
                            zlib.next_in = from.data();
                            zlib.avail_in = Clamp(from.size());
                            zlib.next_out = to.data();
                            zlib.avail_out = Clamp(to.size());
                            const int code = inflate(&zlib, Z_NO_FLUSH);
                            CodecStep step;
                            step.taken = Clamp(from.size()) - zlib.avail_in;
                            step.produced = Clamp(to.size()) - zlib.avail_out;
                            step.frame_ended = code == Z_STREAM_END;
                            if (step.frame_ended) inflateReset(&zlib);
                            // Z_BUF_ERROR says that nothing could be done.
                            if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR)
                              return step;
                            return DamagedData("gzip", zlib.msg == nullptr
                                                           ? "error " + std::to_string(code)
                                                           : std::string(zlib.msg));
                          });
}

Bytes CompressGzip(ByteView bytes) {
  z_stream zlib{};
  FRAZIL_CHECK(deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                            Z_DEFAULT_STRATEGY) == Z_OK);
  Bytes compressed(deflateBound(&zlib, bytes.size()));
  zlib.next_in = bytes.data();
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = compressed.data();
  zlib.avail_out = static_cast<uInt>(compressed.size());
  const int code = deflate(&zlib, Z_FINISH);
  compressed.resize(zlib.total_out);
  deflateEnd(&zlib);
  FRAZIL_CHECK(code == Z_STREAM_END);
  return compressed;
}

}  // namespace frazil::kafka::wire
