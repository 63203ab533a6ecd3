// SPDX-License-Identifier: Apache-2.0
// Damaged records give an error or a value, never a crash or a read out of bounds.
#include <gtest/gtest.h>

#include "avro/binary.h"
#include "base/encoding.h"
#include "decode/test/topic_fixture.h"

namespace frazil::decode {
namespace {

constexpr const char* kEveryType =
    R"({"name":"a","type":"boolean"},{"name":"b","type":"int"},{"name":"c","type":"long"},)"
    R"({"name":"d","type":"float"},{"name":"e","type":"double"},{"name":"f","type":"bytes"},)"
    R"({"name":"g","type":["null","string"]},)"
    R"({"name":"h","type":{"type":"enum","name":"E","symbols":["A","B"]}},)"
    R"({"name":"i","type":{"type":"fixed","name":"F","size":3}},)"
    R"({"name":"j","type":{"type":"bytes","logicalType":"decimal","precision":9}},)"
    R"({"name":"k","type":{"type":"string","logicalType":"uuid"}},)"
    R"({"name":"l","type":["null",{"type":"long","logicalType":"timestamp-millis"}]})";

Bytes WholeBody() {
  avro::BinaryWriter to;
  to.WriteBoolean(true);
  to.WriteInt(-300);
  to.WriteLong(1LL << 40);
  to.WriteFloat(1.5F);
  to.WriteDouble(-2.5);
  to.WriteBytes(Bytes{1, 2});
  to.WriteInt(1);
  to.WriteString("h\xc3\xa4");
  to.WriteInt(1);
  to.WriteFixed(Bytes{7, 8, 9});
  to.WriteBytes(Bytes{0x01, 0x00});
  to.WriteString("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1");
  to.WriteInt(1);
  to.WriteLong(1709208000000);
  return to.Take();
}

TopicFixture TopicWith(const Bytes& body) {
  TopicFixture topic;
  EXPECT_TRUE(topic.Register(1, RecordJson(kEveryType)).ok());
  topic.Add(1, WholeBody());
  topic.Add(1, body);
  return topic;
}

TEST(Damage, EveryTruncationIsRefused) {
  const Bytes whole = WholeBody();
  EXPECT_TRUE(TopicWith(whole).Decode().ok());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto batch = TopicWith(cut).Decode();
    ASSERT_FALSE(batch.ok()) << size;
    EXPECT_EQ(batch.error().code(), ErrorCode::kUndecodableRecord);
    EXPECT_NE(batch.error().message().find("offset 101"), std::string::npos);
  }
}

TEST(Damage, EveryFlippedBitGivesAValueOrAnError) {
  const Bytes whole = WholeBody();
  const auto sound = TopicWith(whole).Decode();
  ASSERT_TRUE(sound.ok());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes damaged = whole;
      damaged[i] ^= static_cast<std::uint8_t>(1U << bit);
      const auto batch = TopicWith(damaged).Decode();
      if (batch.ok()) {
        EXPECT_EQ(Column(**batch, "c").front(), Column(**sound, "c").front());
      } else {
        EXPECT_EQ(batch.error().code(), ErrorCode::kUndecodableRecord);
      }
    }
  }
}

}  // namespace
}  // namespace frazil::decode
