// SPDX-License-Identifier: Apache-2.0
#include "iceberg/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iceberg/test/samples.h"

namespace frazil::iceberg {
namespace {

using ::testing::ElementsAre;

std::string WithField(const std::string& field) {
  return R"json({"type":"struct","schema-id":1,"fields":[)json" + field + "]}";
}

TEST(IcebergSchema, NamesTypesAsTheSpecDoes) {
  EXPECT_EQ(ToString(Type::Decimal(10, 2)), "decimal(10, 2)");
  EXPECT_EQ(ToString(Type::Fixed(16)), "fixed[16]");
  EXPECT_EQ(ToString(Type::Of(TypeKind::kTimestamptz)), "timestamptz");
  const Schema schema = test::SampleSchema();
  EXPECT_EQ(ToString(FindField(schema, "tags")->type), "list<string>");
  EXPECT_EQ(ToString(FindField(schema, "scores")->type), "map<string, double>");
  EXPECT_EQ(ToString(FindField(schema, "address")->type), "struct<city: string, zip: int>");
}

TEST(IcebergSchema, FindsFieldsLeavesAndTheHighestId) {
  const Schema schema = test::SampleSchema();
  EXPECT_EQ(FindField(schema, "city"), nullptr);
  EXPECT_EQ(FindField(schema, "name")->id, FieldId(11));
  std::vector<std::int32_t> leaves;
  for (const NestedField* leaf : LeafFields(schema)) leaves.push_back(leaf->id.value());
  EXPECT_THAT(leaves,
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 22, 23));
  EXPECT_EQ(HighestFieldId(schema), FieldId(23));
  EXPECT_EQ(HighestFieldId({}), FieldId(0));
  Schema nested;
  nested.fields.push_back({.id = FieldId(3),
                           .name = "m",
                           .type = Type::Map(FieldId(1), Type::Of(TypeKind::kInt), FieldId(9),
                                             Type::Of(TypeKind::kInt), true),
                           .doc = {}});
  EXPECT_EQ(HighestFieldId(nested), FieldId(9));
}

TEST(IcebergSchema, AllowsThePromotionsOfTheSpecOnly) {
  const auto of = [](TypeKind kind) { return Type::Of(kind); };
  EXPECT_TRUE(IsPromotion(of(TypeKind::kInt), of(TypeKind::kLong)));
  EXPECT_TRUE(IsPromotion(of(TypeKind::kFloat), of(TypeKind::kDouble)));
  EXPECT_TRUE(IsPromotion(Type::Decimal(9, 2), Type::Decimal(10, 2)));
  EXPECT_TRUE(IsPromotion(Type::Decimal(9, 2), Type::Decimal(9, 2)));
  EXPECT_TRUE(IsPromotion(of(TypeKind::kString), of(TypeKind::kString)));
  EXPECT_FALSE(IsPromotion(of(TypeKind::kLong), of(TypeKind::kInt)));
  EXPECT_FALSE(IsPromotion(of(TypeKind::kInt), of(TypeKind::kDouble)));
  EXPECT_FALSE(IsPromotion(of(TypeKind::kDate), of(TypeKind::kTimestamp)));
  EXPECT_FALSE(IsPromotion(Type::Decimal(10, 2), Type::Decimal(9, 2)));
  EXPECT_FALSE(IsPromotion(Type::Decimal(9, 2), Type::Decimal(10, 3)));
  EXPECT_FALSE(IsPromotion(Type::Fixed(4), Type::Fixed(5)));
  EXPECT_FALSE(IsPromotion(of(TypeKind::kString), of(TypeKind::kBinary)));
}

TEST(IcebergSchema, WritesKeysInAFixedOrder) {
  const Schema schema{.version = SchemaVersion(3),
                      .fields = {{.id = FieldId(1),
                                  .name = "a\"b",
                                  .required = true,
                                  .type = Type::List(FieldId(2), Type::Decimal(9, 2), false),
                                  .doc = "why"}}};
  EXPECT_EQ(
      SchemaToJson(schema),
      R"json({"type":"struct","schema-id":3,"fields":[{"id":1,"name":"a\"b","required":true,)json"
      R"json("type":{"type":"list","element-id":2,"element":"decimal(9, 2)",)json"
      R"json("element-required":false},"doc":"why"}]})json");
}

TEST(IcebergSchema, ReadsBackWhatItWrites) {
  const Schema schema = test::SampleSchema();
  const auto read = SchemaFromJson(SchemaToJson(schema));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, schema);
}

TEST(IcebergSchema, ReadsOtherOrdersSpacesAndUnknownKeys) {
  const auto read = SchemaFromJson(
      R"json({"fields": [{"type": {"value-required": true, "value": "fixed[ 4 ]", "key": "decimal(9,2)",
          "value-id": 3, "key-id": 2, "type": "map"}, "required": false, "name": "m", "id": 1}],
          "identifier-field-ids": [], "type": "struct"})json");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->version, SchemaVersion(0));
  EXPECT_EQ(read->fields[0].type,
            Type::Map(FieldId(2), Type::Decimal(9, 2), FieldId(3), Type::Fixed(4), true));
}

TEST(IcebergSchema, RefusesBrokenSchemas) {
  EXPECT_TRUE(
      SchemaFromJson(WithField(R"json({"id":1,"name":"a","required":true,"type":"int"})json"))
          .ok());
  const std::vector<std::string> broken = {
      "",
      "[]",
      R"json({"type":"list","fields":[]})json",
      R"json({"type":"struct"})json",
      R"json({"type":"struct","schema-id":"1","fields":[]})json",
      R"json({"type":"struct","schema-id":-1,"fields":[]})json",
      WithField("1"),
      WithField(R"json({"name":"a","required":true,"type":"int"})json"),
      WithField(R"json({"id":1,"required":true,"type":"int"})json"),
      WithField(R"json({"id":1,"name":"a","type":"int"})json"),
      WithField(R"json({"id":1,"name":"a","required":true})json"),
      WithField(R"json({"id":2147483648,"name":"a","required":true,"type":"int"})json"),
      WithField(R"json({"id":-1,"name":"a","required":true,"type":"int"})json"),
      WithField(R"json({"id":1.0,"name":"a","required":true,"type":"int"})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":"timestamp_ns"})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":"decimal(39, 2)"})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":"decimal(3, 4)"})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":"decimal(3)"})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":"decimal(3, 1, 1)"})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":"fixed[-1]"})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":"fixed[99999999999]"})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":"fixed["})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":{"type":"list","element-id":2,
                   "element":"int"}})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":{"type":"list","element-id":1,
                   "element":"int","element-required":true}})json"),
      WithField(
          R"json({"id":1,"name":"a","required":true,"type":{"type":"map","key-id":2,"key":"int",
                   "value-id":3,"value-required":true}})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":"int"},
                   {"id":1,"name":"b","required":true,"type":"int"})json"),
      WithField(R"json({"id":1,"name":"a","required":true,"type":"int"},
                   {"id":2,"name":"a","required":true,"type":"int"})json"),
  };
  for (const std::string& json : broken) {
    const auto read = SchemaFromJson(json);
    ASSERT_FALSE(read.ok()) << json;
    EXPECT_EQ(read.error().code(), ErrorCode::kCorruptData);
  }
}

TEST(IcebergSchema, SurvivesEachTruncationAndEachChangedByte) {
  const std::string json = SchemaToJson(test::SampleSchema());
  for (std::size_t size = 0; size < json.size(); ++size) {
    EXPECT_FALSE(SchemaFromJson(json.substr(0, size)).ok());
  }
  for (std::size_t i = 0; i < json.size(); ++i) {
    for (const char bit : {'\x01', '\x02', '\x10', '\x40', '\x80'}) {
      std::string changed = json;
      changed[i] = static_cast<char>(changed[i] ^ bit);
      IgnoreError(SchemaFromJson(changed));
    }
  }
}

}  // namespace
}  // namespace frazil::iceberg
