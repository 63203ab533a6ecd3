// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <snappy.h>

#include "kafka/wire/output_buffer_internal.h"
#include "kafka/wire/snappy_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
// With the two versions, which readers do not mind.
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kLengthBytes = 4;
// The best that Snappy can do: a copy of 64 bytes in 3.
constexpr std::size_t kMaxRatio = 22;

const char* Chars(ByteView bytes) { return reinterpret_cast<const char*>(bytes.data()); }

bool StartsWithHeader(ByteView bytes) {
  return bytes.size() >= kHeaderBytes && std::ranges::equal(bytes.first(kMagic.size()), kMagic);
}

// What a raw block says that it holds; 0 when it cannot hold that.
std::size_t ClaimedBytes(ByteView block) {
  std::size_t size = 0;
  const bool stated = snappy::GetUncompressedLength(Chars(block), block.size(), &size);
  return stated && size / kMaxRatio <= block.size() ? size : 0;
}

// Appends what one raw block holds.
Status AppendBlock(ByteView block, std::size_t max_bytes, OutputBuffer& to) {
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(Chars(block), block.size(), &size)) {
    return DamagedData("Snappy", "a block has no length");
  }
  // Nothing is allocated for a length that the block's bytes cannot fill.
  if (size / kMaxRatio > block.size()) {
    return DamagedData("Snappy", "a block claims to hold more than it can");
  }
  if (size > max_bytes - to.size()) return TooMuchData("Snappy", max_bytes);
  if (size > to.free().size()) to.Grow(std::max(to.size() + size, to.capacity() * 2));
  if (!snappy::RawUncompress(Chars(block), block.size(),
                             reinterpret_cast<char*>(to.free().data()))) {
    return DamagedData("Snappy", "a block breaks its format");
  }
  to.Advance(size);
  return {};
}

Status AppendFramed(ByteView input, std::size_t max_bytes, OutputBuffer& to) {
  while (!input.empty()) {
    if (StartsWithHeader(input)) {
      input = input.subspan(kHeaderBytes);
      continue;
    }
    if (input.size() < kLengthBytes) return DamagedData("Snappy", "it ends too early");
    const auto size = LoadBigEndian<std::uint32_t>(input.data());
    input = input.subspan(kLengthBytes);
    if (size > input.size()) return DamagedData("Snappy", "it ends too early");
    FRAZIL_RETURN_IF_ERROR(AppendBlock(input.first(size), max_bytes, to));
    input = input.subspan(size);
  }
  return {};
}

}  // namespace

Result<Buffer> DecompressSnappy(ByteView input, std::size_t max_bytes, OutputArena& arena) {
  const bool framed = StartsWithHeader(input);
  OutputBuffer buffer(arena, std::min(max_bytes, framed ? input.size() * 4 : ClaimedBytes(input)));
  FRAZIL_RETURN_IF_ERROR(framed ? AppendFramed(input, max_bytes, buffer)
                                : AppendBlock(input, max_bytes, buffer));
  return std::move(buffer).Release();
}

Bytes CompressSnappy(ByteView bytes) {
  Bytes block(snappy::MaxCompressedLength(bytes.size()));
  std::size_t size = 0;
  snappy::RawCompress(Chars(bytes), bytes.size(), reinterpret_cast<char*>(block.data()), &size);
  block.resize(size);
  return block;
}

Bytes CompressSnappyFramed(ByteView bytes, std::size_t block_bytes) {
  Bytes framed(kMagic.begin(), kMagic.end());
  AppendBigEndian(std::int32_t{1}, framed);
  AppendBigEndian(std::int32_t{1}, framed);
  while (!bytes.empty()) {
    const ByteView piece = bytes.first(std::min(block_bytes, bytes.size()));
    const Bytes block = CompressSnappy(piece);
    AppendBigEndian(static_cast<std::int32_t>(block.size()), framed);
    Append(block, framed);
    bytes = bytes.subspan(piece.size());
  }
  return framed;
}

}  // namespace frazil::kafka::wire
