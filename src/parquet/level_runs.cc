// SPDX-License-Identifier: Apache-2.0
#include "parquet/level_runs.h"

#include <bit>
#include <cstring>

namespace frazil::parquet {
namespace {

constexpr std::int64_t kGroup = 8;

std::uint64_t Groups(std::int64_t count) {
  return static_cast<std::uint64_t>((count + kGroup - 1) / kGroup);
}

// Eight bytes to eight numbers of `width` bits: neighbours are brought together, then pairs, then
// fours.
std::uint64_t Pack(std::uint64_t bytes, int width) {
  constexpr std::uint64_t kEvenBytes = 0x00ff00ff00ff00ff;
  constexpr std::uint64_t kEvenPairs = 0x0000ffff0000ffff;
  constexpr std::uint64_t kLowFour = 0x00000000ffffffff;
  const int gap = 8 - width;
  bytes = (bytes & kEvenBytes) | ((bytes & ~kEvenBytes) >> gap);
  bytes = (bytes & kEvenPairs) | ((bytes & ~kEvenPairs) >> (2 * gap));
  return (bytes & kLowFour) | ((bytes & ~kLowFour) >> (4 * gap));
}

}  // namespace

int BitWidth(std::uint8_t most) { return std::bit_width(most); }

std::size_t VarintSize(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

std::uint8_t* WriteVarint(std::uint64_t value, std::uint8_t* to) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::uint8_t>(value | 0x80);
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}

std::size_t RepeatedRunSize(std::int64_t count) {
  return VarintSize(static_cast<std::uint64_t>(count) << 1) + 1;
}

std::uint8_t* WriteRepeatedRun(std::int64_t count, std::uint8_t value, std::uint8_t* to) {
  to = WriteVarint(static_cast<std::uint64_t>(count) << 1, to);
  *to++ = value;
  return to;
}

std::size_t PackedRunSize(std::int64_t count, int width) {
  return VarintSize((Groups(count) << 1) | 1) +
         static_cast<std::size_t>(Groups(count)) * static_cast<std::size_t>(width);
}

std::uint8_t* WritePackedRun(const std::uint8_t* values, std::int64_t count, int width,
                             std::uint8_t* to) {
  to = WriteVarint((Groups(count) << 1) | 1, to);
  std::uint64_t bytes = 0;
  for (; count >= kGroup; count -= kGroup, values += kGroup, to += width) {
    std::memcpy(&bytes, values, sizeof bytes);
    bytes = Pack(bytes, width);
    std::memcpy(to, &bytes, sizeof bytes);
  }
  if (count == 0) return to;
  bytes = 0;
  std::memcpy(&bytes, values, static_cast<std::size_t>(count));
  bytes = Pack(bytes, width);
  std::memcpy(to, &bytes, sizeof bytes);
  return to + width;
}

std::uint8_t* WritePackedBits(const SlotBits& bits, std::int64_t begin, std::int64_t end,
                              std::uint8_t* to) {
  to = WriteVarint((Groups(end - begin) << 1) | 1, to);
  constexpr std::int64_t kWord = 64;
  for (; end - begin >= kWord; begin += kWord, to += sizeof(std::uint64_t)) {
    const std::uint64_t word = bits.Word(begin, kWord);
    std::memcpy(to, &word, sizeof word);
  }
  if (begin == end) return to;
  const std::uint64_t word = bits.Word(begin, static_cast<int>(end - begin));
  std::memcpy(to, &word, sizeof word);
  return to + Groups(end - begin);
}

}  // namespace frazil::parquet
