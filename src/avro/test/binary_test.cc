// SPDX-License-Identifier: Apache-2.0
#include "avro/binary.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace frazil::avro {
namespace {

struct LongCase {
  std::int64_t value;
  const char* hex;
};

// The first five are the table of the spec's zig-zag examples.
const std::vector<LongCase>& LongCases() {
  static const std::vector<LongCase> kCases = {
      {0, "00"},
      {-1, "01"},
      {1, "02"},
      {-64, "7f"},
      {64, "8001"},
      {2147483647, "feffffff0f"},
      {-2147483648LL, "ffffffff0f"},
      {std::numeric_limits<std::int64_t>::max(), "feffffffffffffffff01"},
      {std::numeric_limits<std::int64_t>::min(), "ffffffffffffffffff01"},
  };
  return kCases;
}

TEST(AvroBinary, WritesLongsAsZigZagVarints) {
  for (const LongCase& c : LongCases()) {
    BinaryWriter writer;
    writer.WriteLong(c.value);
    EXPECT_EQ(HexEncode(writer.bytes()), c.hex) << c.value;
  }
}

TEST(AvroBinary, ReadsLongsBackAndRefusesEachTruncation) {
  for (const LongCase& c : LongCases()) {
    const Bytes bytes = HexDecode(c.hex).value();
    BinaryReader reader(bytes);
    const auto value = reader.ReadLong();
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(*value, c.value);
    EXPECT_EQ(reader.remaining(), 0U);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      BinaryReader cut(ByteView(bytes).first(size));
      EXPECT_FALSE(cut.ReadLong().ok());
      EXPECT_EQ(cut.position(), 0U);
    }
  }
}

TEST(AvroBinary, RefusesIntegersWiderThanTheirType) {
  for (const char* hex :
       {"ffffffffffffffffff02", "80808080808080808080", "ffffffffffffffffffff01"}) {
    const Bytes bytes = HexDecode(hex).value();
    EXPECT_FALSE(BinaryReader(bytes).ReadLong().ok()) << hex;
  }
  // 2^31, and -2^31 - 1.
  for (const char* hex : {"8080808010", "8180808010"}) {
    const Bytes bytes = HexDecode(hex).value();
    EXPECT_FALSE(BinaryReader(bytes).ReadInt().ok()) << hex;
    EXPECT_TRUE(BinaryReader(bytes).ReadLong().ok()) << hex;
  }
}

TEST(AvroBinary, TakesVarintsThatAreLongerThanNeeded) {
  const Bytes bytes = {0x82, 0x00};
  EXPECT_EQ(BinaryReader(bytes).ReadLong().value(), 1);
}

TEST(AvroBinary, WritesEachKindOfValue) {
  BinaryWriter writer;
  writer.WriteBoolean(true);
  writer.WriteBoolean(false);
  writer.WriteInt(-2);
  writer.WriteFloat(1.5F);
  writer.WriteDouble(-2.0);
  writer.WriteString("foo");
  writer.WriteFixed(Bytes{9, 8});
  EXPECT_EQ(HexEncode(writer.bytes()),
            "01"
            "00"
            "03"
            "0000c03f"
            "00000000000000c0"
            "06666f6f"
            "0908");
  BinaryReader reader(writer.bytes());
  EXPECT_TRUE(reader.ReadBoolean().value());
  EXPECT_FALSE(reader.ReadBoolean().value());
  EXPECT_EQ(reader.ReadInt().value(), -2);
  EXPECT_EQ(reader.ReadFloat().value(), 1.5F);
  EXPECT_EQ(reader.ReadDouble().value(), -2.0);
  EXPECT_EQ(AsText(reader.ReadBytes().value()), "foo");
  EXPECT_EQ(HexEncode(reader.ReadFixed(2).value()), "0908");
  EXPECT_EQ(reader.remaining(), 0U);
}

TEST(AvroBinary, RefusesBooleansBeyondOne) {
  const Bytes bytes = {2};
  EXPECT_EQ(BinaryReader(bytes).ReadBoolean().error().code(), ErrorCode::kCorruptData);
}

TEST(AvroBinary, RefusesLengthsOutsideTheInput) {
  // Lengths 3 with two bytes left, -1, and the highest long.
  for (const char* hex : {"066162", "016162", "feffffffffffffffff016162"}) {
    const Bytes bytes = HexDecode(hex).value();
    BinaryReader reader(bytes);
    EXPECT_EQ(reader.ReadBytes().error().code(), ErrorCode::kCorruptData) << hex;
    EXPECT_EQ(reader.position(), 0U);
  }
  const Bytes three = {1, 2, 3};
  EXPECT_FALSE(BinaryReader(three).ReadFloat().ok());
  EXPECT_FALSE(BinaryReader(three).ReadDouble().ok());
  EXPECT_FALSE(BinaryReader(three).ReadFixed(4).ok());
  EXPECT_FALSE(BinaryReader({}).ReadBoolean().ok());
}

}  // namespace
}  // namespace frazil::avro
