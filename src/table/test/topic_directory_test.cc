// SPDX-License-Identifier: Apache-2.0
#include "table/topic_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "table/test/fake_topics.h"

namespace frazil::table {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

Deadline Soon() { return Deadline::After(milliseconds(5000)); }

TopicSelection Select(const std::vector<std::string>& patterns,
                      const std::vector<std::string>& aliases) {
  return TopicSelection::Parse(patterns, aliases).value();
}

TEST(TopicDirectoryTest, ListsShownTopicsByTableName) {
  FakeTopics kafka;
  for (const char* name : {"b", "a", "pg.x", "_hidden"}) kafka.Add(name);
  kafka.Add("own", true);
  TopicDirectory directory(Select({}, {"pg.x=0x"}), kafka, {});
  EXPECT_EQ(directory.Known(), nullptr);
  const auto listing = directory.Recent(Soon(), {});
  ASSERT_TRUE(listing.ok());
  EXPECT_THAT((*listing)->tables, ElementsAre("0x", "a", "b"));
  EXPECT_EQ((*listing)->topics.size(), 5U) << "hidden ones too, for whoever asks what there is";
  ASSERT_NE((*listing)->FindTable("0x"), nullptr);
  EXPECT_EQ((*listing)->FindTable("0x")->topic.name, "pg.x");
  EXPECT_EQ((*listing)->FindTable("pg.x"), nullptr);
  EXPECT_EQ((*listing)->FindTable("_hidden"), nullptr);
}

TEST(TopicDirectoryTest, AListingIsBelievedForAWhileAndFreshOnesAreNot) {
  FakeTopics kafka;
  TopicDirectory directory({}, kafka,
                           {.cache = milliseconds(600'000), .timeout = milliseconds(1000)});
  EXPECT_THAT((*directory.Recent(Soon(), {}))->tables, IsEmpty());
  kafka.Add("late");
  EXPECT_THAT((*directory.Recent(Soon(), {}))->tables, IsEmpty());
  EXPECT_THAT((*directory.Fresh(Soon(), {}))->tables, ElementsAre("late"));
  EXPECT_THAT((*directory.Recent(Soon(), {}))->tables, ElementsAre("late"));
  EXPECT_EQ(kafka.listed(), 2);
}

TEST(TopicDirectoryTest, AFailureLeavesWhatWasKnown) {
  FakeTopics kafka;
  kafka.Add("a");
  TopicDirectory directory({}, kafka, {.cache = milliseconds(0), .timeout = milliseconds(1000)});
  ASSERT_TRUE(directory.Recent(Soon(), {}).ok());
  kafka.FailWith(Error(ErrorCode::kKafkaUnavailable, "away"));
  EXPECT_EQ(directory.Recent(Soon(), {}).error().code(), ErrorCode::kKafkaUnavailable);
  ASSERT_NE(directory.Known(), nullptr);
  EXPECT_THAT(directory.Known()->tables, ElementsAre("a"));
}

TEST(TopicDirectoryTest, NamesThatAreEqualOrDifferByCaseClash) {
  FakeTopics kafka;
  for (const char* name : {"Orders", "orders", "x", "y", "fine"}) kafka.Add(name);
  TopicDirectory directory(Select({}, {"x=y"}), kafka, {});
  const auto listing = *directory.Recent(Soon(), {});
  EXPECT_THAT(listing->tables, ElementsAre("Orders", "fine", "orders", "y"));
  EXPECT_EQ(listing->FindTable("Orders")->clashes_with, "orders");
  EXPECT_EQ(listing->FindTable("orders")->clashes_with, "Orders");
  EXPECT_FALSE(listing->FindTable("y")->clashes_with.empty());
  EXPECT_TRUE(listing->FindTable("fine")->clashes_with.empty());
}

}  // namespace
}  // namespace frazil::table
