// SPDX-License-Identifier: Apache-2.0
// Avro's variable-length integers, read from bare pointers within bounds. Pure.
// Spec: Apache Avro 1.12, "Binary Encoding".
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace frazil::decode
