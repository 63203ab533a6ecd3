// SPDX-License-Identifier: Apache-2.0
// Records that another Avro implementation wrote, and the columns that its values must become.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "decode/test/topic_fixture.h"

namespace frazil::decode {
namespace {

using Json = nlohmann::json;

Json Vectors() {
  std::ifstream file(FRAZIL_TESTDATA "/decode_vectors.json");
  return Json::parse(file);
}

bool IsNested(const avro::Schema& schema) {
  switch (schema.type) {
    case avro::Type::kRecord:
    case avro::Type::kArray:
    case avro::Type::kMap:
      return true;
    case avro::Type::kUnion:
      if (schema.children.size() > 2) return true;
      for (const auto& child : schema.children) {
        if (IsNested(child)) return true;
      }
      return false;
    default:
      return false;
  }
}

// Registers a schema as if its nested fields had been mapped once, and their columns were gone.
void RegisterWithoutNested(TopicFixture& topic, int id, const std::string& text) {
  Json flat = Json::parse(text);
  const avro::Schema whole = ParsedSchema(text);
  Json fields = Json::array();
  for (std::size_t i = 0; i < whole.fields.size(); ++i) {
    if (!IsNested(whole.fields[i].schema)) fields.push_back(flat["fields"][i]);
  }
  flat["fields"] = fields;
  const auto status = topic.Register(id, flat.dump());
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  iceberg::Schema columns = topic.columns_of(id);
  int next = 100000;
  for (const auto& field : whole.fields) {
    if (!IsNested(field.schema)) continue;
    columns.fields.push_back({.id = FieldId(next++), .name = field.name, .type = {}, .doc = ""});
  }
  topic.RegisterMapped(id, whole, columns);
}

void CheckCase(const Json& vector) {
  SCOPED_TRACE("case " + vector["name"].get<std::string>());
  TopicFixture topic;
  int id = 1;
  for (const Json& schema : vector["schemas"]) {
    RegisterWithoutNested(topic, id++, schema.get<std::string>());
  }
  for (const Json& record : vector["records"]) {
    topic.Add(record["writer"].get<int>() + 1, *HexDecode(record["body"].get<std::string>()));
  }
  const auto batch = topic.Decode();
  ASSERT_TRUE(batch.ok()) << batch.error().ToString();
  for (const auto& [name, expected] : vector["columns"].items()) {
    std::vector<std::string> cells;
    for (const Json& cell : expected) {
      cells.push_back(cell.is_null() ? "NULL" : cell.get<std::string>());
    }
    EXPECT_EQ(Column(**batch, name), cells) << name;
  }
  std::size_t value_columns = 0;
  for (const auto& field : topic.newest().fields) value_columns += field.id.value() >= 21 ? 1 : 0;
  EXPECT_EQ(value_columns, vector["columns"].size());
}

TEST(Vectors, RecordsOfAnotherImplementationAreReadAlike) {
  const Json vectors = Vectors();
  ASSERT_GE(vectors.size(), 50U);
  for (const Json& vector : vectors) CheckCase(vector);
}

}  // namespace
}  // namespace frazil::decode
