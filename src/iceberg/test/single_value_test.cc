// SPDX-License-Identifier: Apache-2.0
#include "iceberg/single_value.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace frazil::iceberg {
namespace {

std::array<std::uint8_t, 16> LittleEndian(__int128 value) {
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

std::string Repeated(const std::string& unit, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += unit;
  return text;
}

TEST(SingleValue, EncodesEachTypeAsAppendixDSays) {
  EXPECT_EQ(HexEncode(EncodeBoolean(false)), "00");
  EXPECT_EQ(HexEncode(EncodeBoolean(true)), "01");
  EXPECT_EQ(HexEncode(EncodeInt(-2)), "feffffff");
  EXPECT_EQ(HexEncode(EncodeLong(0x0102030405060708)), "0807060504030201");
  EXPECT_EQ(HexEncode(EncodeFloat(1.5F)), "0000c03f");
  EXPECT_EQ(HexEncode(EncodeDouble(-2.0)), "00000000000000c0");
  EXPECT_EQ(HexEncode(EncodeString("\xE2\x82\xAC")), "e282ac");
  EXPECT_EQ(HexEncode(EncodeBinary(Bytes{1, 2})), "0102");
  EXPECT_EQ(HexEncode(EncodeUuid(Uuid::Parse("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1").value())),
            "8f14e45fceea467fa0e64ad3b9f6e6b1");
}

TEST(SingleValue, EncodesDecimalsInTheFewestBytes) {
  const std::vector<std::pair<__int128, const char*>> cases = {
      {0, "00"},      {1, "01"},         {-1, "ff"},       {127, "7f"},
      {128, "0080"},  {-128, "80"},      {-129, "ff7f"},   {255, "00ff"},
      {-725, "fd2b"}, {32768, "008000"}, {-32768, "8000"}, {1420, "058c"}};
  for (const auto& [value, hex] : cases) {
    EXPECT_EQ(HexEncode(EncodeDecimal(LittleEndian(value))), hex) << static_cast<long>(value);
  }
  const auto highest = static_cast<__int128>(~static_cast<unsigned __int128>(0) >> 1);
  EXPECT_EQ(HexEncode(EncodeDecimal(LittleEndian(highest))), "7f" + Repeated("ff", 15));
  EXPECT_EQ(HexEncode(EncodeDecimal(LittleEndian(-highest - 1))), "80" + Repeated("00", 15));
}

TEST(SingleValue, PutsNegativeZeroBeforeZero) {
  EXPECT_TRUE(BoundPrecedes(-0.0, 0.0));
  EXPECT_FALSE(BoundPrecedes(0.0, -0.0));
  EXPECT_FALSE(BoundPrecedes(0.0, 0.0));
  EXPECT_TRUE(BoundPrecedes(-1.0F, -0.0F));
  EXPECT_TRUE(BoundPrecedes(0.0F, 1.0F));
}

TEST(SingleValue, WidensBoundsOfZeroToBothZeros) {
  EXPECT_EQ(HexEncode(LowerBound(0.0F)), "00000080");
  EXPECT_EQ(HexEncode(LowerBound(-0.0F)), "00000080");
  EXPECT_EQ(HexEncode(UpperBound(-0.0F)), "00000000");
  EXPECT_EQ(HexEncode(LowerBound(0.0)), "0000000000000080");
  EXPECT_EQ(HexEncode(UpperBound(-0.0)), "0000000000000000");
  EXPECT_EQ(LowerBound(2.5), EncodeDouble(2.5));
  EXPECT_EQ(UpperBound(-2.5F), EncodeFloat(-2.5F));
}

struct TextCase {
  std::string text;
  std::string lower;
  std::optional<std::string> upper;
};

// The texts of field case B109, and the ends of UTF-8's ranges.
std::vector<TextCase> TextCases() {
  const std::string a15(15, 'a');
  const std::string last = "\xF4\x8F\xBF\xBF";  // U+10FFFF
  return {
      {"", "", ""},
      {std::string(16, 'a'), std::string(16, 'a'), std::string(16, 'a')},
      {std::string(17, 'a'), std::string(16, 'a'), a15 + "b"},
      {a15 + "\xE2\x80\x99zzz", a15 + "\xE2\x80\x99", a15 + "\xE2\x80\x9A"},
      {Repeated("\xC3\xA9", 20), Repeated("\xC3\xA9", 16), Repeated("\xC3\xA9", 15) + "\xC3\xAA"},
      {Repeated("\xE6\xBC\xA2", 20), Repeated("\xE6\xBC\xA2", 16),
       Repeated("\xE6\xBC\xA2", 15) + "\xE6\xBC\xA3"},
      {"{\"owner\":\"Si\xC3\xA2n O\xE2\x80\x99Shea\"}", "{\"owner\":\"Si\xC3\xA2n O",
       "{\"owner\":\"Si\xC3\xA2n P"},
      // One, two, three bytes become one more; U+D7FF is followed by U+E000.
      {a15 + "\x7Fx", a15 + "\x7F", a15 + "\xC2\x80"},
      {a15 + "\xDF\xBFx", a15 + "\xDF\xBF", a15 + "\xE0\xA0\x80"},
      {a15 + "\xEF\xBF\xBFx", a15 + "\xEF\xBF\xBF", a15 + "\xF0\x90\x80\x80"},
      {a15 + "\xED\x9F\xBFx", a15 + "\xED\x9F\xBF", a15 + "\xEE\x80\x80"},
      // The last code point has no successor.
      {a15 + last + "x", a15 + last, std::string(14, 'a') + "b"},
      {Repeated(last, 17), Repeated(last, 16), std::nullopt},
      {Repeated(last, 16), Repeated(last, 16), Repeated(last, 16)},
      // Not UTF-8: what stands before the fault counts.
      {"ab\xFFz", "ab", "ac"},
      {"ab\xED\xA0\x80", "ab", "ac"},
      {"ab\xE2\x82", "ab", "ac"},
      {"\xFF", "", std::nullopt},
      {"\x80", "", std::nullopt},
  };
}

TEST(SingleValue, CutsTextBoundsBetweenCodePoints) {
  for (const TextCase& c : TextCases()) {
    const Bytes lower = LowerTextBound(c.text);
    const auto upper = UpperTextBound(c.text);
    EXPECT_EQ(AsText(lower), c.lower) << HexEncode(AsBytes(c.text));
    ASSERT_EQ(upper.has_value(), c.upper.has_value()) << HexEncode(AsBytes(c.text));
    EXPECT_TRUE(IsUtf8(lower));
    EXPECT_LE(AsText(lower), c.text);
    if (!upper) continue;
    EXPECT_EQ(AsText(*upper), *c.upper);
    EXPECT_TRUE(IsUtf8(*upper));
    EXPECT_GE(AsText(*upper), c.text);
  }
}

TEST(SingleValue, CutsBinaryBounds) {
  const Bytes short_value(16, 0xff);
  EXPECT_EQ(LowerBinaryBound(short_value), short_value);
  EXPECT_EQ(UpperBinaryBound(short_value), short_value);
  Bytes value(20, 0xff);
  EXPECT_EQ(LowerBinaryBound(value), short_value);
  EXPECT_EQ(UpperBinaryBound(value), std::nullopt);
  value[3] = 0x7f;
  EXPECT_EQ(HexEncode(UpperBinaryBound(value).value()), "ffffff80");
  value.assign(17, 0);
  EXPECT_EQ(HexEncode(UpperBinaryBound(value).value()), Repeated("00", 15) + "01");
  EXPECT_EQ(UpperBinaryBound({}), Bytes());
}

}  // namespace
}  // namespace frazil::iceberg
