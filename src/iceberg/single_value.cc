// SPDX-License-Identifier: Apache-2.0
#include "iceberg/single_value.h"

#include <algorithm>

#include "base/encoding.h"

namespace frazil::iceberg {
namespace {

template <typename Number>
Bytes LittleEndian(Number value) {
  Bytes bytes;
  AppendLittleEndian(value, bytes);
  return bytes;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The size of the well-formed code point at the start of `text`; 0 when there is none.
std::size_t CodePointSize(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return text.size() >= size && IsUtf8(AsBytes(text.substr(0, size))) ? size : 0;
}

// The first 16 code points, or fewer where the text ends or its first fault stands.
std::string_view FirstCodePoints(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t count = 0; count < kBoundLength; ++count) {
    const std::size_t size = CodePointSize(text.substr(end));
    if (size == 0) break;
    end += size;
  }
  return text.substr(0, end);
}

std::uint32_t DecodeCodePoint(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1) return lead;
  std::uint32_t point = lead & (0x7fU >> bytes.size());
  for (const char c : bytes.substr(1))
    point = (point << 6) | (static_cast<unsigned char>(c) & 0x3f);
  return point;
}

void AppendCodePoint(std::uint32_t point, Bytes& to) {
  const auto tail = [&](int shift) {
    to.push_back(static_cast<std::uint8_t>(0x80 | ((point >> shift) & 0x3f)));
  };
  if (point < 0x80) {
    to.push_back(static_cast<std::uint8_t>(point));
  } else if (point < 0x800) {
    to.push_back(static_cast<std::uint8_t>(0xc0 | (point >> 6)));
    tail(0);
  } else if (point < 0x10000) {
    to.push_back(static_cast<std::uint8_t>(0xe0 | (point >> 12)));
    tail(6);
    tail(0);
  } else {
    to.push_back(static_cast<std::uint8_t>(0xf0 | (point >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

constexpr std::uint32_t kFirstSurrogate = 0xd800;
constexpr std::uint32_t kAfterSurrogates = 0xe000;
constexpr std::uint32_t kLastCodePoint = 0x10ffff;

}  // namespace

Bytes EncodeBoolean(bool value) { return {static_cast<std::uint8_t>(value ? 1 : 0)}; }
Bytes EncodeInt(std::int32_t value) { return LittleEndian(value); }
Bytes EncodeLong(std::int64_t value) { return LittleEndian(value); }
Bytes EncodeFloat(float value) { return LittleEndian(value); }
Bytes EncodeDouble(double value) { return LittleEndian(value); }

Bytes EncodeDecimal(const std::array<std::uint8_t, 16>& little_endian) {
  const std::uint8_t sign = (little_endian.back() & 0x80) != 0 ? 0xff : 0x00;
  std::size_t size = little_endian.size();
  // A leading byte says nothing where it repeats the sign and the next byte shows it too.
  while (size > 1 && little_endian[size - 1] == sign &&
         ((little_endian[size - 2] ^ sign) & 0x80) == 0) {
    --size;
  }
  return {little_endian.rend() - static_cast<std::ptrdiff_t>(size), little_endian.rend()};
}

Bytes EncodeUuid(const Uuid& value) { return {value.bytes.begin(), value.bytes.end()}; }
Bytes EncodeString(std::string_view text) { return EncodeBinary(AsBytes(text)); }
Bytes EncodeBinary(ByteView value) { return {value.begin(), value.end()}; }

Bytes LowerBound(float value) { return EncodeFloat(value == 0 ? -0.0F : value); }
Bytes LowerBound(double value) { return EncodeDouble(value == 0 ? -0.0 : value); }
Bytes UpperBound(float value) { return EncodeFloat(value == 0 ? 0.0F : value); }
Bytes UpperBound(double value) { return EncodeDouble(value == 0 ? 0.0 : value); }

Bytes LowerTextBound(std::string_view text) { return EncodeString(FirstCodePoints(text)); }

std::optional<Bytes> UpperTextBound(std::string_view text) {
  std::string_view kept = FirstCodePoints(text);
  if (kept.size() == text.size()) return EncodeString(text);
  // The last code point that has a successor is raised; those after it are dropped.
  while (!kept.empty()) {
    std::size_t start = kept.size() - 1;
    while (IsContinuation(kept[start])) --start;
    const std::uint32_t point = DecodeCodePoint(kept.substr(start));
    kept = kept.substr(0, start);
    if (point == kLastCodePoint) continue;
    Bytes bound = EncodeString(kept);
    AppendCodePoint(point + 1 == kFirstSurrogate ? kAfterSurrogates : point + 1, bound);
    return bound;
  }
  return std::nullopt;
}

Bytes LowerBinaryBound(ByteView value) {
  return EncodeBinary(value.first(std::min(value.size(), kBoundLength)));
}

std::optional<Bytes> UpperBinaryBound(ByteView value) {
  if (value.size() <= kBoundLength) return EncodeBinary(value);
  Bytes bound = EncodeBinary(value.first(kBoundLength));
  while (!bound.empty() && bound.back() == 0xff) bound.pop_back();
  if (bound.empty()) return std::nullopt;
  ++bound.back();
  return bound;
}

}  // namespace frazil::iceberg
