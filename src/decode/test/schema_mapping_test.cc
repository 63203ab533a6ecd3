// SPDX-License-Identifier: Apache-2.0
#include "decode/schema_mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/kafka_columns.h"
#include "decode/test/topic_fixture.h"

namespace frazil::decode {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<MappedSchema> MapFields(const std::string& fields) {
  return MapFirstSchema(ParsedSchema(RecordJson(fields)), kFirstValueField);
}

Result<MappedSchema> MapFieldsAfter(const MappedSchema& previous, const std::string& fields) {
  return MapNextSchema(previous.schema, ParsedSchema(RecordJson(fields)), previous.next_field_id);
}

std::vector<std::string> ValueFields(const iceberg::Schema& schema) {
  std::vector<std::string> texts;
  for (const auto& field : schema.fields) {
    if (field.id < kFirstValueField) continue;
    texts.push_back(std::to_string(field.id.value()) + " " + field.name + " " +
                    (field.required ? "required " : "") + iceberg::ToString(field.type));
  }
  return texts;
}

TEST(SchemaMapping, EveryAvroTypeBecomesItsColumn) {
  const std::vector<std::pair<std::string, std::string>> types{
      {R"("boolean")", "boolean"},
      {R"("int")", "int"},
      {R"("long")", "long"},
      {R"("float")", "float"},
      {R"("double")", "double"},
      {R"("bytes")", "binary"},
      {R"("string")", "string"},
      {R"({"type":"enum","name":"E","symbols":["A","B"]})", "string"},
      {R"({"type":"fixed","name":"F","size":5})", "fixed[5]"},
      {R"({"type":"fixed","name":"F","size":12,"logicalType":"duration"})", "fixed[12]"},
      {R"({"type":"bytes","logicalType":"decimal","precision":10,"scale":2})", "decimal(10, 2)"},
      {R"({"type":"fixed","name":"F","size":16,"logicalType":"decimal","precision":38})",
       "decimal(38, 0)"},
      {R"({"type":"string","logicalType":"uuid"})", "uuid"},
      {R"({"type":"fixed","name":"F","size":16,"logicalType":"uuid"})", "uuid"},
      {R"({"type":"int","logicalType":"date"})", "date"},
      {R"({"type":"int","logicalType":"time-millis"})", "long"},
      {R"({"type":"long","logicalType":"time-micros"})", "long"},
      {R"({"type":"long","logicalType":"timestamp-millis"})", "timestamptz"},
      {R"({"type":"long","logicalType":"timestamp-micros"})", "timestamptz"},
      {R"({"type":"long","logicalType":"timestamp-nanos"})", "timestamptz"},
      {R"({"type":"long","logicalType":"local-timestamp-millis"})", "timestamp"},
      {R"({"type":"long","logicalType":"local-timestamp-micros"})", "timestamp"},
      {R"({"type":"long","logicalType":"local-timestamp-nanos"})", "timestamp"},
      {R"({"type":"long","logicalType":"made-up"})", "long"},
      {R"(["null","int"])", "int"},
      {R"(["string","null"])", "string"},
      {R"(["double"])", "double"},
  };
  for (const auto& [avro, column] : types) {
    const auto mapped = MapFields(R"({"name":"f","type":)" + avro + "}");
    ASSERT_TRUE(mapped.ok()) << avro << ": " << mapped.error().ToString();
    EXPECT_EQ(iceberg::ToString(mapped->schema.fields.front().type), column) << avro;
    EXPECT_FALSE(mapped->schema.fields.front().required);
  }
}

TEST(SchemaMapping, TheFirstVersionNumbersFieldsFrom21AndEndsWithKafkasColumns) {
  const auto mapped =
      MapFields(R"({"name":"b","type":"int","doc":"why"},{"name":"a","type":["null","string"]})");
  ASSERT_TRUE(mapped.ok()) << mapped.error().ToString();
  EXPECT_EQ(mapped->schema.version, SchemaVersion(0));
  EXPECT_THAT(ValueFields(mapped->schema), ElementsAre("21 b int", "22 a string"));
  EXPECT_EQ(mapped->schema.fields.front().doc, "why");
  EXPECT_EQ(mapped->next_field_id, FieldId(23));
  const auto kafka = KafkaColumns();
  ASSERT_EQ(mapped->schema.fields.size(), 2 + kafka.size());
  for (std::size_t i = 0; i < kafka.size(); ++i) {
    EXPECT_EQ(mapped->schema.fields[2 + i], kafka[i]);
  }
}

TEST(SchemaMapping, KafkasColumnsAreFixed) {
  std::vector<std::string> texts;
  for (const auto& field : KafkaColumns()) {
    texts.push_back(std::to_string(field.id.value()) + " " + field.name + " " +
                    iceberg::ToString(field.type) + (field.required ? " required" : ""));
  }
  EXPECT_THAT(texts,
              ElementsAre("1 kafka_generation int required", "2 kafka_partition int required",
                          "3 kafka_offset long required", "4 kafka_timestamp timestamptz",
                          "5 kafka_key binary", HasSubstr("6 kafka_headers list<struct<")));
  const auto headers = KafkaColumns().back();
  const auto& element = headers.type.fields.front();
  EXPECT_EQ(element.id, kHeadersElementField);
  EXPECT_TRUE(element.required);
  EXPECT_EQ(element.type.fields[0].id, kHeaderKeyField);
  EXPECT_TRUE(element.type.fields[0].required);
  EXPECT_EQ(element.type.fields[1].id, kHeaderValueField);
  EXPECT_FALSE(element.type.fields[1].required);
}

TEST(SchemaMapping, FieldsThatAreAlwaysNullGetNoColumn) {
  const auto mapped = MapFields(R"({"name":"n","type":"null"},{"name":"u","type":["null"]},)"
                                R"({"name":"i","type":"int"})");
  ASSERT_TRUE(mapped.ok());
  EXPECT_THAT(ValueFields(mapped->schema), ElementsAre("21 i int"));
}

TEST(SchemaMapping, R3_WhatCannotBeShownIsRefusedByName) {
  const std::vector<std::pair<std::string, std::string>> fields{
      {R"({"name":"f","type":["null","R"]})", "contains itself"},
      {R"({"name":"f","type":{"type":"array","items":"null"}})", "always null"},
      {R"({"name":"f","type":{"type":"map","values":["null"]}})", "always null"},
      {R"({"name":"f","type":{"type":"bytes","logicalType":"decimal","precision":39}})", "38"},
      {R"({"name":"f","type":{"type":"fixed","name":"F","size":0}})", "fixed"},
      {R"({"name":"kafka_f","type":"int"})", "kafka_"},
      {R"({"name":"KAFKA_f","type":"int"})", "kafka_"},
      {R"({"name":"kafka_f","type":"null"})", "kafka_"},
      {R"({"name":"f","type":"int"},{"name":"F","type":"int"})", "case"},
  };
  for (const auto& [field, reason] : fields) {
    const auto mapped = MapFields(field);
    ASSERT_FALSE(mapped.ok()) << field;
    EXPECT_EQ(mapped.error().code(), ErrorCode::kSchemaIncompatible);
    EXPECT_THAT(mapped.error().message(), AllOf(HasSubstr(reason), HasSubstr("field ")));
  }
}

TEST(SchemaMapping, ATopLevelThatIsNoRecordIsOneColumn) {
  const std::vector<std::pair<std::string, std::string>> types{
      {R"("string")", "21 value string"},
      {R"({"type":"array","items":"int"})", "21 value list<int>"},
      {R"(["null","int"])", "21 value int"},
      {R"(["string","long"])", "21 value struct<string: string, long: long>"},
  };
  for (const auto& [json, column] : types) {
    const auto mapped = MapFirstSchema(ParsedSchema(json), kFirstValueField);
    ASSERT_TRUE(mapped.ok()) << json << mapped.error().ToString();
    EXPECT_THAT(ValueFields(mapped->schema), ElementsAre(column));
  }
}

TEST(SchemaMapping, TheSameSchemaIsTheSameVersion) {
  const auto first = MapFields(R"({"name":"a","type":"int"})");
  const auto next = MapFieldsAfter(*first, R"({"name":"a","type":["null","int"],"default":null})");
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->schema, first->schema);
  EXPECT_EQ(next->next_field_id, first->next_field_id);
}

TEST(SchemaMapping, TypesWidenAndNeverNarrow) {
  const std::string narrow =
      R"({"name":"i","type":"int"},{"name":"f","type":"float"},)"
      R"({"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}})";
  const std::string wide =
      R"({"name":"i","type":"long"},{"name":"f","type":"double"},)"
      R"({"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":18,"scale":2}})";
  const auto first = MapFields(narrow);
  const auto second = MapFieldsAfter(*first, wide);
  ASSERT_TRUE(second.ok()) << second.error().ToString();
  EXPECT_EQ(second->schema.version, SchemaVersion(1));
  EXPECT_THAT(ValueFields(second->schema),
              ElementsAre("21 i long", "22 f double", "23 d decimal(18, 2)"));
  EXPECT_EQ(second->next_field_id, first->next_field_id);
  const auto back = MapFieldsAfter(*second, narrow);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->schema, second->schema);
}

TEST(SchemaMapping, AnyOtherChangeOfTypeIsRefused) {
  const std::vector<std::pair<std::string, std::string>> changes{
      {R"("int")", R"("string")"},
      {R"("long")", R"("double")"},
      {R"("int")", R"("float")"},
      {R"("string")", R"("bytes")"},
      {R"("long")", R"({"type":"long","logicalType":"timestamp-millis"})"},
      {R"({"type":"bytes","logicalType":"decimal","precision":9,"scale":2})",
       R"({"type":"bytes","logicalType":"decimal","precision":18,"scale":3})"},
      {R"({"type":"fixed","name":"F","size":4})", R"({"type":"fixed","name":"F","size":5})"},
  };
  for (const auto& [before, after] : changes) {
    for (const bool turned : {false, true}) {
      const auto first = MapFields(R"({"name":"x","type":)" + (turned ? after : before) + "}");
      const auto next =
          MapFieldsAfter(*first, R"({"name":"x","type":)" + (turned ? before : after) + "}");
      ASSERT_FALSE(next.ok()) << before << after;
      EXPECT_EQ(next.error().code(), ErrorCode::kSchemaIncompatible);
      EXPECT_THAT(next.error().message(), HasSubstr("field x"));
    }
  }
}

TEST(SchemaMapping, ANumberDoesNotBecomeATimeOfDay) {
  const std::string millis = R"({"name":"x","type":{"type":"int","logicalType":"time-millis"}})";
  const std::string micros = R"({"name":"x","type":{"type":"long","logicalType":"time-micros"}})";
  for (const char* number : {"int", "long"}) {
    const std::string plain = R"({"name":"x","type":")" + std::string(number) + R"("})";
    for (const std::string& time : {millis, micros}) {
      EXPECT_FALSE(MapFieldsAfter(*MapFields(plain), time).ok());
      EXPECT_FALSE(MapFieldsAfter(*MapFields(time), plain).ok());
    }
  }
  const auto first = MapFields(millis);
  const auto next = MapFieldsAfter(*first, micros);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->schema, first->schema);
  EXPECT_EQ(first->schema.fields.front().doc, "(microseconds since midnight)");
}

// Field case B051.
TEST(SchemaMapping, R2_ANameThatComesBackWithAnotherTypeGetsAnotherId) {
  const auto first = MapFields(R"({"name":"id","type":"int"},{"name":"x","type":"int"})");
  const auto second = MapFieldsAfter(*first, R"({"name":"id","type":"int"})");
  const auto third =
      MapFieldsAfter(*second, R"({"name":"id","type":"int"},{"name":"x","type":"string"})");
  ASSERT_TRUE(third.ok()) << third.error().ToString();
  EXPECT_THAT(ValueFields(second->schema), ElementsAre("21 id int"));
  EXPECT_THAT(ValueFields(third->schema), ElementsAre("21 id int", "23 x string"));
  EXPECT_EQ(third->schema.version, SchemaVersion(2));
  EXPECT_EQ(third->next_field_id, FieldId(24));
}

// Field case B053.
TEST(SchemaMapping, R2_ReorderedFieldsOfARenamedRecordKeepTheirIds) {
  const auto first = MapFields(R"({"name":"a","type":"string"},{"name":"b","type":"string"})");
  const auto next =
      MapNextSchema(first->schema,
                    ParsedSchema(R"({"type":"record","name":"com.b.R2","fields":[)"
                                 R"({"name":"b","type":"string"},{"name":"a","type":"string"}]})"),
                    first->next_field_id);
  ASSERT_TRUE(next.ok());
  EXPECT_THAT(ValueFields(next->schema), ElementsAre("22 b string", "21 a string"));
}

TEST(SchemaMapping, ANameOfAnotherCaseIsAnotherField) {
  const auto first = MapFields(R"({"name":"x","type":"int"})");
  const auto next = MapFieldsAfter(*first, R"({"name":"X","type":"string"})");
  ASSERT_TRUE(next.ok());
  EXPECT_THAT(ValueFields(next->schema), ElementsAre("22 X string"));
}

TEST(SchemaMapping, IdsNeverWrap) {
  const auto mapped = MapFirstSchema(ParsedSchema(RecordJson(R"({"name":"x","type":"int"})")),
                                     FieldId(std::numeric_limits<std::int32_t>::max()));
  EXPECT_FALSE(mapped.ok());
}

}  // namespace
}  // namespace frazil::decode
