// SPDX-License-Identifier: Apache-2.0
#include "table/topic_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frazil::table {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TopicSelection Select(const std::vector<std::string>& patterns,
                      const std::vector<std::string>& aliases = {}) {
  auto selection = TopicSelection::Parse(patterns, aliases);
  EXPECT_TRUE(selection.ok());
  return selection.ok() ? *selection : TopicSelection();
}

TEST(TopicSelectionTest, WithoutPatternsAllButInternalTopicsAreShown) {
  const TopicSelection all = Select({});
  EXPECT_TRUE(all.Shows("orders", false));
  EXPECT_TRUE(all.Shows("pg.public.orders", false));
  EXPECT_FALSE(all.Shows("__consumer_offsets", false));
  EXPECT_FALSE(all.Shows("_schemas", false));
  EXPECT_FALSE(all.Shows("state", true));
  EXPECT_FALSE(all.Names("orders"));
}

TEST(TopicSelectionTest, StarsStandForAnyCharacters) {
  const struct {
    const char* pattern;
    const char* topic;
    bool shown;
  } cases[] = {
      {"*", "orders", true},          {"*", "_schemas", false},
      {"_*", "_schemas", true},       {"pg.*", "pg.public.orders", true},
      {"pg.*", "pg", false},          {"*.orders", "pg.public.orders", true},
      {"*.orders", "orders", false},  {"a*b*c", "abc", true},
      {"a*b*c", "a-b-b-c", true},     {"a*b*c", "a-b-b", false},
      {"a**c", "ac", true},           {"orders", "orders", true},
      {"orders", "orders2", false},   {"Orders", "orders", false},
      {"a*aab", "aaaaaaaaab", true},  {"*a", "ab", false},
      {"_schemas", "_schemas", true},
  };
  for (const auto& item : cases) {
    EXPECT_EQ(Select({item.pattern}).Shows(item.topic, false), item.shown)
        << item.pattern << " " << item.topic;
  }
  EXPECT_TRUE(Select({"state"}).Shows("state", true)) << "named as a whole";
}

TEST(TopicSelectionTest, ExclusionsWin) {
  for (const char* exclusion : {"-shop.debug*", "!shop.debug*"}) {
    const TopicSelection selection = Select({"shop.*", exclusion, "shop.debug1"});
    EXPECT_TRUE(selection.Shows("shop.orders", false));
    EXPECT_FALSE(selection.Shows("shop.debug1", false));
    EXPECT_FALSE(selection.Names("shop.debug1"));
    EXPECT_FALSE(selection.Shows("orders", false));
  }
  EXPECT_TRUE(Select({"-debug"}).Shows("orders", false)) << "only exclusions: all others";
  EXPECT_FALSE(Select({"-debug"}).Shows("debug", false));
}

TEST(TopicSelectionTest, NamedOnlyTellsWhatNeedsNoLook) {
  EXPECT_THAT(Select({"b", "a", "-b"}).NamedOnly(), ElementsAre("a"));
  EXPECT_THAT(Select({"b", "a*"}).NamedOnly(), IsEmpty());
  EXPECT_THAT(Select({}).NamedOnly(), IsEmpty());
}

TEST(TopicSelectionTest, AliasesNameTables) {
  const TopicSelection selection = Select({}, {"pg.public.orders=pg_orders", "a=b", "b=a"});
  EXPECT_EQ(selection.TableOf("pg.public.orders"), "pg_orders");
  EXPECT_EQ(selection.TopicOf("pg_orders"), "pg.public.orders");
  EXPECT_EQ(selection.TopicOf("a"), "b");
  EXPECT_EQ(selection.TableOf("clicks"), "clicks");
}

TEST(TopicSelectionTest, ContradictionsAreRefused) {
  const struct {
    std::vector<std::string> patterns;
    std::vector<std::string> aliases;
    const char* said;
  } cases[] = {
      {{"a b"}, {}, "as a topic's name"},
      {{"-"}, {}, "as a topic's name"},
      {{""}, {}, "as a topic's name"},
      {{"."}, {}, "as a topic's name"},
      {{"orders", "orders"}, {}, "twice"},
      {{"orders", "Orders"}, {}, "upper from lower case"},
      {{"orders"}, {"other=ORDERS"}, "topics orders and other"},
      {{}, {"a=x", "b=X"}, "one name"},
      {{}, {"a=x", "b=x"}, "the same name"},
      {{}, {"a=x", "a=y"}, "names a topic twice"},
      {{}, {"a"}, "TOPIC=NAME"},
      {{}, {"a="}, "TOPIC=NAME"},
      {{}, {"a=b c"}, "TOPIC=NAME"},
      {{}, {"a=\x01"}, "a=?"},
      {{}, {"a=b=c"}, "TOPIC=NAME"},
  };
  for (const auto& item : cases) {
    const auto selection = TopicSelection::Parse(item.patterns, item.aliases);
    ASSERT_FALSE(selection.ok()) << item.said;
    EXPECT_EQ(selection.error().code(), ErrorCode::kConfigInvalid);
    EXPECT_THAT(selection.error().message(), HasSubstr(item.said));
  }
}

}  // namespace
}  // namespace frazil::table
