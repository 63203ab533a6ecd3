// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>
#endif

namespace frazil::kafka::wire {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78U;  // reflected: the lowest bit is x^31

// x * value modulo the polynomial.
constexpr std::uint32_t TimesX(std::uint32_t value) {
  return (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0U);
}

constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = TimesX(value);
    table[i] = value;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = MakeTable();

#if defined(__x86_64__)

// The instruction takes a new word each cycle, but the result of one only three cycles later. So
// three lanes of equal length run side by side, and are joined by carry-less multiplication.
constexpr std::size_t kLongLane = 1024;
constexpr std::size_t kShortLane = 128;

// The factor that moves a sum over `bytes` zeros. The product of two reflected numbers comes out
// multiplied by x, and the instruction that reduces it by x^32: 33 less.
constexpr std::uint32_t PowerOfX(std::size_t bytes) {
  std::uint32_t power = 0x80000000U;  // x^0
  for (std::size_t i = 0; i < 8 * bytes - 33; ++i) power = TimesX(power);
  return power;
}

template <std::size_t kBytes>
[[gnu::target("sse4.2,pclmul")]] std::uint32_t MoveOver(std::uint32_t crc) {
  constexpr std::uint32_t kFactor = PowerOfX(kBytes);
  const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi32_si128(static_cast<int>(crc)),
                                               _mm_cvtsi32_si128(static_cast<int>(kFactor)), 0);
  return static_cast<std::uint32_t>(
      _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(product))));
}

[[gnu::target("sse4.2")]] inline std::uint64_t AddWord(std::uint64_t crc, const std::uint8_t* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return _mm_crc32_u64(crc, word);
}

// The sum after three lanes from `at` on.
template <std::size_t kLane>
[[gnu::target("sse4.2,pclmul")]] std::uint32_t AddLanes(std::uint32_t crc, const std::uint8_t* at) {
  std::uint64_t first = crc;
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  for (std::size_t i = 0; i < kLane; i += 8) {
    first = AddWord(first, at + i);
    second = AddWord(second, at + kLane + i);
    third = AddWord(third, at + 2 * kLane + i);
  }
  return MoveOver<2 * kLane>(static_cast<std::uint32_t>(first)) ^
         MoveOver<kLane>(static_cast<std::uint32_t>(second)) ^ static_cast<std::uint32_t>(third);
}

[[gnu::target("sse4.2,pclmul")]] std::uint32_t Crc32cInLanes(ByteView bytes) {
  std::uint32_t crc = ~0U;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * kLongLane; left -= 3 * kLongLane, at += 3 * kLongLane) {
    crc = AddLanes<kLongLane>(crc, at);
  }
  for (; left >= 3 * kShortLane; left -= 3 * kShortLane, at += 3 * kShortLane) {
    crc = AddLanes<kShortLane>(crc, at);
  }
  for (; left >= 8; left -= 8, at += 8) crc = static_cast<std::uint32_t>(AddWord(crc, at));
  for (; left != 0; --left, ++at) crc = _mm_crc32_u8(crc, *at);
  return ~crc;
}

bool HasInstructions() {
  return __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0;
}

#endif

}  // namespace

std::uint32_t Crc32cPortable(ByteView bytes) {
  std::uint32_t crc = ~0U;
  for (const std::uint8_t byte : bytes) crc = (crc >> 8) ^ kTable[(crc ^ byte) & 0xff];
  return ~crc;
}

std::uint32_t Crc32c(ByteView bytes) {
#if defined(__x86_64__)
  if (HasInstructions()) return Crc32cInLanes(bytes);
#endif
  return Crc32cPortable(bytes);
}

}  // namespace frazil::kafka::wire
