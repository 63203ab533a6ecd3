// SPDX-License-Identifier: Apache-2.0
#include "decode/writer_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "avro/schema.h"

namespace frazil::decode {
namespace {

using ::testing::ElementsAre;

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

}  // namespace
}  // namespace frazil::decode
