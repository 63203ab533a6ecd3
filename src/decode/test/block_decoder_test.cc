// SPDX-License-Identifier: Apache-2.0
#include "decode/block_decoder.h"

#include <limits>

#include <arrow/array.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "avro/binary.h"
#include "base/encoding.h"
#include "decode/test/topic_fixture.h"

namespace frazil::decode {
namespace {

using avro::BinaryWriter;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

template <typename Write>
Bytes Body(Write write) {
  BinaryWriter writer;
  write(writer);
  return writer.Take();
}

class BlockDecoderTest : public ::testing::Test {
 protected:
  void Register(int id, const std::string& fields) {
    const auto status = topic_.Register(id, RecordJson(fields));
    ASSERT_TRUE(status.ok()) << status.error().ToString();
  }
  std::shared_ptr<arrow::RecordBatch> Decoded() { return Decoded(topic_.newest()); }
  std::shared_ptr<arrow::RecordBatch> Decoded(const iceberg::Schema& target) {
    auto batch = topic_.Decode(target);
    EXPECT_TRUE(batch.ok()) << batch.error().ToString();
    return batch.ok() ? *batch : nullptr;
  }
  void ExpectUndecodable(const std::string& text, const std::string& field = "") {
    const auto batch = topic_.Decode();
    ASSERT_FALSE(batch.ok()) << text;
    EXPECT_EQ(batch.error().row().name, "undecodable_record") << batch.error().ToString();
    EXPECT_THAT(batch.error().message(),
                AllOf(HasSubstr(text), HasSubstr("topic orders, partition 3, offset "),
                      HasSubstr(field.empty() ? "" : "field " + field)));
  }
  // One record of one field, whose bytes are at fault.
  void ExpectFlaw(const std::string& type, const std::string& hex, const std::string& text) {
    TopicFixture fresh;
    std::swap(topic_, fresh);
    Register(1, R"({"name":"x","type":)" + type + "}");
    topic_.Add(1, *HexDecode(hex));
    ExpectUndecodable(text, "x");
  }

  TopicFixture topic_;
};

TEST_F(BlockDecoderTest, NoRecordsGiveABatchWithoutRows) {
  Register(1, R"({"name":"x","type":"int"},{"name":"s","type":"string"})");
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_EQ(batch->num_rows(), 0);
  EXPECT_EQ(batch->num_columns(), 8);
}

TEST_F(BlockDecoderTest, HandMadeBytesBecomeColumns) {
  Register(7, R"({"name":"id","type":"long"},{"name":"note","type":["null","string"]})");
  topic_.AddValue(
      *HexDecode("0000000007"
                 "d60f"
                 "02"
                 "04"
                 "6869"));
  topic_.AddValue(
      *HexDecode("0000000007"
                 "01"
                 "00"));
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "id"), ElementsAre("1003", "-1"));
  EXPECT_THAT(Column(*batch, "note"), ElementsAre("hi", "NULL"));
  EXPECT_EQ(batch->schema()->field(0)->type()->ToString(), "int64");
  EXPECT_TRUE(batch->schema()->field(0)->nullable());
}

TEST_F(BlockDecoderTest, KafkasColumnsTellWhereARecordStood) {
  Register(1, R"({"name":"x","type":"int"})");
  const Bytes body = Body([](BinaryWriter& to) { to.WriteInt(1); });
  topic_.Add(1, body);
  topic_.last_record().timestamp = 1709208000000;
  topic_.last_record().key = topic_.Keep(Bytes{0xff, 0x00});
  topic_.AddHeader("trace", Bytes{1});
  topic_.AddHeader("trace", std::nullopt);
  topic_.EndBlock();
  topic_.Add(1, body);
  topic_.last_record().offset = 5000000000;
  topic_.last_record().key = topic_.Keep(Bytes{});
  topic_.Add(1, body);
  topic_.AddHeader("", Bytes{});
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "kafka_generation"), ElementsAre("2", "2", "2"));
  EXPECT_THAT(Column(*batch, "kafka_partition"), ElementsAre("3", "3", "3"));
  EXPECT_THAT(Column(*batch, "kafka_offset"), ElementsAre("100", "5000000000", "102"));
  EXPECT_THAT(Column(*batch, "kafka_key"), ElementsAre("ff00", "", "NULL"));
  EXPECT_FALSE(batch->schema()->GetFieldByName("kafka_offset")->nullable());
  const auto headers = batch->GetColumnByName("kafka_headers");
  EXPECT_EQ(headers->type()->ToString(),
            "list<element: struct<key: string not null, value: binary> not null>");
  EXPECT_EQ(headers->null_count(), 0);
  const auto& list = static_cast<const arrow::ListArray&>(*headers);
  EXPECT_EQ(list.value_length(0), 2);
  EXPECT_EQ(list.value_length(1), 0);
  EXPECT_EQ(list.value_length(2), 1);
  const auto& pairs = static_cast<const arrow::StructArray&>(*list.values());
  const auto& keys = static_cast<const arrow::StringArray&>(*pairs.field(0));
  const auto& values = static_cast<const arrow::BinaryArray&>(*pairs.field(1));
  EXPECT_EQ(keys.GetString(0) + "," + keys.GetString(1) + "," + keys.GetString(2), "trace,trace,");
  EXPECT_EQ(values.GetString(0), "\x01");
  EXPECT_TRUE(values.IsNull(1));
  EXPECT_FALSE(values.IsNull(2));
}

// Field case B069.
TEST_F(BlockDecoderTest, ATimestampThatIsMissingOrTooLargeIsNull) {
  Register(1, R"({"name":"x","type":"int"})");
  for (const std::int64_t timestamp :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1709208000000}, std::int64_t{-2},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    topic_.AddValue(std::nullopt);
    topic_.last_record().timestamp = timestamp;
  }
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "kafka_timestamp"),
              ElementsAre("NULL", "0", "1709208000000000", "-2000", "NULL", "NULL"));
  EXPECT_EQ(batch->GetColumnByName("kafka_timestamp")->type()->ToString(), "timestamp[us, tz=UTC]");
}

// Field case B035.
TEST_F(BlockDecoderTest, R3_ATombstoneIsARowWithoutValues) {
  Register(1, R"({"name":"n","type":"int"},{"name":"s","type":"string"},)"
              R"({"name":"b","type":"boolean"},)"
              R"({"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":5}})");
  const auto add = [&](int number) {
    topic_.Add(1, Body([&](BinaryWriter& to) {
                 to.WriteInt(number);
                 to.WriteString("s" + std::to_string(number));
                 to.WriteBoolean(number % 2 == 1);
                 to.WriteBytes(Bytes{static_cast<std::uint8_t>(number)});
               }));
  };
  topic_.AddValue(std::nullopt);
  add(1);
  add(2);
  topic_.AddValue(std::nullopt);
  topic_.AddValue(std::nullopt);
  add(3);
  topic_.AddValue(std::nullopt);
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  const auto rows = [](const char* a, const char* b, const char* c) {
    return ElementsAre("NULL", a, b, "NULL", "NULL", c, "NULL");
  };
  EXPECT_THAT(Column(*batch, "n"), rows("1", "2", "3"));
  EXPECT_THAT(Column(*batch, "s"), rows("s1", "s2", "s3"));
  EXPECT_THAT(Column(*batch, "b"), rows("true", "false", "true"));
  EXPECT_THAT(Column(*batch, "d"), rows("1", "2", "3"));
  EXPECT_EQ(batch->GetColumnByName("n")->null_count(), 4);
}

// Field case B003.
TEST_F(BlockDecoderTest, AnEnumIsItsSymbolByTheWritersSchema) {
  Register(1, R"({"name":"lvl","type":{"type":"enum","name":"L","symbols":["LOW","HIGH"]}})");
  Register(2, R"({"name":"lvl","type":{"type":"enum","name":"L","symbols":["LOW","MID","HIGH"]}})");
  const auto add = [&](int id, int index) {
    topic_.Add(id, Body([&](BinaryWriter& to) { to.WriteInt(index); }));
  };
  add(1, 0);
  add(1, 1);
  add(2, 1);
  add(2, 2);
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "lvl"), ElementsAre("LOW", "HIGH", "MID", "HIGH"));
  ExpectFlaw(R"({"type":"enum","name":"L","symbols":["A","B"]})", "04", "symbol");
  ExpectFlaw(R"({"type":"enum","name":"L","symbols":["A","B"]})", "01", "symbol");
}

// Field case B005.
TEST_F(BlockDecoderTest, DecimalsMayBeNegativeAndPadded) {
  Register(1, R"({"name":"amt","type":{"type":"bytes","logicalType":"decimal",)"
              R"("precision":10,"scale":2}})");
  for (const char* hex : {"97", "ff97", "00ff", "ff", "000001"}) {
    topic_.Add(1, Body([&](BinaryWriter& to) { to.WriteBytes(*HexDecode(hex)); }));
  }
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "amt"), ElementsAre("-105", "-105", "255", "-1", "1"));
  const std::string amount = R"({"type":"bytes","logicalType":"decimal","precision":4,"scale":2})";
  ExpectFlaw(amount, "00", "no bytes");
  ExpectFlaw(amount, "042710", "more digits");
  ExpectFlaw(R"({"type":"fixed","name":"F","size":3,"logicalType":"decimal","precision":4})",
             "ffd8f0", "more digits");
}

// Field case B009.
TEST_F(BlockDecoderTest, InstantsAndWallClocksAreToldApart) {
  Register(1, R"({"name":"a","type":{"type":"long","logicalType":"timestamp-millis"}},)"
              R"({"name":"b","type":{"type":"long","logicalType":"timestamp-micros"}},)"
              R"({"name":"c","type":{"type":"long","logicalType":"local-timestamp-millis"}},)"
              R"({"name":"d","type":{"type":"long","logicalType":"local-timestamp-micros"}})");
  topic_.Add(1, Body([](BinaryWriter& to) {
               to.WriteLong(1709208000000);
               to.WriteLong(1709208000000000);
               to.WriteLong(1709208000000);
               to.WriteLong(1709208000000000);
             }));
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  for (const char* name : {"a", "b", "c", "d"}) {
    EXPECT_THAT(Column(*batch, name), ElementsAre("1709208000000000"));
  }
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(batch->GetColumnByName(name)->type()->ToString(), "timestamp[us, tz=UTC]");
  }
  for (const char* name : {"c", "d"}) {
    EXPECT_EQ(batch->GetColumnByName(name)->type()->ToString(), "timestamp[us]");
  }
}

// Field case B013.
TEST_F(BlockDecoderTest, FarYearsAreExactOrRefusedAndNeverWrap) {
  const std::string type = R"({"type":"long","logicalType":"timestamp-millis"})";
  Register(1, R"({"name":"x","type":)" + type + "}");
  for (const std::int64_t millis :
       {std::int64_t{-62135596800000}, std::int64_t{253402300799999}, std::int64_t{253402300800000},
        std::int64_t{9223372036854775}, std::int64_t{-9223372036854775}}) {
    topic_.Add(1, Body([&](BinaryWriter& to) { to.WriteLong(millis); }));
  }
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "x"),
              ElementsAre("-62135596800000000", "253402300799999000", "253402300800000000",
                          "9223372036854775000", "-9223372036854775000"));
  ExpectFlaw(type, "feffffffffffffffff01", "milliseconds");
  ExpectFlaw(type, "ffffffffffffffffff01", "milliseconds");
  ExpectFlaw(type, HexEncode(Body([](BinaryWriter& to) { to.WriteLong(9223372036854776); })),
             "milliseconds");
}

TEST_F(BlockDecoderTest, NanosecondsAreRoundedTowardsThePast) {
  Register(1, R"({"name":"x","type":{"type":"long","logicalType":"timestamp-nanos"}})");
  for (const std::int64_t nanos :
       {std::int64_t{0}, std::int64_t{999}, std::int64_t{1000}, std::int64_t{-1},
        std::int64_t{-1000}, std::int64_t{-1001}, std::numeric_limits<std::int64_t>::min()}) {
    topic_.Add(1, Body([&](BinaryWriter& to) { to.WriteLong(nanos); }));
  }
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "x"),
              ElementsAre("0", "0", "1", "-1", "-1", "-2", "-9223372036854776"));
}

TEST_F(BlockDecoderTest, TimesOfDayAreMicrosecondsInALong) {
  Register(1, R"({"name":"a","type":{"type":"int","logicalType":"time-millis"}},)"
              R"({"name":"b","type":{"type":"long","logicalType":"time-micros"}},)"
              R"({"name":"c","type":{"type":"int","logicalType":"date"}})");
  topic_.Add(1, Body([](BinaryWriter& to) {
               to.WriteInt(86399999);
               to.WriteLong(86399999999);
               to.WriteInt(-719162);
             }));
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "a"), ElementsAre("86399999000"));
  EXPECT_THAT(Column(*batch, "b"), ElementsAre("86399999999"));
  EXPECT_THAT(Column(*batch, "c"), ElementsAre("-719162"));
}

TEST_F(BlockDecoderTest, UuidsComeAsTextOrBytes) {
  Register(1, R"({"name":"t","type":{"type":"string","logicalType":"uuid"}},)"
              R"({"name":"f","type":{"type":"fixed","name":"F","size":16,"logicalType":"uuid"}})");
  topic_.Add(1, Body([](BinaryWriter& to) {
               to.WriteString("8F14E45F-ceea-467f-a0e6-4ad3b9f6e6b1");
               to.WriteFixed(*HexDecode("8f14e45fceea467fa0e64ad3b9f6e6b2"));
             }));
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "t"), ElementsAre("8f14e45fceea467fa0e64ad3b9f6e6b1"));
  EXPECT_THAT(Column(*batch, "f"), ElementsAre("8f14e45fceea467fa0e64ad3b9f6e6b2"));
  ExpectFlaw(R"({"type":"string","logicalType":"uuid"})", "0461", "early");
  ExpectFlaw(R"({"type":"string","logicalType":"uuid"})", "0261", "uuid");
  ExpectFlaw(R"({"type":"string","logicalType":"uuid"})", "00", "uuid");
}

// Field case B041.
TEST_F(BlockDecoderTest, R3_DefaultsAreNeverApplied) {
  Register(1, R"({"name":"id","type":"int"},{"name":"qty","type":["int","null"],"default":7},)"
              R"({"name":"st","type":["null","string"],"default":null})");
  Register(2, R"({"name":"id","type":"int"},{"name":"qty","type":["int","null"],"default":7},)"
              R"({"name":"st","type":["null","string"],"default":null},)"
              R"({"name":"late","type":"int","default":42})");
  const auto add = [&](int number, std::optional<int> quantity, std::optional<std::string> state) {
    topic_.Add(1, Body([&](BinaryWriter& to) {
                 to.WriteInt(number);
                 to.WriteInt(quantity.has_value() ? 0 : 1);
                 if (quantity.has_value()) to.WriteInt(*quantity);
                 to.WriteInt(state.has_value() ? 1 : 0);
                 if (state.has_value()) to.WriteString(*state);
               }));
  };
  add(1, std::nullopt, std::nullopt);
  add(2, 0, "");
  add(3, 7, "x");
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "qty"), ElementsAre("NULL", "0", "7"));
  EXPECT_THAT(Column(*batch, "st"), ElementsAre("NULL", "", "x"));
  EXPECT_THAT(Column(*batch, "late"), ElementsAre("NULL", "NULL", "NULL"));
}

// Field case B049.
TEST_F(BlockDecoderTest, OldRecordsAreWidened) {
  const auto fields = [](const char* number, const char* real, const char* precision) {
    return std::string(R"({"name":"n","type":")") + number + R"("},{"name":"f","type":")" + real +
           R"("},{"name":"d","type":{"type":"bytes","logicalType":"decimal","scale":2,)" +
           R"("precision":)" + precision + "}}";
  };
  Register(1, fields("int", "float", "9"));
  Register(2, fields("long", "double", "18"));
  topic_.Add(1, Body([](BinaryWriter& to) {
               to.WriteInt(2147483647);
               to.WriteFloat(0.1F);
               to.WriteBytes(*HexDecode("ff97"));
             }));
  topic_.Add(2, Body([](BinaryWriter& to) {
               to.WriteLong(2147483648);
               to.WriteDouble(0.1);
               to.WriteBytes(*HexDecode("0de0b6b3a763ffff"));
             }));
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "n"), ElementsAre("2147483647", "2147483648"));
  // 0.10000000149011612 and 0.1.
  EXPECT_THAT(Column(*batch, "f"), ElementsAre("3fb99999a0000000", "3fb999999999999a"));
  EXPECT_THAT(Column(*batch, "d"), ElementsAre("-105", "999999999999999999"));
}

TEST_F(BlockDecoderTest, WhetherADecimalFitsIsTheWritersAffair) {
  const auto field = [](const char* precision) {
    return std::string(R"({"name":"d","type":{"type":"bytes","logicalType":"decimal",)") +
           R"("precision":)" + precision + "}}";
  };
  Register(1, field("2"));
  Register(2, field("4"));
  topic_.Add(1, Body([](BinaryWriter& to) { to.WriteBytes(Bytes{100}); }));
  ExpectUndecodable("more digits", "d");
}

// Field case B051.
TEST_F(BlockDecoderTest, R2_AReaddedNameDoesNotShowTheOldValues) {
  Register(1, R"({"name":"id","type":"int"},{"name":"x","type":"int"})");
  Register(2, R"({"name":"id","type":"int"})");
  Register(3, R"({"name":"id","type":"int"},{"name":"x","type":"string"})");
  topic_.Add(1, Body([](BinaryWriter& to) {
               to.WriteInt(1);
               to.WriteInt(42);
             }));
  topic_.Add(2, Body([](BinaryWriter& to) { to.WriteInt(2); }));
  topic_.Add(3, Body([](BinaryWriter& to) {
               to.WriteInt(3);
               to.WriteString("new");
             }));
  const auto newest = Decoded();
  ASSERT_NE(newest, nullptr);
  EXPECT_THAT(Column(*newest, "id"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(Column(*newest, "x"), ElementsAre("NULL", "NULL", "new"));
  const auto oldest = Decoded(topic_.version(0));
  ASSERT_NE(oldest, nullptr);
  EXPECT_THAT(Column(*oldest, "x"), ElementsAre("42", "NULL", "NULL"));
}

// Field case B053.
TEST_F(BlockDecoderTest, FieldsAreMatchedByNameAndNotByPlace) {
  ASSERT_TRUE(topic_
                  .Register(1, R"({"type":"record","name":"com.a.R","fields":[)"
                               R"({"name":"a","type":"string"},{"name":"b","type":"string"}]})")
                  .ok());
  ASSERT_TRUE(topic_
                  .Register(2, R"({"type":"record","name":"com.b.R2","fields":[)"
                               R"({"name":"b","type":"string"},{"name":"a","type":"string"}]})")
                  .ok());
  for (const int id : {1, 2, 1}) {
    topic_.Add(id, Body([&](BinaryWriter& to) {
                 to.WriteString(id == 1 ? "A" : "B");
                 to.WriteString(id == 1 ? "B" : "A");
               }));
  }
  for (const auto& target : {topic_.version(0), topic_.version(1)}) {
    const auto batch = Decoded(target);
    ASSERT_NE(batch, nullptr);
    EXPECT_THAT(Column(*batch, "a"), ElementsAre("A", "A", "A"));
    EXPECT_THAT(Column(*batch, "b"), ElementsAre("B", "B", "B"));
  }
}

TEST_F(BlockDecoderTest, NestedFieldsWithoutAColumnAreSkipped) {
  Register(1, R"({"name":"a","type":"int"},{"name":"z","type":"string"})");
  auto columns = topic_.newest();
  columns.fields.push_back({.id = FieldId(90), .name = "deep", .type = {}, .doc = ""});
  topic_.RegisterMapped(
      2,
      ParsedSchema(
          RecordJson(R"({"name":"a","type":"int"},{"name":"deep","type":{"type":"array","items":)"
                     R"({"type":"map","values":["null",{"type":"record","name":"N","fields":[)"
                     R"({"name":"s","type":"string"}]}]}}},{"name":"z","type":"string"})")),
      columns);
  topic_.Add(2, Body([](BinaryWriter& to) {
               to.WriteInt(5);
               to.WriteLong(1);
               to.WriteLong(2);
               to.WriteString("k1");
               to.WriteInt(0);
               to.WriteString("k2");
               to.WriteInt(1);
               to.WriteString("inside");
               to.WriteLong(0);
               to.WriteLong(0);
               to.WriteString("end");
             }));
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_THAT(Column(*batch, "a"), ElementsAre("5"));
  EXPECT_THAT(Column(*batch, "z"), ElementsAre("end"));
}

TEST_F(BlockDecoderTest, ARecordOfNullsOnlyHasNoBytes) {
  Register(1, R"({"name":"n","type":"null"})");
  topic_.Add(1, {});
  const auto batch = Decoded();
  ASSERT_NE(batch, nullptr);
  EXPECT_EQ(batch->num_rows(), 1);
  topic_.Add(1, {0});
  ExpectUndecodable("left over");
}

TEST_F(BlockDecoderTest, AValueWithoutFramingIsRefused) {
  Register(1, R"({"name":"x","type":"int"})");
  for (const char* hex : {"", "00", "00000000", "0100000001", "7b7d202020"}) {
    TopicFixture topic = topic_;
    topic.AddValue(*HexDecode(hex));
    const auto ids = WriterSchemaIds(topic.origin, topic.Blocks());
    ASSERT_FALSE(ids.ok());
    EXPECT_EQ(ids.error().code(), ErrorCode::kUndecodableRecord);
    EXPECT_THAT(ids.error().message(),
                AllOf(HasSubstr("schema id"), HasSubstr("topic orders, partition 3, offset 100")));
    const auto batch = DecodeBlocks(topic.origin, topic.newest(), {}, topic.Blocks());
    EXPECT_EQ(batch.error().code(), ErrorCode::kUndecodableRecord);
  }
}

TEST_F(BlockDecoderTest, WriterSchemaIdsAreThoseOfAllValues) {
  for (const int id : {7, 7, 3, -1, 3}) topic_.Add(id, {});
  topic_.AddValue(std::nullopt);
  topic_.EndBlock();
  topic_.Add(9, {});
  const auto ids = WriterSchemaIds(topic_.origin, topic_.Blocks());
  ASSERT_TRUE(ids.ok());
  EXPECT_THAT(*ids, ElementsAre(WriterSchemaId(-1), WriterSchemaId(3), WriterSchemaId(7),
                                WriterSchemaId(9)));
}

TEST_F(BlockDecoderTest, AMissingPlanIsOurFault) {
  Register(1, R"({"name":"x","type":"int"})");
  topic_.Add(1, {2});
  const auto batch = DecodeBlocks(topic_.origin, topic_.newest(), {}, topic_.Blocks());
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.error().code(), ErrorCode::kInternal);
}

TEST_F(BlockDecoderTest, EveryFlawIsNamed) {
  ExpectFlaw(R"("int")", "", "early");
  ExpectFlaw(R"("int")", "80", "early");
  ExpectFlaw(R"("int")", "8080808010", "32 bits");
  ExpectFlaw(R"("long")", "ffffffffffffffffff02", "64 bits");
  ExpectFlaw(R"("boolean")", "", "early");
  ExpectFlaw(R"("boolean")", "02", "boolean");
  ExpectFlaw(R"("float")", "000000", "early");
  ExpectFlaw(R"("double")", "00000000000000", "early");
  ExpectFlaw(R"("string")", "0461", "early");
  ExpectFlaw(R"("bytes")", "01", "negative");
  ExpectFlaw(R"("bytes")", "feffffffffffffffff01", "early");
  ExpectFlaw(R"({"type":"fixed","name":"F","size":3})", "0102", "early");
  ExpectFlaw(R"(["null","int"])", "04", "branch");
  ExpectFlaw(R"(["null","int"])", "01", "branch");
  ExpectFlaw(R"(["int"])", "0202", "branch");
  ExpectFlaw(R"(["null","int"])", "", "early");
  ExpectFlaw(R"("string")", "02ff", "UTF-8");
}

TEST_F(BlockDecoderTest, BytesLeftOverAreRefused) {
  Register(1, R"({"name":"x","type":"int"})");
  topic_.Add(1, {2});
  topic_.Add(1, {2, 2});
  const auto batch = topic_.Decode();
  ASSERT_FALSE(batch.ok());
  EXPECT_THAT(batch.error().message(), AllOf(HasSubstr("left over"), HasSubstr("offset 101"),
                                             HasSubstr("schema id 1"), Not(HasSubstr(", field"))));
}

TEST_F(BlockDecoderTest, TheFirstRecordAtFaultIsNamed) {
  Register(1, R"({"name":"a","type":"int"},{"name":"b","type":"boolean"})");
  topic_.Add(1, {2, 1});
  topic_.Add(1, {2, 7});
  topic_.Add(1, {});
  const auto batch = topic_.Decode();
  ASSERT_FALSE(batch.ok());
  EXPECT_THAT(batch.error().message(), AllOf(HasSubstr("offset 101"), HasSubstr("field b")));
}

TEST_F(BlockDecoderTest, TextIsCheckedStringByString) {
  const std::string fields = R"({"name":"s","type":"string"})";
  const auto text = [](const std::string& bytes) {
    return Body([&](BinaryWriter& to) { to.WriteString(bytes); });
  };
  // Halves of one character in two records are valid only together.
  Register(1, fields);
  topic_.Add(1, text("a\xc3"));
  topic_.Add(1, text("\xa4 b"));
  const auto batch = topic_.Decode();
  ASSERT_FALSE(batch.ok());
  EXPECT_THAT(batch.error().message(), AllOf(HasSubstr("UTF-8"), HasSubstr("offset 100")));
  for (const char* bad : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xe2\x82"}) {
    TopicFixture fresh;
    std::swap(topic_, fresh);
    Register(1, fields);
    topic_.Add(1, text("ok"));
    topic_.Add(1, text(bad));
    ExpectUndecodable("UTF-8", "s");
  }
  TopicFixture fresh;
  std::swap(topic_, fresh);
  Register(1, fields);
  for (const char* good : {"", "\xc3\xa4", "\xf0\x9f\xa7\x8a", "", "z", ""})
    topic_.Add(1, text(good));
  const auto whole = Decoded();
  ASSERT_NE(whole, nullptr);
  EXPECT_THAT(Column(*whole, "s"), ElementsAre("", "\xc3\xa4", "\xf0\x9f\xa7\x8a", "", "z", ""));
}

TEST_F(BlockDecoderTest, AHeaderKeyThatIsNoTextIsRefused) {
  Register(1, R"({"name":"x","type":"int"})");
  topic_.Add(1, {2});
  topic_.AddHeader("fine", std::nullopt);
  topic_.Add(1, {2});
  topic_.AddHeader("\xff", std::nullopt);
  const auto batch = topic_.Decode();
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.error().code(), ErrorCode::kUndecodableRecord);
  EXPECT_THAT(batch.error().message(), AllOf(HasSubstr("kafka_headers"), HasSubstr("offset 101")));
}

TEST_F(BlockDecoderTest, HeadersThatABlockDoesNotHoldAreOurFault) {
  Register(1, R"({"name":"x","type":"int"})");
  topic_.Add(1, {2});
  topic_.last_record().header_count = 1;
  EXPECT_EQ(topic_.Decode().error().code(), ErrorCode::kInternal);
  topic_.last_record().header_begin = 0xffffffff;
  EXPECT_EQ(topic_.Decode().error().code(), ErrorCode::kInternal);
}

TEST_F(BlockDecoderTest, AColumnOfMoreThan2GiBIsRefused) {
  Register(1, R"({"name":"x","type":{"type":"fixed","name":"F","size":1073741824}})");
  for (int i = 0; i < 2; ++i) topic_.AddValue(std::nullopt);
  const auto batch = topic_.Decode();
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.error().code(), ErrorCode::kResourceExhausted);
}

TEST_F(BlockDecoderTest, TheSameRecordsGiveTheSameBuffers) {
  Register(1, R"({"name":"x","type":["null","int"]},{"name":"s","type":["null","string"]})");
  Register(2, R"({"name":"s","type":["null","string"]})");
  for (int i = 0; i < 1000; ++i) {
    topic_.Add(i % 7 == 0 ? 2 : 1, Body([&](BinaryWriter& to) {
                 if (i % 7 != 0) {
                   to.WriteInt(i % 3 == 0 ? 0 : 1);
                   if (i % 3 != 0) to.WriteInt(i);
                 }
                 to.WriteInt(1);
                 to.WriteString("text " + std::to_string(i));
               }));
    if (i % 100 == 50) topic_.EndBlock();
  }
  const auto first = Decoded(topic_.version(0));
  const auto second = Decoded(topic_.version(0));
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->Equals(*second));
  EXPECT_EQ(Cell(*first, "s", 999), "text 999");
  EXPECT_EQ(Cell(*first, "x", 7), std::nullopt);
  EXPECT_EQ(Cell(*first, "x", 998), "998");
}

}  // namespace
}  // namespace frazil::decode
