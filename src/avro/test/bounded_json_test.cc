// SPDX-License-Identifier: Apache-2.0
#include "avro/bounded_json.h"

#include <gtest/gtest.h>

namespace frazil::avro {
namespace {

TEST(BoundedJson, ParsesWithinItsLimits) {
  const auto parsed = ParseBoundedJson(R"({"a":[9223372036854775807,{"b":"[[[\"[[["}]})",
                                       {.text_bytes = 100, .nesting = 3});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  EXPECT_EQ((*parsed)["a"][0].get<std::int64_t>(), 9223372036854775807);
}

TEST(BoundedJson, RefusesTextPastALimit) {
  EXPECT_FALSE(ParseBoundedJson("[[[[]]]]", {.text_bytes = 100, .nesting = 3}).ok());
  EXPECT_TRUE(ParseBoundedJson("[[[],[]]]", {.text_bytes = 100, .nesting = 3}).ok());
  EXPECT_FALSE(ParseBoundedJson("[1,2,3]", {.text_bytes = 6, .nesting = 3}).ok());
}

TEST(BoundedJson, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "{'a':1}", "[1,]", "nul", "1 2", "\"\xff\"", "1e999",
                           "\"\\ud800\"", "// note\n1"}) {
    const auto parsed = ParseBoundedJson(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kCorruptData);
  }
}

TEST(BoundedJson, SurvivesDeepNestingOfAnyKind) {
  for (const char* unit : {"[", "{\"a\":", "[[],"}) {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += unit;
    EXPECT_FALSE(ParseBoundedJson(text).ok());
  }
}

}  // namespace
}  // namespace frazil::avro
