// SPDX-License-Identifier: Apache-2.0
// Byte buffers and views, and a reader that never runs past its end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"

namespace frazil {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

inline ByteView AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view AsText(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Integers in network (big-endian) order. Requires: sizeof(Integer) readable or writable bytes.
template <typename Integer>
Integer LoadBigEndian(const std::uint8_t* from) {
  static_assert(std::is_integral_v<Integer>);
  std::make_unsigned_t<Integer> value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    value = static_cast<std::make_unsigned_t<Integer>>((static_cast<std::uint64_t>(value) << 8) |
                                                       from[i]);
  }
  return static_cast<Integer>(value);
}

template <typename Integer>
void StoreBigEndian(Integer value, std::uint8_t* to) {
  static_assert(std::is_integral_v<Integer>);
  auto bits = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<Integer>>(value));
  for (std::size_t i = sizeof(Integer); i-- > 0; bits >>= 8)
    to[i] = static_cast<std::uint8_t>(bits);
}

template <typename Integer>
void AppendBigEndian(Integer value, Bytes& to) {
  to.resize(to.size() + sizeof(Integer));
  StoreBigEndian(value, to.data() + to.size() - sizeof(Integer));
}

// Little-endian, as Iceberg's single values and Parquet have them.
template <typename Number>
void AppendLittleEndian(Number value, Bytes& to) {
  static_assert(std::endian::native == std::endian::little);
  const auto at = to.size();
  to.resize(at + sizeof(Number));
  std::memcpy(to.data() + at, &value, sizeof(Number));
}

inline void Append(ByteView from, Bytes& to) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace frazil
