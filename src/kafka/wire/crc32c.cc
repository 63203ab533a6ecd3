// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/crc32c.h"

#include <array>
#include <cstring>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#endif

namespace frazil::kafka::wire {
namespace {

constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1) != 0 ? 0x82f63b78U : 0U);
    }
    table[i] = value;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = MakeTable();

}  // namespace

std::uint32_t Crc32cPortable(ByteView bytes) {
  std::uint32_t crc = ~0U;
  for (const std::uint8_t byte : bytes) crc = (crc >> 8) ^ kTable[(crc ^ byte) & 0xff];
  return ~crc;
}

#if defined(__SSE4_2__)
std::uint32_t Crc32c(ByteView bytes) {
  std::uint64_t crc = 0xffffffffU;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  auto tail = static_cast<std::uint32_t>(crc);
  for (; left != 0; --left, ++at) tail = _mm_crc32_u8(tail, *at);
  return ~tail;
}
#else
std::uint32_t Crc32c(ByteView bytes) { return Crc32cPortable(bytes); }
#endif

}  // namespace frazil::kafka::wire
