// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "registry/registry_answers_internal.h"

namespace frazil::registry {
namespace {

constexpr const char* kAnswer =
    R"({"subject":"o","version":1,"id":2,"schema":"{\"type\":\"int\"}","references":[)"
    R"({"name":"a.Addr","subject":"addr-value","version":1}]})";

TEST(RegistryAnswers, ASubjectsVersionIsReadWhole) {
  const auto answer = ParseSchemaAnswer(kAnswer, {});
  ASSERT_TRUE(answer.ok()) << answer.error().ToString();
  EXPECT_EQ(answer->id, 2);
  EXPECT_EQ(answer->format, "AVRO");
  EXPECT_EQ(answer->text, R"({"type":"int"})");
  EXPECT_THAT(answer->references, ::testing::ElementsAre(SchemaReference{"addr-value", 1}));
}

TEST(RegistryAnswers, DamagedAnswersGiveAValueOrAnError) {
  const std::string whole = kAnswer;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_FALSE(ParseSchemaAnswer(whole.substr(0, i), {}).ok());
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const auto answer = ParseSchemaAnswer(damaged, {});
      EXPECT_TRUE(answer.ok() || answer.error().code() == ErrorCode::kRegistryProtocol);
    }
  }
}

TEST(RegistryAnswers, AnErrorCodeIsFoundOnlyWhereThereIsOne) {
  EXPECT_EQ(ParseErrorCode(R"({"error_code":40401,"message":"x"})"), 40401);
  for (const char* body : {"", "404 page not found", "[]", "{}", R"({"error_code":"40401"})",
                           R"({"error_code":null})", R"({"error_code":1e400})"}) {
    EXPECT_EQ(ParseErrorCode(body), std::nullopt) << body;
  }
}

TEST(RegistryAnswers, TooManyVersionsAreRefused) {
  EXPECT_TRUE(ParseVersionList("[1,2]", {.versions = 2}).ok());
  EXPECT_FALSE(ParseVersionList("[1,2,3]", {.versions = 2}).ok());
}

}  // namespace
}  // namespace frazil::registry
