// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>

#include "decode/decimal_internal.h"

namespace frazil::decode {

namespace {

constexpr int kMostDigits = 38;

// 10^0 to 10^38.
constexpr std::array<Decimal, kMostDigits + 1> kPowersOfTen = [] {
  std::array<Decimal, kMostDigits + 1> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

}  // namespace

Flaw ReadDecimal(ByteView bytes, int precision, Decimal& value) {
  if (bytes.empty()) return Flaw::kEmptyDecimal;
  const std::uint8_t sign = (bytes.front() & 0x80) != 0 ? 0xff : 0x00;
  std::size_t begin = 0;
  while (begin < bytes.size() && bytes[begin] == sign) ++begin;
  if (bytes.size() - begin > sizeof(Decimal)) return Flaw::kWideDecimal;
  unsigned __int128 bits = sign == 0 ? 0 : ~static_cast<unsigned __int128>(0);
  for (std::size_t i = begin; i < bytes.size(); ++i) bits = (bits << 8) | bytes[i];
  value = static_cast<Decimal>(bits);
  // Sixteen bytes whose sign bit says otherwise held a number of 129 bits.
  if ((value < 0) != (sign != 0)) return Flaw::kWideDecimal;
  const Decimal limit = kPowersOfTen[static_cast<std::size_t>(precision)];
  return value < limit && value > -limit ? Flaw::kNone : Flaw::kWideDecimal;
}

std::int64_t ShortLimit(int precision) {
  const Decimal limit = kPowersOfTen[static_cast<std::size_t>(precision)];
  return static_cast<std::int64_t>(
      std::min<Decimal>(limit, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace frazil::decode
