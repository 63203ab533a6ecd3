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

constexpr const char* kNested =
    R"({"name":"c","type":"long"},)"
    R"({"name":"o","type":["null",{"type":"record","name":"O","fields":[{"name":"s","type":"string"},)"
    R"({"name":"l","type":{"type":"array","items":["null","int","string"]}}]}]},)"
    R"({"name":"m","type":{"type":"map","values":{"type":"array","items":"O"}}})";

void WriteInner(avro::BinaryWriter& to) {
  to.WriteString("inner");
  to.WriteLong(3);
  to.WriteInt(0);
  to.WriteInt(1);
  to.WriteInt(-7);
  to.WriteInt(2);
  to.WriteString("x");
  to.WriteLong(0);
}

Bytes NestedBody() {
  avro::BinaryWriter to;
  to.WriteLong(42);
  to.WriteInt(1);
  WriteInner(to);
  to.WriteLong(1);
  to.WriteString("k");
  to.WriteLong(2);
  WriteInner(to);
  WriteInner(to);
  to.WriteLong(0);
  to.WriteLong(0);
  return to.Take();
}

struct Sample {
  const char* fields;
  Bytes body;
};
std::vector<Sample> Samples() { return {{kEveryType, WholeBody()}, {kNested, NestedBody()}}; }

TopicFixture TopicWith(const Sample& sample, const Bytes& body) {
  TopicFixture topic;
  EXPECT_TRUE(topic.Register(1, RecordJson(sample.fields)).ok());
  topic.Add(1, sample.body);
  topic.Add(1, body);
  return topic;
}

void ExpectTruncationsRefused(const Sample& sample) {
  const Bytes& whole = sample.body;
  EXPECT_TRUE(TopicWith(sample, whole).Decode().ok());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto batch = TopicWith(sample, cut).Decode();
    ASSERT_FALSE(batch.ok()) << size;
    EXPECT_EQ(batch.error().code(), ErrorCode::kUndecodableRecord);
    EXPECT_NE(batch.error().message().find("offset 101"), std::string::npos);
  }
}

void ExpectValuesOrErrors(const Sample& sample) {
  const Bytes& whole = sample.body;
  const auto sound = TopicWith(sample, whole).Decode();
  ASSERT_TRUE(sound.ok());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes damaged = whole;
      damaged[i] ^= static_cast<std::uint8_t>(1U << bit);
      const auto batch = TopicWith(sample, damaged).Decode();
      if (batch.ok()) {
        EXPECT_EQ(Column(**batch, "c").front(), Column(**sound, "c").front());
      } else {
        EXPECT_EQ(batch.error().code(), ErrorCode::kUndecodableRecord);
      }
    }
  }
}

TEST(Damage, EveryTruncationIsRefused) {
  for (const Sample& sample : Samples()) ExpectTruncationsRefused(sample);
}

TEST(Damage, EveryFlippedBitGivesAValueOrAnError) {
  for (const Sample& sample : Samples()) ExpectValuesOrErrors(sample);
}

}  // namespace
}  // namespace frazil::decode
