// SPDX-License-Identifier: Apache-2.0
// Nested fields: their columns, and what becomes of their ids when the schema changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/kafka_columns.h"
#include "decode/schema_mapping.h"
#include "decode/test/topic_fixture.h"

namespace frazil::decode {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// "21 o struct", "22 o.c int", ...: every column with its id, depth first.
void List(const std::vector<iceberg::NestedField>& fields, const std::string& parent,
          std::vector<std::string>& texts) {
  for (const auto& field : fields) {
    if (field.id < kFirstValueField) continue;
    std::string type = iceberg::ToString(field.type);
    type = type.substr(0, type.find('<'));
    texts.push_back(std::to_string(field.id.value()) + " " + parent + field.name + " " + type);
    List(field.type.fields, parent + field.name + ".", texts);
  }
}

std::vector<std::string> AllColumns(const iceberg::Schema& schema) {
  std::vector<std::string> texts;
  List(schema.fields, "", texts);
  return texts;
}

std::string RecordType(const std::string& name, const std::string& fields) {
  return R"({"type":"record","name":")" + name + R"(","fields":[)" + fields + "]}";
}

std::string FieldOf(const std::string& name, const std::string& type,
                    const std::string& more = "") {
  return R"({"name":")" + name + R"(","type":)" + type + more + "}";
}

std::string AliasedField(const std::string& name, const std::string& type,
                         const std::string& alias) {
  return FieldOf(name, type, R"(,"aliases":[")" + alias + R"("])");
}

class NestedMappingTest : public ::testing::Test {
 protected:
  // The next version of the topic, or the reason why there is none.
  std::string Register(const std::string& fields) {
    const auto schema = ParsedSchema(RecordJson(fields));
    auto mapped = newest_.has_value()
                      ? MapNextSchema(newest_->schema, schema, newest_->next_field_id)
                      : MapFirstSchema(schema, kFirstValueField);
    if (!mapped.ok()) return mapped.error().message();
    newest_ = *mapped;
    return "";
  }
  void ExpectRefused(const std::string& fields, const std::string& path,
                     const std::string& reason) {
    EXPECT_THAT(Register(fields), AllOf(HasSubstr("field " + path), HasSubstr(reason))) << fields;
  }
  std::vector<std::string> Now() const { return AllColumns(newest_->schema); }

  std::optional<MappedSchema> newest_;
};

TEST_F(NestedMappingTest, EachLevelHasIdsOfItsOwn) {
  ASSERT_EQ(Register(FieldOf("o", RecordType("O", FieldOf("a", R"("int")") + "," +
                                                      FieldOf("n", R"("null")"))) +
                     "," + FieldOf("l", R"({"type":"array","items":["null","string"]})") + "," +
                     FieldOf("m", R"({"type":"map","values":)" +
                                      RecordType("V", FieldOf("y", R"("int")")) + "}")),
            "");
  EXPECT_THAT(Now(),
              ElementsAre("21 o struct", "22 o.a int", "23 l list", "24 l.element string",
                          "25 m map", "26 m.key string", "27 m.value struct", "28 m.value.y int"));
  EXPECT_EQ(newest_->next_field_id, FieldId(29));
  const auto& map = newest_->schema.fields[2].type;
  EXPECT_TRUE(map.fields[0].required);
  EXPECT_FALSE(map.fields[1].required);
  EXPECT_FALSE(newest_->schema.fields[1].type.fields[0].required);
}

// Field case B045.
TEST_F(NestedMappingTest, NewFieldsInsideGetNewIdsAndTheOthersKeepTheirs) {
  const auto version = [](const std::string& c, const std::string& l, const std::string& m) {
    const std::string text = R"(["null","string"])";
    const auto more = [&](const std::string& name) {
      return name.empty() ? "" : "," + FieldOf(name, text);
    };
    return FieldOf("o", RecordType("O", FieldOf("c", RecordType("C", FieldOf("id", R"("int")") +
                                                                         more(c))))) +
           "," +
           FieldOf("l", R"({"type":"array","items":)" +
                            RecordType("L", FieldOf("x", R"("int")") + more(l)) + "}") +
           "," +
           FieldOf("m", R"({"type":"map","values":)" +
                            RecordType("M", FieldOf("y", R"("int")") + more(m)) + "}");
  };
  ASSERT_EQ(Register(version("", "", "")), "");
  ASSERT_EQ(Register(version("email", "z", "w")), "");
  EXPECT_THAT(Now(),
              ElementsAre("21 o struct", "22 o.c struct", "23 o.c.id int", "31 o.c.email string",
                          "24 l list", "25 l.element struct", "26 l.element.x int",
                          "32 l.element.z string", "27 m map", "28 m.key string",
                          "29 m.value struct", "30 m.value.y int", "33 m.value.w string"));
  ASSERT_EQ(Register(version("", "", "")), "");
  EXPECT_EQ(newest_->schema.version, SchemaVersion(2));
  ASSERT_EQ(Register(version("email", "", "")), "");
  EXPECT_THAT(Now()[3], "34 o.c.email string");
}

TEST_F(NestedMappingTest, FieldsInsideAreReorderedAndWidened) {
  ASSERT_EQ(Register(FieldOf("l", R"({"type":"array","items":)" +
                                      RecordType("L", FieldOf("x", R"("int")") + "," +
                                                          FieldOf("y", R"("float")")) +
                                      "}") +
                     "," + FieldOf("m", R"({"type":"map","values":"int"})")),
            "");
  ASSERT_EQ(Register(FieldOf("m", R"(["null",{"type":"map","values":"long"}])") + "," +
                     FieldOf("l", R"({"type":"array","items":["null",)" +
                                      RecordType("Renamed", FieldOf("y", R"("double")") + "," +
                                                                FieldOf("x", R"("int")")) +
                                      "]}")),
            "");
  EXPECT_THAT(Now(),
              ElementsAre("25 m map", "26 m.key string", "27 m.value long", "21 l list",
                          "22 l.element struct", "24 l.element.y double", "23 l.element.x int"));
}

TEST_F(NestedMappingTest, AnAliasRenamesAtEveryLevel) {
  const auto list = [](const std::string& name, const std::string& field) {
    return R"({"type":"array","items":)" + RecordType(name, field) + "}";
  };
  ASSERT_EQ(
      Register(FieldOf("a", R"("int")") + "," + FieldOf("l", list("L", FieldOf("x", R"("int")")))),
      "");
  ASSERT_EQ(Register(AliasedField("b", R"("long")", "a") + "," +
                     AliasedField("items", list("L", AliasedField("y", R"("int")", "x")), "l")),
            "");
  EXPECT_THAT(Now(), ElementsAre("21 b long", "22 items list", "23 items.element struct",
                                 "24 items.element.y int"));
  // A name that is there needs no alias, and an alias of a name that is there renames nothing.
  ASSERT_EQ(
      Register(AliasedField("b", R"("long")", "gone") + "," + AliasedField("a", R"("int")", "b")),
      "");
  EXPECT_THAT(Now(), ElementsAre("21 b long", "25 a int"));
}

TEST_F(NestedMappingTest, AliasesThatAreNotClearAreRefused) {
  ASSERT_EQ(Register(FieldOf("a", R"("int")") + "," + FieldOf("b", R"("int")")), "");
  ExpectRefused(FieldOf("c", R"("int")", R"(,"aliases":["a","b"])"), "c", "two columns");
  ExpectRefused(AliasedField("c", R"("int")", "a") + "," + AliasedField("d", R"("int")", "a"), "d",
                "one column");
}

TEST_F(NestedMappingTest, OtherChangesOfTypeNameThePath) {
  ASSERT_EQ(
      Register(FieldOf("o", RecordType("O", FieldOf("l", R"({"type":"array","items":"int"})"))) +
               "," + FieldOf("m", R"({"type":"map","values":"int"})") + "," +
               FieldOf("s", R"("string")")),
      "");
  const std::string first =
      FieldOf("o", RecordType("O", FieldOf("l", R"({"type":"array","items":"string"})")));
  ExpectRefused(first, "o.l.element", "widened");
  ExpectRefused(FieldOf("o", R"("int")"), "o", "widened");
  ExpectRefused(FieldOf("m", R"({"type":"array","items":"int"})"), "m", "widened");
  ExpectRefused(FieldOf("s", RecordType("S", FieldOf("x", R"("int")"))), "s", "widened");
  ExpectRefused(FieldOf("s", R"(["string","int"])"), "s", "widened");
  ExpectRefused(FieldOf("o", R"(["int","string"])"), "o", "widened");
}

TEST_F(NestedMappingTest, R3_NamesInsideAreCheckedToo) {
  ExpectRefused(
      FieldOf("o", RecordType("O", FieldOf("x", R"("int")") + "," + FieldOf("X", R"("int")"))),
      "o.x", "case");
  ExpectRefused(FieldOf("o", RecordType("O", FieldOf("kafka_present", R"("int")"))),
                "o.kafka_present", "kafka_");
  EXPECT_EQ(Register(FieldOf("o", RecordType("O", FieldOf("kafka_offset", R"("int")")))), "");
}

TEST_F(NestedMappingTest, ATypeThatContainsItselfIsRefusedByItsPath) {
  ExpectRefused(FieldOf("tree", RecordType("T", FieldOf("left", R"(["null","T"])"))), "tree.left",
                "contains itself");
  ExpectRefused(
      FieldOf("l", R"({"type":"array","items":)" +
                       RecordType("N", FieldOf("next", R"({"type":"map","values":"N"})")) + "}"),
      "l.element.next.value", "contains itself");
}

TEST_F(NestedMappingTest, ARecordWithoutColumnsSaysWhetherItIsThere) {
  ASSERT_EQ(Register(FieldOf("e", RecordType("E", "")) + "," +
                     FieldOf("f", RecordType("F", FieldOf("n", R"("null")")))),
            "");
  EXPECT_THAT(Now(), ElementsAre("21 e struct", "22 e.kafka_present boolean", "23 f struct",
                                 "24 f.kafka_present boolean"));
  ASSERT_EQ(Register(FieldOf("e", RecordType("E", FieldOf("x", R"("int")")))), "");
  EXPECT_THAT(Now(), ElementsAre("21 e struct", "25 e.x int"));
}

TEST_F(NestedMappingTest, AUnionOfSeveralTypesHasAColumnForEachBranch) {
  ASSERT_EQ(Register(FieldOf("u", R"(["int","null",{"type":"array","items":"int"},)" +
                                      RecordType("a.Created", FieldOf("x", R"("int")")) + "," +
                                      RecordType("b.Created", FieldOf("y", R"("int")")) +
                                      R"(,{"type":"enum","name":"E","symbols":["A"]}])")),
            "");
  EXPECT_THAT(
      Now(), ElementsAre("21 u struct", "22 u.int int", "23 u.array list", "24 u.array.element int",
                         "25 u.Created struct", "26 u.Created.x int", "27 u.b_Created struct",
                         "28 u.b_Created.y int", "29 u.E string"));
}

TEST_F(NestedMappingTest, BranchesKeepTheirColumnsWhateverTheirOrder) {
  const std::string created_a = RecordType("a.Created", FieldOf("x", R"("int")"));
  const std::string created_b = RecordType("b.Created", FieldOf("x", R"("int")"));
  ASSERT_EQ(Register(FieldOf("u", R"(["string",)" + created_a + "]")), "");
  ASSERT_EQ(Register(FieldOf("u", "[" + created_b + "," + created_a + R"(,"null","long"])")), "");
  EXPECT_THAT(Now(), ElementsAre("21 u struct", "25 u.b_Created struct", "26 u.b_Created.x int",
                                 "23 u.Created struct", "24 u.Created.x int", "27 u.long long"));
}

TEST_F(NestedMappingTest, ABranchOfARenamedTypeKeepsItsColumn) {
  const auto created = [](const std::string& name, const std::string& more = "") {
    return R"({"type":"record","name":")" + name + R"(",)" + more + R"("fields":[]})";
  };
  ASSERT_EQ(Register(FieldOf("u", R"(["string",)" + created("a.Created") + "]")), "");
  ASSERT_EQ(Register(FieldOf("u", R"(["string",)" + created("moved.Created") + "]")), "");
  EXPECT_THAT(Now()[2], "23 u.Created struct");
  ASSERT_EQ(Register(FieldOf(
                "u", R"(["string",)" + created("moved.Made", R"("aliases":["Created"],)") + "]")),
            "");
  EXPECT_THAT(Now()[2], "23 u.Created struct");
}

}  // namespace
}  // namespace frazil::decode
