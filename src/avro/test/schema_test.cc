// SPDX-License-Identifier: Apache-2.0
#include "avro/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frazil::avro {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Schema Parsed(std::string_view json, const std::vector<std::string>& references = {}) {
  auto parsed = ParseSchema(json, references);
  EXPECT_TRUE(parsed.ok()) << json << ": " << (parsed.ok() ? "" : parsed.error().message());
  return parsed.ok() ? std::move(*parsed) : Schema{};
}

std::string Refusal(std::string_view json, const std::vector<std::string>& references = {},
                    const SchemaLimits& limits = {}) {
  const auto parsed = ParseSchema(json, references, limits);
  if (parsed.ok()) return "accepted";
  const bool too_large = parsed.error().message().find("too large to be used") != std::string::npos;
  EXPECT_EQ(parsed.error().code(),
            too_large ? ErrorCode::kSchemaIncompatible : ErrorCode::kCorruptData);
  return parsed.error().message();
}

TEST(AvroSchema, KnowsPrimitivesAsTextAndAsObject) {
  const std::vector<std::pair<std::string, Type>> cases = {
      {"null", Type::kNull},   {"boolean", Type::kBoolean}, {"int", Type::kInt},
      {"long", Type::kLong},   {"float", Type::kFloat},     {"double", Type::kDouble},
      {"bytes", Type::kBytes}, {"string", Type::kString}};
  for (const auto& [name, type] : cases) {
    EXPECT_EQ(Parsed("\"" + name + "\"").type, type);
    EXPECT_EQ(Parsed(R"({"type":")" + name + R"(","avro.java.string":"String"})").type, type);
  }
}

TEST(AvroSchema, ReadsARecordWithAllOfItsParts) {
  const Schema schema = Parsed(R"({
      "type": "record", "name": "Order", "namespace": "shop", "aliases": ["Purchase", "old.Order"],
      "doc": "an order",
      "fields": [
        {"name": "id", "type": "long", "doc": "number", "aliases": ["number"], "field-id": 7},
        {"name": "note", "type": ["null", "string"], "default": null},
        {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["NEW", "DONE"],
                                   "default": "NEW"}, "default": "DONE"},
        {"name": "tags", "type": {"type": "array", "items": "string"}, "default": ["a", "b"]},
        {"name": "sums", "type": {"type": "map", "values": "double"}, "default": {"x": 1.5}},
        {"name": "hash", "type": {"type": "fixed", "name": "other.Hash", "size": 16}}
      ]})");
  EXPECT_EQ(schema.name, "shop.Order");
  EXPECT_EQ(schema.doc, "an order");
  EXPECT_THAT(schema.aliases, ElementsAre("shop.Purchase", "old.Order"));
  ASSERT_EQ(schema.fields.size(), 6U);
  EXPECT_EQ(schema.fields[0].doc, "number");
  EXPECT_THAT(schema.fields[0].aliases, ElementsAre("number"));
  EXPECT_EQ(schema.fields[0].field_id, 7);
  EXPECT_EQ(schema.fields[0].default_json, std::nullopt);
  EXPECT_EQ(schema.fields[1].default_json, "null");
  EXPECT_EQ(schema.fields[1].field_id, std::nullopt);
  EXPECT_EQ(schema.fields[1].schema.children.size(), 2U);
  EXPECT_EQ(schema.fields[2].schema.name, "shop.State");
  EXPECT_THAT(schema.fields[2].schema.symbols, ElementsAre("NEW", "DONE"));
  EXPECT_EQ(schema.fields[2].default_json, "\"DONE\"");
  EXPECT_EQ(schema.fields[3].default_json, R"(["a","b"])");
  EXPECT_EQ(schema.fields[3].schema.children[0].type, Type::kString);
  EXPECT_EQ(schema.fields[4].default_json, R"({"x":1.5})");
  EXPECT_EQ(schema.fields[5].schema.name, "other.Hash");
  EXPECT_EQ(schema.fields[5].schema.size, 16U);
}

TEST(AvroSchema, ResolvesNamesByTheRulesOfNamespaces) {
  const Schema schema = Parsed(R"({
      "type": "record", "name": "a.b.Outer", "namespace": "ignored", "fields": [
        {"name": "x", "type": {"type": "fixed", "name": "Own", "size": 1}},
        {"name": "y", "type": {"type": "fixed", "name": "Own", "namespace": "", "size": 2}},
        {"name": "z", "type": {"type": "record", "name": "c.Inner", "fields": [
          {"name": "o", "type": "a.b.Own"},
          {"name": "p", "type": {"type": "enum", "name": "Kind", "symbols": ["A"]}}]}},
        {"name": "k", "type": "c.Kind"},
        {"name": "own", "type": "Own"},
        {"name": "object", "type": {"type": "Own"}}]})");
  ASSERT_EQ(schema.fields.size(), 6U);
  EXPECT_EQ(schema.name, "a.b.Outer");
  EXPECT_EQ(schema.fields[0].schema.name, "a.b.Own");
  EXPECT_EQ(schema.fields[1].schema.name, "Own");
  EXPECT_EQ(schema.fields[2].schema.fields[0].schema.name, "a.b.Own");
  EXPECT_EQ(schema.fields[2].schema.fields[1].schema.name, "c.Kind");
  EXPECT_EQ(schema.fields[3].schema.type, Type::kEnum);
  EXPECT_EQ(schema.fields[4].schema.size, 1U);
  EXPECT_EQ(schema.fields[5].schema.size, 1U);
}

TEST(AvroSchema, FindsANameWithoutNamespaceFromWithinOne) {
  const Schema schema =
      Parsed(R"({"type":"record","name":"n.R","fields":[{"name":"f","type":"Id"}]})",
             {R"({"type":"fixed","name":"Id","size":4})"});
  ASSERT_EQ(schema.fields.size(), 1U);
  EXPECT_EQ(schema.fields[0].schema.size, 4U);
}

TEST(AvroSchema, CopiesNamedTypesOfReferences) {
  const std::string money = R"({"type":"record","name":"lib.Money","fields":[
      {"name":"amount","type":"long"}]})";
  const std::string price = R"({"type":"record","name":"lib.Price","fields":[
      {"name":"money","type":"Money"}]})";
  const Schema schema = Parsed(R"({"type":"record","name":"R","fields":[
      {"name":"a","type":"lib.Price"},{"name":"b","type":"lib.Price"}]})",
                               {money, price, money});
  ASSERT_EQ(schema.fields.size(), 2U);
  for (const Field& field : schema.fields) {
    ASSERT_EQ(field.schema.fields.size(), 1U);
    EXPECT_EQ(field.schema.fields[0].schema.name, "lib.Money");
    EXPECT_EQ(field.schema.fields[0].schema.fields[0].schema.type, Type::kLong);
    EXPECT_FALSE(field.schema.recursive_reference);
  }
  EXPECT_THAT(Refusal("\"lib.Price\"", {price}), HasSubstr("not defined before"));
}

TEST(AvroSchema, MarksRecordsThatStandInThemselves) {
  const Schema list = Parsed(R"({"type":"record","name":"Node","fields":[
      {"name":"value","type":"int"},{"name":"next","type":["null","Node"]}]})");
  ASSERT_EQ(list.fields.size(), 2U);
  const Schema& next = list.fields[1].schema.children[1];
  EXPECT_TRUE(next.recursive_reference);
  EXPECT_EQ(next.name, "Node");
  EXPECT_TRUE(next.fields.empty());
  EXPECT_FALSE(list.recursive_reference);

  // B is defined inside A, uses A, and is used outside of it.
  const Schema pair = Parsed(R"({"type":"record","name":"Top","fields":[
      {"name":"a","type":{"type":"record","name":"A","fields":[
        {"name":"b","type":{"type":"record","name":"B","fields":[{"name":"back","type":"A"}]}}]}},
      {"name":"b","type":"B"}]})");
  ASSERT_EQ(pair.fields.size(), 2U);
  EXPECT_TRUE(pair.fields[0].schema.fields[0].schema.fields[0].schema.recursive_reference);
  const Schema& back = pair.fields[1].schema.fields[0].schema;
  EXPECT_FALSE(back.recursive_reference);
  EXPECT_TRUE(back.fields[0].schema.recursive_reference);
}

TEST(AvroSchema, TakesNamesThatRegistriesTake) {
  EXPECT_EQ(Parsed(R"({"type":"fixed","name":"com.my-shop.Größe_1","size":1})").name,
            "com.my-shop.Größe_1");
  EXPECT_EQ(Parsed(R"({"type":"fixed","name":"shop.string","size":1})").name, "shop.string");
  EXPECT_EQ(Parsed(R"({"type":"error","name":"E","fields":[]})").type, Type::kRecord);
}

TEST(AvroSchema, RefusesNamesThatBreakTheRules) {
  for (const char* name :
       {"", "1st", "a-b", "a b", ".a", "a.", "a..b", "a.1", "int", "a\\u0000", "n m.x"}) {
    EXPECT_THAT(Refusal(R"({"type":"fixed","size":1,"name":")" + std::string(name) + "\"}"),
                HasSubstr("name"))
        << name;
  }
  EXPECT_THAT(Refusal(R"({"type":"record","name":"R","fields":[{"name":"a.b","type":"int"}]})"),
              HasSubstr("a.b"));
  EXPECT_THAT(Refusal(R"({"type":"enum","name":"E","symbols":["A-B"]})"), HasSubstr("A-B"));
}

TEST(AvroSchema, RefusesWhatStandsTwice) {
  EXPECT_THAT(Refusal(R"({"type":"record","name":"R","fields":[
      {"name":"a","type":"int"},{"name":"a","type":"long"}]})"),
              HasSubstr("two fields of one name: a"));
  EXPECT_THAT(Refusal(R"({"type":"enum","name":"E","symbols":["A","B","A"]})"),
              HasSubstr("twice: A"));
  EXPECT_THAT(Refusal(R"(["int","string","int"])"), HasSubstr("two branches of one type: int"));
  EXPECT_THAT(Refusal(R"([{"type":"array","items":"int"},{"type":"array","items":"long"}])"),
              HasSubstr("array"));
  EXPECT_THAT(Refusal(R"([{"type":"fixed","name":"F","size":1},"F"])"), HasSubstr("F"));
  EXPECT_THAT(Refusal(R"([{"type":"fixed","name":"F","size":1},
                          {"type":"fixed","name":"F","size":1}])"),
              HasSubstr("defines a name twice"));
  EXPECT_THAT(Refusal(R"({"type":"fixed","name":"F","size":1})",
                      {R"({"type":"fixed","name":"F","size":2})"}),
              HasSubstr("defines a name twice"));
  EXPECT_EQ(Parsed(R"([{"type":"fixed","name":"F","size":1},{"type":"fixed","name":"G","size":1}])")
                .children.size(),
            2U);
}

TEST(AvroSchema, RefusesBrokenShapes) {
  for (const char* json : {"",
                           "{",
                           "1",
                           "true",
                           "null",
                           "{}",
                           "[]",
                           "\"no.such\"",
                           "\"record\"",
                           R"({"type":1})",
                           R"({"type":{"type":"int"}})",
                           R"({"type":"record","name":"R"})",
                           R"({"type":"record","fields":[]})",
                           R"({"type":"record","name":"R","fields":{}})",
                           R"({"type":"record","name":"R","fields":[1]})",
                           R"({"type":"record","name":"R","fields":[{"name":"a"}]})",
                           R"({"type":"record","name":"R","fields":[{"type":"int"}]})",
                           R"({"type":"record","name":"R","aliases":"x","fields":[]})",
                           R"({"type":"record","name":"R","aliases":[1],"fields":[]})",
                           R"({"type":"enum","name":"E"})",
                           R"({"type":"enum","name":"E","symbols":[]})",
                           R"({"type":"enum","name":"E","symbols":[1]})",
                           R"({"type":"enum","name":"E","symbols":["A"],"default":"B"})",
                           R"({"type":"array"})",
                           R"({"type":"map"})",
                           R"({"type":"array","items":1})",
                           R"({"type":"fixed","name":"F"})",
                           R"({"type":"fixed","name":"F","size":-1})",
                           R"({"type":"fixed","name":"F","size":1.5})",
                           R"({"type":"fixed","name":"F","size":"1"})",
                           R"({"type":"fixed","name":"F","size":2147483648})",
                           R"(["int",["long"]])",
                           R"({"type":"union"})"}) {
    EXPECT_NE(Refusal(json), "accepted") << json;
  }
}

struct LogicalCase {
  const char* json;
  LogicalType type;
};

TEST(AvroSchema, KnowsLogicalTypesOnTheTypesThatTheyGoWith) {
  const std::vector<LogicalCase> cases = {
      {R"({"type":"int","logicalType":"date"})", LogicalType::kDate},
      {R"({"type":"int","logicalType":"time-millis"})", LogicalType::kTimeMillis},
      {R"({"type":"long","logicalType":"time-micros"})", LogicalType::kTimeMicros},
      {R"({"type":"long","logicalType":"timestamp-millis"})", LogicalType::kTimestampMillis},
      {R"({"type":"long","logicalType":"timestamp-micros"})", LogicalType::kTimestampMicros},
      {R"({"type":"long","logicalType":"timestamp-nanos"})", LogicalType::kTimestampNanos},
      {R"({"type":"long","logicalType":"local-timestamp-millis"})",
       LogicalType::kLocalTimestampMillis},
      {R"({"type":"long","logicalType":"local-timestamp-micros"})",
       LogicalType::kLocalTimestampMicros},
      {R"({"type":"long","logicalType":"local-timestamp-nanos"})",
       LogicalType::kLocalTimestampNanos},
      {R"({"type":"string","logicalType":"uuid"})", LogicalType::kUuid},
      {R"({"type":"fixed","name":"F","size":16,"logicalType":"uuid"})", LogicalType::kUuid},
      {R"({"type":"fixed","name":"F","size":12,"logicalType":"duration"})", LogicalType::kDuration},
      // Wrong base type, unknown name, no text.
      {R"({"type":"long","logicalType":"date"})", LogicalType::kNone},
      {R"({"type":"int","logicalType":"timestamp-millis"})", LogicalType::kNone},
      {R"({"type":"bytes","logicalType":"uuid"})", LogicalType::kNone},
      {R"({"type":"fixed","name":"F","size":15,"logicalType":"uuid"})", LogicalType::kNone},
      {R"({"type":"fixed","name":"F","size":16,"logicalType":"duration"})", LogicalType::kNone},
      {R"({"type":"string","logicalType":"url"})", LogicalType::kNone},
      {R"({"type":"string","logicalType":1})", LogicalType::kNone}};
  for (const LogicalCase& c : cases) EXPECT_EQ(Parsed(c.json).logical_type, c.type) << c.json;
}

TEST(AvroSchema, TakesDecimalsWithValidAttributesOnly) {
  const Schema bytes =
      Parsed(R"({"type":"bytes","logicalType":"decimal","precision":10,"scale":2})");
  EXPECT_EQ(bytes.logical_type, LogicalType::kDecimal);
  EXPECT_EQ(bytes.precision, 10);
  EXPECT_EQ(bytes.scale, 2);
  EXPECT_EQ(Parsed(R"({"type":"bytes","logicalType":"decimal","precision":3})").scale, 0);
  const auto fixed = [](int size, int precision) {
    return Parsed(R"({"type":"fixed","name":"F","logicalType":"decimal","size":)" +
                  std::to_string(size) + R"(,"precision":)" + std::to_string(precision) + "}")
        .logical_type;
  };
  // The digits that always fit: 2 in one byte, 18 in 8, 38 in 16.
  for (const auto& [size, digits] :
       std::vector<std::pair<int, int>>{{1, 2}, {4, 9}, {8, 18}, {16, 38}}) {
    EXPECT_EQ(fixed(size, digits), LogicalType::kDecimal) << size;
    EXPECT_EQ(fixed(size, digits + 1), LogicalType::kNone) << size;
  }
  EXPECT_EQ(fixed(0, 1), LogicalType::kNone);
  for (const char* attributes :
       {"", R"(,"precision":0)", R"(,"precision":-1)", R"(,"precision":4,"scale":5)",
        R"(,"precision":4,"scale":-1)", R"(,"precision":"4")", R"(,"precision":4.0)",
        R"(,"precision":4,"scale":"1")", R"(,"precision":18446744073709551615)",
        R"(,"precision":4294967300)"}) {
    EXPECT_EQ(Parsed(R"({"type":"bytes","logicalType":"decimal")" + std::string(attributes) + "}")
                  .logical_type,
              LogicalType::kNone)
        << attributes;
  }
}

// {"type":"array","items": ... "int"} with `depth` schemas in all.
std::string Nested(std::size_t depth) {
  std::string json;
  for (std::size_t i = 1; i < depth; ++i) json += R"({"type":"array","items":)";
  json += "\"int\"";
  for (std::size_t i = 1; i < depth; ++i) json += "}";
  return json;
}

TEST(AvroSchema, BoundsDepth) {
  EXPECT_EQ(Parsed(Nested(64)).type, Type::kArray);
  EXPECT_THAT(Refusal(Nested(65)), HasSubstr("deeper"));
  EXPECT_THAT(Refusal(Nested(100000)), HasSubstr("deeper"));
  std::string unions;
  for (int i = 0; i < 100000; ++i) unions += "[";
  EXPECT_THAT(Refusal(unions), HasSubstr("deeper"));
}

// Level i is a record of two fields of level i - 1: 2^levels nodes when copied.
std::vector<std::string> Doubling(int levels, const std::string& doc = "") {
  std::vector<std::string> texts = {R"({"type":"record","name":"L0","doc":")" + doc +
                                    R"(","fields":[]})"};
  for (int i = 1; i <= levels; ++i) {
    const std::string below = "\"L" + std::to_string(i - 1) + "\"";
    std::string text = R"({"type":"record","name":"L)";
    text += std::to_string(i);
    text += R"(","fields":[{"name":"a","type":)";
    text += below;
    text += R"(},{"name":"b","type":)";
    text += below;
    text += "}]}";
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST(AvroSchema, BoundsCopiesOfNamedTypes) {
  EXPECT_EQ(Parsed("\"L10\"", Doubling(10)).fields.size(), 2U);
  EXPECT_THAT(Refusal("\"L40\"", Doubling(40)), HasSubstr("more types"));
  EXPECT_THAT(Refusal("\"L10\"", Doubling(10, std::string(100000, 'x'))), HasSubstr("too large"));
}

TEST(AvroSchema, BoundsItsText) {
  EXPECT_THAT(Refusal("\"int\"" + std::string(100, ' '), {}, {.text_bytes = 50}),
              HasSubstr("longer"));
}

TEST(AvroSchema, SurvivesEachTruncationAndEachChangedByte) {
  const std::string json = R"({"type":"record","name":"a.R","aliases":["S"],"fields":[
      {"name":"f","type":["null",{"type":"fixed","name":"F","size":4,"logicalType":"decimal",
       "precision":4,"scale":1}],"default":null},{"name":"g","type":{"type":"enum","name":"E",
       "symbols":["A"]}},{"name":"h","type":{"type":"map","values":"R"}}]})";
  Parsed(json);
  for (std::size_t size = 0; size < json.size(); ++size) {
    EXPECT_NE(Refusal(json.substr(0, size)), "accepted");
  }
  for (std::size_t i = 0; i < json.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = json;
      changed[i] = static_cast<char>(value);
      IgnoreError(ParseSchema(changed));
    }
  }
}

TEST(AvroSchema, DescribesItselfForMessages) {
  EXPECT_EQ(Describe(Parsed(R"({"type":"record","name":"shop.Order","fields":[]})")),
            "record shop.Order");
  EXPECT_EQ(Describe(Parsed(R"({"type":"long","logicalType":"timestamp-millis"})")),
            "long (timestamp-millis)");
  EXPECT_EQ(Describe(Parsed(R"({"type":"bytes","logicalType":"decimal","precision":9})")),
            "bytes (decimal(9, 0))");
  EXPECT_EQ(Describe(Parsed(R"(["null","int"])")), "union");
}

}  // namespace
}  // namespace frazil::avro
