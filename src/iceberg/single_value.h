// SPDX-License-Identifier: Apache-2.0
// Bounds of a data file's columns: values as bytes, texts cut to size.
// Spec: Apache Iceberg table spec, appendix D "Binary single-value serialization". Pure.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/uuid.h"

namespace frazil::iceberg {

Bytes EncodeBoolean(bool value);
// int; date as days since 1970-01-01.
Bytes EncodeInt(std::int32_t value);
// long; time, timestamp and timestamptz as microseconds.
Bytes EncodeLong(std::int64_t value);
Bytes EncodeFloat(float value);
Bytes EncodeDouble(double value);
// The unscaled value, 16 bytes of two's complement, lowest byte first; gives the fewest bytes that
// hold it, highest first. Zero is one byte.
Bytes EncodeDecimal(const std::array<std::uint8_t, 16>& little_endian);
Bytes EncodeUuid(const Uuid& value);
// A whole text. Bounds go through LowerTextBound and UpperTextBound.
Bytes EncodeString(std::string_view text);
// fixed and binary, whole.
Bytes EncodeBinary(ByteView value);

// The order of bounds of float and double: -0.0 precedes +0.0. NaN stands in no bound; both
// arguments are numbers.
template <typename Float>
bool BoundPrecedes(Float left, Float right) {
  return left < right || (left == right && std::signbit(left) && !std::signbit(right));
}

// Bounds that hold whether a reader takes -0.0 and +0.0 for one value or for two: a lower bound of
// zero is -0.0, an upper one +0.0. Requires: not NaN.
Bytes LowerBound(float value);
Bytes LowerBound(double value);
Bytes UpperBound(float value);
Bytes UpperBound(double value);

// How much of a text, in code points, or of binary, in bytes, a bound keeps.
inline constexpr std::size_t kBoundLength = 16;

// At most 16 code points, well-formed UTF-8, not above the text in byte order. Of a text that is
// not well-formed what stands before the fault counts.
Bytes LowerTextBound(std::string_view text);
// The same, not below the text; nullopt when no such text exists.
std::optional<Bytes> UpperTextBound(std::string_view text);

// At most 16 bytes, not above, and not below the value. nullopt: no such bytes exist.
Bytes LowerBinaryBound(ByteView value);
std::optional<Bytes> UpperBinaryBound(ByteView value);

}  // namespace frazil::iceberg
