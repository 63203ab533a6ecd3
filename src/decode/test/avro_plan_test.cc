// SPDX-License-Identifier: Apache-2.0
#include "decode/avro_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/test/topic_fixture.h"

namespace frazil::decode {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AvroPlanTest : public ::testing::Test {
 protected:
  void Register(int id, const std::string& fields) {
    const auto status = topic_.Register(id, RecordJson(fields));
    ASSERT_TRUE(status.ok()) << status.error().ToString();
  }
  Result<AvroPlan> Compile(int writer, std::size_t target) {
    return AvroPlan::Compile(topic_.writer(writer), topic_.columns_of(writer),
                             topic_.version(target));
  }
  std::vector<FieldId> NotHeld(int writer, std::size_t target) {
    return FieldsNotHeld(topic_.writer(writer), topic_.columns_of(writer), topic_.version(target));
  }

  TopicFixture topic_;
};

TEST_F(AvroPlanTest, AWiderColumnIsFineAndANarrowerOneIsNot) {
  Register(1, R"({"name":"x","type":"int"})");
  Register(2, R"({"name":"x","type":"long"})");
  EXPECT_TRUE(Compile(1, 1).ok());
  const auto narrow = Compile(2, 0);
  ASSERT_FALSE(narrow.ok());
  EXPECT_EQ(narrow.error().code(), ErrorCode::kSchemaIncompatible);
  EXPECT_THAT(narrow.error().message(), HasSubstr("field x"));
}

TEST_F(AvroPlanTest, AWriterThatWentBackToIntFitsTheOldIntColumn) {
  Register(1, R"({"name":"x","type":"int"})");
  Register(2, R"({"name":"x","type":"long"})");
  Register(3, R"({"name":"x","type":["null","int"]})");
  EXPECT_TRUE(Compile(3, 0).ok());
  EXPECT_THAT(NotHeld(3, 0), IsEmpty());
}

TEST_F(AvroPlanTest, FieldsWithoutARoomyEnoughColumnAreNotHeld) {
  Register(1, R"({"name":"x","type":"int"},{"name":"n","type":"null"})");
  Register(2, R"({"name":"x","type":"long"},{"name":"y","type":"int"})");
  EXPECT_THAT(NotHeld(1, 0), IsEmpty());
  EXPECT_THAT(NotHeld(1, 1), IsEmpty());
  EXPECT_THAT(NotHeld(2, 1), IsEmpty());
  EXPECT_THAT(NotHeld(2, 0), ElementsAre(FieldId(21), FieldId(22)));
}

TEST_F(AvroPlanTest, ANameThatCameBackIsNotTheOldColumn) {
  Register(1, R"({"name":"id","type":"int"},{"name":"x","type":"int"})");
  Register(2, R"({"name":"id","type":"int"})");
  Register(3, R"({"name":"id","type":"int"},{"name":"x","type":"int"})");
  EXPECT_THAT(NotHeld(1, 2), ElementsAre(FieldId(22)));
  EXPECT_THAT(NotHeld(3, 0), ElementsAre(FieldId(23)));
}

TEST_F(AvroPlanTest, AFieldThatTheMappingDoesNotKnowIsNeverDropped) {
  Register(1, R"({"name":"x","type":"int"})");
  const auto plan = AvroPlan::Compile(
      ParsedSchema(RecordJson(R"({"name":"x","type":"int"},{"name":"y","type":"int"})")),
      topic_.newest(), topic_.newest());
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().message(), HasSubstr("field y"));
}

TEST_F(AvroPlanTest, AFieldNamedLikeOneOfKafkasColumnsIsRefused) {
  Register(1, R"({"name":"x","type":"int"})");
  const auto plan =
      AvroPlan::Compile(ParsedSchema(RecordJson(R"({"name":"kafka_offset","type":"long"})")),
                        topic_.newest(), topic_.newest());
  EXPECT_FALSE(plan.ok());
}

TEST_F(AvroPlanTest, FieldsInsideAreHeldOrNotByTheirOwnIds) {
  const std::string before = R"({"name":"l","type":{"type":"array","items":{"type":"record",)"
                             R"("name":"I","fields":[{"name":"a","type":"int"})";
  Register(1, before + "]}}}");
  Register(2, before + R"(,{"name":"b","type":"int"}]}}})");
  EXPECT_THAT(NotHeld(1, 1), IsEmpty());
  EXPECT_THAT(NotHeld(2, 0), ElementsAre(FieldId(24)));
  EXPECT_TRUE(Compile(2, 0).ok());
}

}  // namespace
}  // namespace frazil::decode
