// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "decode/decimal_internal.h"

namespace frazil::decode {
namespace {

Flaw Read(const std::string& hex, int precision, Decimal& value) {
  return ReadDecimal(*HexDecode(hex), precision, value);
}

std::int64_t ValueOf(const std::string& hex, int precision = 38) {
  Decimal value = 0;
  EXPECT_EQ(Read(hex, precision, value), Flaw::kNone) << hex;
  return static_cast<std::int64_t>(value);
}

TEST(Decimal, BytesAreTwosComplementWithAnyPadding) {
  EXPECT_EQ(ValueOf("97"), -105);
  EXPECT_EQ(ValueOf("ff97"), -105);
  EXPECT_EQ(ValueOf("00ff"), 255);
  EXPECT_EQ(ValueOf("ff"), -1);
  EXPECT_EQ(ValueOf("000001"), 1);
  EXPECT_EQ(ValueOf("00"), 0);
  EXPECT_EQ(ValueOf("7f"), 127);
  EXPECT_EQ(ValueOf("80"), -128);
  EXPECT_EQ(ValueOf(std::string(200, 'f')), -1);
  EXPECT_EQ(ValueOf(std::string(200, '0') + "7f"), 127);
}

TEST(Decimal, DigitsAreCountedOnBothSidesOfZero) {
  Decimal value = 0;
  EXPECT_EQ(ValueOf("63", 2), 99);
  EXPECT_EQ(ValueOf("9d", 2), -99);
  EXPECT_EQ(Read("64", 2, value), Flaw::kWideDecimal);
  EXPECT_EQ(Read("9c", 2, value), Flaw::kWideDecimal);
}

TEST(Decimal, TheWidestNumbersFit) {
  Decimal value = 0;
  // 10^38 - 1 and its negative.
  EXPECT_EQ(Read("4b3b4ca85a86c47a098a223fffffffff", 38, value), Flaw::kNone);
  const Decimal widest = value;
  EXPECT_EQ(Read("b4c4b357a5793b85f675ddc000000001", 38, value), Flaw::kNone);
  EXPECT_EQ(value, -widest);
  EXPECT_EQ(Read("4b3b4ca85a86c47a098a224000000000", 38, value), Flaw::kWideDecimal);
  EXPECT_EQ(Read("b4c4b357a5793b85f675ddc000000000", 38, value), Flaw::kWideDecimal);
}

TEST(Decimal, NumbersBeyond128BitsAreRefusedAndNotCut) {
  Decimal value = 0;
  EXPECT_EQ(Read("0100000000000000000000000000000000", 38, value), Flaw::kWideDecimal);
  EXPECT_EQ(Read("00ffffffffffffffffffffffffffffffff", 38, value), Flaw::kWideDecimal);
  EXPECT_EQ(Read("ff00000000000000000000000000000001", 38, value), Flaw::kWideDecimal);
  EXPECT_EQ(Read("0000000000ffffffffffffffffffffffffffffffff", 38, value), Flaw::kWideDecimal);
}

TEST(Decimal, NoBytesAreNoNumber) {
  Decimal value = 0;
  EXPECT_EQ(ReadDecimal({}, 10, value), Flaw::kEmptyDecimal);
}

}  // namespace
}  // namespace frazil::decode
