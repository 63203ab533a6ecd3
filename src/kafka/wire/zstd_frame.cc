// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
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

std::uint64_t LoadLittleEndian(ByteView bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

// Takes bytes from the front; after a failure there are none.
class FrontTaker {
 public:
  explicit FrontTaker(ByteView bytes) : bytes_(bytes) {}
  ByteView Take(std::size_t count) {
    if (count > bytes_.size()) {
      failed_ = true;
      bytes_ = {};
      return {};
    }
    const ByteView taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::uint64_t Number(std::size_t bytes) { return LoadLittleEndian(Take(bytes)); }
  bool failed() const { return failed_; }
  bool empty() const { return bytes_.empty(); }

 private:
  ByteView bytes_;
  bool failed_ = false;
};

// What a frame's header says (RFC 8878, 3.1.1.1).
struct FrameHeader {
  bool has_checksum = false;
  std::uint64_t content_size = ZSTD_CONTENTSIZE_UNKNOWN;
};

// nullopt for a frame that is damaged, needs a dictionary, or has a window above the limit.
std::optional<FrameHeader> TakeFrameHeader(FrontTaker& input) {
  constexpr std::array<std::size_t, 4> kContentSizeBytes{0, 2, 4, 8};
  if (input.Number(4) != ZSTD_MAGICNUMBER) return std::nullopt;
  const std::uint64_t descriptor = input.Number(1);
  const bool single_segment = (descriptor & 0x20) != 0;
  const bool has_dictionary = (descriptor & 0x03) != 0;
  const bool has_reserved = (descriptor & 0x08) != 0;
  if (has_dictionary || has_reserved) return std::nullopt;
  // Of 2^(10 + exponent) bytes and as many eighths of that as its lowest bits say.
  const std::uint64_t window = single_segment ? 0 : input.Number(1);
  if (window > ((kMaxWindowLog - 10) << 3)) return std::nullopt;
  const std::size_t size_bytes =
      single_segment && descriptor >> 6 == 0 ? 1 : kContentSizeBytes[descriptor >> 6];
  FrameHeader header{.has_checksum = (descriptor & 0x04) != 0};
  if (size_bytes > 0) header.content_size = input.Number(size_bytes) + (size_bytes == 2 ? 256 : 0);
  return header;
}

// The most that the frame at the front can hold, by its blocks' headers (RFC 8878, 3.1.1.2);
// nullopt when that is above the limit or not plain to see.
std::optional<std::size_t> TakeFrame(FrontTaker& input) {
  constexpr std::size_t kBlockBytes = 128 << 10;
  const std::optional<FrameHeader> header = TakeFrameHeader(input);
  if (!header) return std::nullopt;
  std::size_t most = 0;
  for (bool last = false; !last;) {
    const std::uint64_t block = input.Number(3);
    last = (block & 1) != 0;
    const std::uint64_t kind = block >> 1 & 3;  // as it is, one byte repeated, compressed, reserved
    const std::size_t size = block >> 3;
    input.Take(kind == 1 ? 1 : size);
    most += kind == 2 ? kBlockBytes : size;
    if (input.failed() || kind == 3 || most > kTrustedBytes + kBlockBytes) return std::nullopt;
  }
  if (header->has_checksum) input.Take(4);
  most = static_cast<std::size_t>(std::min<std::uint64_t>(most, header->content_size));
  if (input.failed() || most > kTrustedBytes) return std::nullopt;
  return most;
}

std::optional<std::size_t> MostBytes(ByteView frames) {
  FrontTaker input(frames);
  std::size_t most = 0;
  do {
    const std::optional<std::size_t> frame = TakeFrame(input);
    if (!frame || most + *frame > kTrustedBytes) return std::nullopt;
    most += *frame;
  } while (!input.empty());
  return most;
}

// All frames at once, without a window between them and the result.
Result<Buffer> DecompressWhole(ZSTD_DCtx* zstd, ByteView input, std::size_t most,
                               OutputArena& arena) {
  OutputBuffer buffer(arena, most);
  const std::span<std::uint8_t> room = buffer.free();
  const std::size_t size =
      ZSTD_decompressDCtx(zstd, room.data(), room.size(), input.data(), input.size());
  if (ZSTD_isError(size) != 0) return DamagedData("zstd", ZSTD_getErrorName(size));
  buffer.Advance(size);
  return std::move(buffer).Release();
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

Result<Buffer> ZstdDecompressor::Decompress(ByteView input, std::size_t max_bytes,
                                            OutputArena& arena) {
  if (context_ == nullptr) context_ = std::make_unique<Context>();
  ZSTD_DCtx* const zstd = context_->zstd;
  if (zstd == nullptr || ZSTD_isError(ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only)) != 0) {
    return Error(ErrorCode::kResourceExhausted, "There is no memory for uncompressing zstd data.");
  }
  const std::optional<std::size_t> most = MostBytes(input);
  if (most && *most <= max_bytes) return DecompressWhole(zstd, input, *most, arena);
  return DecompressStream("zstd", input, max_bytes, arena, FirstCapacity(input), true,
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
