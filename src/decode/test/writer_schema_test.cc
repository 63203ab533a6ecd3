// SPDX-License-Identifier: Apache-2.0
#include "decode/writer_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "avro/schema.h"

namespace frazil::decode {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WriterSchema, ReferencesAreUsedAndFieldsNamed) {
  const auto schema = WriterSchema::Parse(
      "AVRO",
      R"({"type":"record","name":"R","fields":[{"name":"a","type":"s.E"},{"name":"b","type":"int"}]})",
      {R"({"type":"enum","name":"s.E","symbols":["X"]})"});
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  EXPECT_THAT(schema->FieldNames(), ElementsAre("a", "b"));
  EXPECT_EQ(schema->avro().fields.front().schema.type, avro::Type::kEnum);
}

TEST(WriterSchema, OtherFormatsAndBrokenTextsAreToldApart) {
  EXPECT_EQ(WriterSchema::Parse("PROTOBUF", "", {}).error().code(), ErrorCode::kSchemaIncompatible);
  EXPECT_EQ(WriterSchema::Parse("AVRO", "{", {}).error().code(), ErrorCode::kCorruptData);
}

// The record at the bottom stands inside `records` others.
std::string RecordsInside(int records) {
  std::string type = "\"int\"";
  for (int i = 0; i <= records; ++i) {
    const std::string number = std::to_string(i);
    std::string outer = R"({"type":"record","name":"R)";
    outer += number;
    outer += R"(","fields":[{"name":"f","type":)";
    outer += type;
    outer += "}]}";
    type = std::move(outer);
  }
  return type;
}

TEST(WriterSchema, OneThatIsNestedTooDeeplyIsRefusedAsOneThatCannotBeShown) {
  EXPECT_TRUE(WriterSchema::Parse("AVRO", RecordsInside(60), {}).ok());
  for (const int records : {65, 100, 1000}) {
    const auto refused = WriterSchema::Parse("AVRO", RecordsInside(records), {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), ErrorCode::kSchemaIncompatible);
    EXPECT_THAT(refused.error().message(), HasSubstr("deeper than the limit"));
  }
}

}  // namespace
}  // namespace frazil::decode
