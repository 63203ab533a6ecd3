// SPDX-License-Identifier: Apache-2.0
// Records, arrays, maps and unions inside a value, as bytes and as columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "avro/binary.h"
#include "base/encoding.h"
#include "decode/kafka_columns.h"
#include "decode/test/topic_fixture.h"

namespace frazil::decode {
namespace {

using avro::BinaryWriter;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kItems =
    R"({"name":"items","type":{"type":"array","items":{"type":"record","name":"I","fields":[)"
    R"({"name":"sku","type":"string"},{"name":"qty","type":"int"}]}}})";
constexpr const char* kPair =
    R"({"name":"o","type":["null",{"type":"record","name":"O","fields":[)"
    R"({"name":"a","type":"string"},{"name":"b","type":["null","int"]}]}]})";

class NestedDecoderTest : public ::testing::Test {
 protected:
  void Register(int id, const std::string& fields) {
    const auto status = topic_.Register(id, RecordJson(fields));
    ASSERT_TRUE(status.ok()) << status.error().ToString();
  }
  void Add(int id, const std::string& hex) { topic_.Add(id, *HexDecode(hex)); }
  std::vector<std::string> Decoded(const std::string& column) {
    const auto batch = topic_.Decode();
    EXPECT_TRUE(batch.ok()) << batch.error().ToString();
    return batch.ok() ? Column(**batch, column) : std::vector<std::string>();
  }
  // One field of that type; the second of two records is at fault.
  void ExpectFlaw(const std::string& type, const std::string& sound, const std::string& hex,
                  const std::string& text, const std::string& path) {
    topic_ = TopicFixture();
    Register(1, R"({"name":"x","type":)" + type + "}");
    Add(1, sound);
    Add(1, hex);
    const auto batch = topic_.Decode();
    ASSERT_FALSE(batch.ok()) << type << " " << hex;
    EXPECT_EQ(batch.error().code(), ErrorCode::kUndecodableRecord);
    EXPECT_THAT(batch.error().message(),
                AllOf(HasSubstr(text), HasSubstr("offset 101"), HasSubstr("field " + path)));
  }

  TopicFixture topic_;
};

// Field case B021.
TEST_F(NestedDecoderTest, ArraysAndMapsOfRecordsAreComplete) {
  Register(1, std::string(kItems) + R"(,{"name":"by","type":{"type":"map","values":)"
                                    R"({"type":"record","name":"V","fields":[)"
                                    R"({"name":"n","type":"int"}]}}})");
  Add(1,
      "0402610202620400"
      "020278020"
      "0");
  Add(1, "0000");
  topic_.AddValue(std::nullopt);
  Add(1,
      "02027a0600"
      "04026b02027102"
      "00");
  EXPECT_THAT(Decoded("items"), ElementsAre("[{sku: a, qty: 1}, {sku: b, qty: 2}]", "[]", "NULL",
                                            "[{sku: z, qty: 3}]"));
  EXPECT_THAT(Decoded("by"), ElementsAre("<x = {n: 1}>", "<>", "NULL", "<k = {n: 1}, q = {n: 1}>"));
}

TEST_F(NestedDecoderTest, ARecordThatIsNullIsToldFromOneOfNulls) {
  Register(1, kPair);
  Add(1,
      "020278"
      "0206");
  Add(1, "00");
  Add(1,
      "0200"
      "00");
  topic_.AddValue(std::nullopt);
  Add(1,
      "020279"
      "0208");
  EXPECT_THAT(Decoded("o"),
              ElementsAre("{a: x, b: 3}", "NULL", "{a: , b: NULL}", "NULL", "{a: y, b: 4}"));
}

// Field case B001.
TEST_F(NestedDecoderTest, TheBranchThatWasWrittenIsToldFromTheOthers) {
  Register(1, R"({"name":"id","type":"long"},{"name":"content","type":["string","bytes"]},)"
              R"({"name":"v","type":["null","boolean","double","string"]})");
  Add(1,
      "02"
      "0006616263"
      "00");
  Add(1,
      "04"
      "0208deadbeef"
      "0201");
  Add(1,
      "06"
      "0000"
      "040000000000000440");
  Add(1,
      "08"
      "0200"
      "0606322e35");
  EXPECT_THAT(Decoded("content"),
              ElementsAre("{string: abc, bytes: NULL}", "{string: NULL, bytes: deadbeef}",
                          "{string: , bytes: NULL}", "{string: NULL, bytes: }"));
  EXPECT_THAT(Decoded("v"), ElementsAre("NULL", "{boolean: true, double: NULL, string: NULL}",
                                        "{boolean: NULL, double: 4004000000000000, string: NULL}",
                                        "{boolean: NULL, double: NULL, string: 2.5}"));
}

TEST_F(NestedDecoderTest, UnionsStandInsideArraysAndHoldThem) {
  Register(1, R"({"name":"x","type":{"type":"array","items":["int",{"type":"array",)"
              R"("items":["null","string"]},"null",{"type":"record","name":"E","fields":[]}]}})");
  Add(1,
      "08"
      "0002"
      "02040002026100"
      "04"
      "06"
      "00");
  Add(1, "00");
  Add(1,
      "02"
      "0200"
      "00");
  EXPECT_THAT(Decoded("x"),
              ElementsAre("[{int: 1, array: NULL, E: NULL}, {int: NULL, array: [NULL, a], E: "
                          "NULL}, NULL, {int: NULL, array: NULL, E: {kafka_present: true}}]",
                          "[]", "[{int: NULL, array: [], E: NULL}]"));
}

TEST_F(NestedDecoderTest, BlocksOfAnArrayAreOneList) {
  Register(1, R"({"name":"x","type":{"type":"array","items":"long"}})");
  Add(1,
      "0202"
      "040406"
      "00");  // two blocks
  Add(1,
      "0304"
      "0204"
      "00");  // one that names its size
  Add(1,
      "0102"
      "02"
      "0204"
      "0102"
      "0600");  // both kinds
  EXPECT_THAT(Decoded("x"), ElementsAre("[1, 2, 3]", "[1, 2]", "[1, 2, 3]"));
}

TEST_F(NestedDecoderTest, ArraysOfArraysOfMapsKeepTheirShape) {
  Register(1, R"({"name":"x","type":["null",{"type":"array","items":{"type":"array",)"
              R"("items":{"type":"map","values":"int"}}}]})");
  BinaryWriter to;
  to.WriteInt(1);
  to.WriteLong(2);  // two lists
  to.WriteLong(1);  // of one map
  to.WriteLong(2);  // of two entries
  to.WriteString("a");
  to.WriteInt(1);
  to.WriteString("b");
  to.WriteInt(2);
  to.WriteLong(0);
  to.WriteLong(0);
  to.WriteLong(0);  // the second list is empty
  to.WriteLong(0);
  topic_.Add(1, to.Take());
  Add(1, "00");
  Add(1, "0200");
  EXPECT_THAT(Decoded("x"), ElementsAre("[[<a = 1, b = 2>], []]", "NULL", "[]"));
}

// Field case B045.
TEST_F(NestedDecoderTest, R3_OldRecordsLackWhatNewOnesHaveInside) {
  Register(1, kItems);
  Register(2, R"({"name":"items","type":{"type":"array","items":{"type":"record","name":"I",)"
              R"("fields":[{"name":"note","type":["null","string"]},{"name":"qty","type":"long"},)"
              R"({"name":"sku","type":"string"}]}}})");
  Add(1, "0202610200");
  Add(2,
      "04"
      "02026e"
      "04"
      "0262"
      "00"
      "06"
      "0263"
      "00");
  Add(1, "00");
  EXPECT_THAT(Decoded("items"),
              ElementsAre("[{note: NULL, qty: 1, sku: a}]",
                          "[{note: n, qty: 2, sku: b}, {note: NULL, qty: 3, sku: c}]", "[]"));
}

TEST_F(NestedDecoderTest, ARenamedFieldIsFilledByBothWriters) {
  Register(1, kPair);
  Register(2, R"({"name":"p","aliases":["o"],"type":{"type":"record","name":"O","fields":[)"
              R"({"name":"c","type":"long","aliases":["b"]},{"name":"a","type":"string"}]}})");
  Add(1,
      "020278"
      "0206");
  Add(2,
      "08"
      "0279");
  EXPECT_THAT(Decoded("p"), ElementsAre("{c: 3, a: x}", "{c: 4, a: y}"));
}

TEST_F(NestedDecoderTest, BranchesFollowTheirTypes) {
  const auto record = [](const std::string& name) {
    return R"({"type":"record","name":")" + name + R"(","fields":[{"name":"x","type":"int"}]})";
  };
  Register(1, R"({"name":"u","type":["string",)" + record("a.T") + "]}");
  Register(2, R"({"name":"u","type":[)" + record("b.T") + "," + record("a.T") + R"(,"null"]})");
  Add(1, "000261");
  Add(1, "0202");
  Add(2, "0004");
  Add(2, "0206");
  Add(2, "04");
  EXPECT_THAT(Decoded("u"),
              ElementsAre("{b_T: NULL, T: NULL}", "{b_T: NULL, T: {x: 1}}",
                          "{b_T: {x: 2}, T: NULL}", "{b_T: NULL, T: {x: 3}}", "NULL"));
}

TEST_F(NestedDecoderTest, ColumnsThatAWriterLacksAreNullInsideToo) {
  Register(1, R"({"name":"id","type":"int"})");
  Register(2, R"({"name":"id","type":"int"},)" + std::string(kItems) + "," + kPair +
                  R"(,{"name":"m","type":{"type":"map","values":"int"}})");
  Add(1, "02");
  Add(2,
      "04"
      "0202610200"
      "00"
      "00");
  Add(1, "06");
  EXPECT_THAT(Decoded("items"), ElementsAre("NULL", "[{sku: a, qty: 1}]", "NULL"));
  EXPECT_THAT(Decoded("o"), ElementsAre("NULL", "NULL", "NULL"));
  EXPECT_THAT(Decoded("m"), ElementsAre("NULL", "<>", "NULL"));
}

TEST_F(NestedDecoderTest, MoreRowsThanRunAtOnceAreInOrder) {
  Register(1, kItems);
  Register(2, std::string(kItems) + R"(,{"name":"n","type":["null","int"]})");
  constexpr int kRows = 40000;
  for (int i = 0; i < kRows; ++i) {
    BinaryWriter to;
    const int count = i % 4;
    if (count > 0) to.WriteLong(count);
    for (int item = 0; item < count; ++item) {
      to.WriteString("s" + std::to_string(i));
      to.WriteInt(item);
    }
    to.WriteLong(0);
    const int writer = i / 1000 % 2 + 1;
    if (writer == 2) to.WriteInt(0);
    topic_.Add(writer, to.Take());
  }
  const auto cells = Decoded("items");
  ASSERT_EQ(cells.size(), static_cast<std::size_t>(kRows));
  for (int i = 0; i < kRows; ++i) {
    std::string expected = "[";
    for (int item = 0; item < i % 4; ++item) {
      expected += (item > 0 ? ", " : "") + std::string("{sku: s") + std::to_string(i) +
                  ", qty: " + std::to_string(item) + "}";
    }
    ASSERT_EQ(cells[static_cast<std::size_t>(i)], expected + "]");
  }
}

TEST_F(NestedDecoderTest, FlawsInsideAreNamedByTheirPath) {
  const std::string list = R"({"type":"array","items":{"type":"record","name":"I","fields":[)"
                           R"({"name":"s","type":"string"},{"name":"b","type":"boolean"}]}})";
  const std::string sound = "0402610002620100";
  ExpectFlaw(list, sound,
             "02026105"
             "00",
             "boolean", "x.element.b");
  ExpectFlaw(list, sound,
             "0202ff01"
             "00",
             "UTF-8", "x.element.s");
  ExpectFlaw(list, sound, "02026101", "ends early", "x");
  ExpectFlaw(list, sound, "020261", "ends early", "x");
  const std::string map = R"({"type":"map","values":["null","int"]})";
  ExpectFlaw(map, "00", "02026b0400", "branch", "x");
  ExpectFlaw(map, "00", "0202ff0000", "UTF-8", "x.key");
  ExpectFlaw(map, "00", "02016b0000", "negative", "x");
  const std::string branches = R"(["int",{"type":"enum","name":"E","symbols":["A"]}])";
  ExpectFlaw(branches, "0002", "0402", "branch", "x");
  ExpectFlaw(branches, "0002", "0102", "branch", "x");
  ExpectFlaw(branches, "0002", "0202", "symbol", "x.E");
}

TEST_F(NestedDecoderTest, InventedCountsAreRefused) {
  const std::string numbers = R"({"type":"array","items":"int"})";
  ExpectFlaw(numbers, "00", "feffffffffffffffff01", "count", "x");
  ExpectFlaw(numbers, "00", "ffffffffffffffffff0100", "count", "x");
  ExpectFlaw(numbers, "00", "0a0202", "count", "x");
  ExpectFlaw(numbers, "00", "030602040000", "size", "x");
  ExpectFlaw(numbers, "00", "0302020400", "size", "x");
  ExpectFlaw(numbers, "00", "0301020400", "negative", "x");
  const std::string empties =
      R"({"type":"array","items":{"type":"record","name":"E","fields":[]}})";
  ExpectFlaw(empties, "0400", "feffffffffffffffff0100", "count", "x");
  ExpectFlaw(empties, "0400",
             "8010"
             "80100200",
             "count", "x");
}

TEST_F(NestedDecoderTest, RecordsWithoutFieldsAreCounted) {
  Register(1, R"({"name":"x","type":{"type":"array","items":{"type":"record","name":"E",)"
              R"("fields":[]}}},{"name":"e","type":["null","E"]})");
  Add(1,
      "0400"
      "02");
  Add(1,
      "00"
      "00");
  EXPECT_THAT(Decoded("x"), ElementsAre("[{kafka_present: true}, {kafka_present: true}]", "[]"));
  EXPECT_THAT(Decoded("e"), ElementsAre("{kafka_present: true}", "NULL"));
}

TEST_F(NestedDecoderTest, TheFirstRecordAtFaultIsNamedWhateverItsField) {
  Register(1, std::string(kItems) + R"(,{"name":"b","type":"boolean"})");
  Add(1,
      "00"
      "01");
  Add(1,
      "00"
      "07");
  Add(1,
      "0202ff"
      "00");
  const auto batch = topic_.Decode();
  ASSERT_FALSE(batch.ok());
  EXPECT_THAT(batch.error().message(), AllOf(HasSubstr("offset 101"), HasSubstr("field b")));
}

TEST_F(NestedDecoderTest, RowsThatWouldTakeTooMuchMemoryAreRefused) {
  std::string fields;
  for (int i = 0; i < 2000; ++i) {
    fields += (i > 0 ? "," : "") + std::string(R"({"name":"f)") + std::to_string(i) +
              R"(","type":{"type":"fixed","name":"F)" + std::to_string(i) + R"(","size":4096}})";
  }
  Register(1, R"({"name":"x","type":{"type":"array","items":["null",{"type":"record","name":"W",)"
              R"("fields":[)" +
                  fields + "]}]}}");
  BinaryWriter to;
  to.WriteLong(100000);
  for (int i = 0; i < 100000; ++i) to.WriteInt(0);
  to.WriteLong(0);
  topic_.Add(1, to.Take());
  const auto batch = topic_.Decode();
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.error().code(), ErrorCode::kResourceExhausted);
  EXPECT_THAT(batch.error().message(), HasSubstr("field x"));
}

TEST_F(NestedDecoderTest, AValueThatIsNoRecordIsOneColumn) {
  ASSERT_TRUE(topic_.Register(1, R"("long")").ok());
  Add(1, "02");
  topic_.AddValue(std::nullopt);
  EXPECT_THAT(Decoded("value"), ElementsAre("1", "NULL"));
}

TEST_F(NestedDecoderTest, ValuesWithoutSchemaAreTakenAsTheyAre) {
  topic_.AddValue(Bytes{0, 1, 2});
  topic_.AddValue(std::nullopt);
  topic_.AddValue(Bytes{});
  const auto batch = topic_.Decode(RawSchema());
  ASSERT_TRUE(batch.ok()) << batch.error().ToString();
  EXPECT_THAT(Column(**batch, "kafka_value"), ElementsAre("000102", "NULL", ""));
  EXPECT_THAT(Column(**batch, "kafka_offset"), ElementsAre("100", "101", "102"));
  EXPECT_EQ(FormatOf(RawSchema()), ValueFormat::kRaw);
  EXPECT_EQ(RawSchema().fields.front().id, kValueField);
}

}  // namespace
}  // namespace frazil::decode
