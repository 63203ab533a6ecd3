// SPDX-License-Identifier: Apache-2.0
// Avro's variable-length integers, read from bare pointers within bounds. Pure.
// Spec: Apache Avro 1.12, "Binary Encoding".
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "decode/flaw_internal.h"

namespace frazil::decode {

inline std::size_t BytesBetween(const std::uint8_t* at, const std::uint8_t* end) {
  return static_cast<std::size_t>(end - at);
}

inline std::int64_t UndoZigZag(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
}

// The general case of ReadLong.
inline Flaw ReadLongSlowly(const std::uint8_t*& at, const std::uint8_t* end, std::int64_t& value) {
  std::uint64_t bits = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at == end) return Flaw::kEndsEarly;
    const std::uint8_t byte = *at++;
    // The tenth byte holds the last bit of 64.
    if (shift == 63 && byte > 1) return Flaw::kLongVarint;
    bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      value = UndoZigZag(bits);
      return Flaw::kNone;
    }
  }
  return Flaw::kLongVarint;
}

// Moves `at` past a zig-zag varint of at most ten bytes.
inline Flaw ReadLong(const std::uint8_t*& at, const std::uint8_t* end, std::int64_t& value) {
  if (at != end && *at < 0x80) {
    value = UndoZigZag(*at++);
    return Flaw::kNone;
  }
  return ReadLongSlowly(at, end, value);
}

inline Flaw ReadInt(const std::uint8_t*& at, const std::uint8_t* end, std::int32_t& value) {
  std::int64_t wide = 0;
  if (const Flaw flaw = ReadLong(at, end, wide); flaw != Flaw::kNone) return flaw;
  value = static_cast<std::int32_t>(wide);
  return value == wide ? Flaw::kNone : Flaw::kIntRange;
}

// The length before bytes or text, checked against what is left.
inline Flaw ReadLength(const std::uint8_t*& at, const std::uint8_t* end, std::size_t& length) {
  std::int64_t signed_length = 0;
  if (const Flaw flaw = ReadLong(at, end, signed_length); flaw != Flaw::kNone) return flaw;
  if (signed_length < 0) return Flaw::kNegativeLength;
  length = static_cast<std::size_t>(signed_length);
  return length <= BytesBetween(at, end) ? Flaw::kNone : Flaw::kEndsEarly;
}

// The next eight bytes of a value as a little-endian number, with zeros in place of what lies
// behind `end`. Requires: at <= end, and the eight bytes before `end` are readable.
inline std::uint64_t LoadWord(const std::uint8_t* at, const std::uint8_t* end) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  const std::size_t left = BytesBetween(at, end);
  if (left >= sizeof(word)) [[likely]] {
    std::memcpy(&word, at, sizeof(word));
    return word;
  }
  if (left == 0) return 0;
  std::memcpy(&word, end - sizeof(word), sizeof(word));
  return word >> (8 * (sizeof(word) - left));
}

// The bits of the varint that a word begins with, and how many bytes it takes; 0: more than eight.
inline std::size_t VarintOfWord(std::uint64_t word, std::uint64_t& bits) {
  const std::uint64_t ends = ~word & 0x8080808080808080;
  // All bits up to the first byte that ends a varint, in groups of seven, then 14, 28 and 56.
  bits = word & (ends ^ (ends - 1)) & 0x7f7f7f7f7f7f7f7f;
  bits = (bits & 0x007f007f007f007f) | ((bits & 0x7f007f007f007f00) >> 1);
  bits = (bits & 0x00003fff00003fff) | ((bits & 0x3fff00003fff0000) >> 2);
  bits = (bits & 0x000000000fffffff) | ((bits & 0x0fffffff00000000) >> 4);
  if (ends == 0) return 0;
  return (static_cast<std::size_t>(std::countr_zero(ends)) + 1) / 8;
}

// A varint of one or two bytes: which of them costs no branch.
struct ShortVarint {
  bool sound;
  std::uint64_t bits;
  std::size_t size;
};
inline ShortVarint ShortVarintOfWord(std::uint64_t word) {
  const std::uint64_t second = (word >> 7) & 1;
  return {.sound = (word & 0x8080) != 0x8080,
          .bits = (word & 0x7f) | ((word >> 1) & 0x3f80 & (0 - second)),
          .size = 1 + second};
}

}  // namespace frazil::decode
