// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frazil::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(AnswerTextTest, TopicsShowTheirTables) {
  const auto text = TopicsText(
      R"({"topics":[{"name":"pg.x","partitions":3,"internal":false,"table":"pg_x","clashes-with":null},
          {"name":"_s","partitions":1,"internal":true,"table":null,"clashes-with":null},
          {"name":"A","partitions":1,"internal":false,"table":"A","clashes-with":"a"}]})");
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("pg.x   3           no        speed.pg_x"));
  EXPECT_THAT(*text, HasSubstr("_s     1           yes       -"));
  EXPECT_THAT(*text, HasSubstr("clashes with topic a"));
}

TEST(AnswerTextTest, ATableShowsWhereItsColumnsCameFrom) {
  const auto text = TableText(
      R"({"namespace":"speed","name":"orders","topic":"orders","table-uuid":"u","columns":[
          {"id":21,"name":"id","type":"long","required":false,"origin":{"subject":"orders-value",
           "subject-version":2,"schema-id":5,"format":"AVRO","type":"null | long"}},
          {"id":1,"name":"kafka_partition","type":"int","required":true,"origin":null}],
          "partitions":[{"generation":0,"partition":1,"start":4,"end":9,"log-start":4,
           "last-stable":9,"high-watermark":12,"open-transaction-records":3,"producer-id":7}],
          "snapshots":[{"snapshot-id":9223372036854775807,"timestamp-ms":0,"operation":"append",
           "added-records":1,"total-records":5,"total-data-files":2}]})");
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("orders-value v2 (schema 5, AVRO): null | long"));
  EXPECT_THAT(*text, HasSubstr("[4, 9)"));
  EXPECT_THAT(*text, HasSubstr("9223372036854775807"));
  EXPECT_THAT(*text, HasSubstr("1970-01-01 00:00:00.000Z"));
}

TEST(AnswerTextTest, StatusNamesWhatIsWrong) {
  const auto text = StatusText(
      R"({"version":"1","started-ms":1000,"now-ms":66000,"kafka":{"address":"k:1","reachable":true},
          "registry":null,"tables":[{"namespace":"speed","name":"o","partitions":[
           {"open-transaction-records":1,"producer-id":3},
           {"open-transaction-records":5,"producer-id":44}],
           "loads":{"last-shown-ms":null,"last-refusal":{"code":"undecodable_record",
           "message":"what was wrong","partition":1,"offset":77,"schema-id":12,"time-ms":0}},
           "last-known-schema-since-ms":1000,"schema-notice":"version 3 was passed over",
           "lost":[{"generation":0,"partition":2,"start":0,"end":4,"reason":"expired"}]}]})");
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("1m 5s"));
  EXPECT_THAT(*text, HasSubstr("k:1  reachable"));
  EXPECT_THAT(*text, HasSubstr("5 behind producer 44"));
  EXPECT_THAT(*text, ContainsRegex("speed.o +undecodable_record +1 +77 +12 +1970-01-01"));
  EXPECT_THAT(*text, HasSubstr("speed.o: what was wrong"));
  EXPECT_THAT(*text, HasSubstr("speed.o: the last known schemas serve since 1970-01-01 00:00:01"));
  EXPECT_THAT(*text, HasSubstr("cannot be reached; version 3 was passed over"));
  EXPECT_THAT(*text, HasSubstr("[0, 4)"));
}

TEST(AnswerTextTest, WhatIsMissingOrStrangeIsShownAsAbsent) {
  for (const char* body :
       {"{}", R"({"topics":3,"tables":"x"})", R"({"tables":[1,null,{"loads":4}]})",
        R"({"columns":[{}],"partitions":[[]],"snapshots":[{"timestamp-ms":"x"}]})"}) {
    for (const auto& text :
         {TopicsText(body), TablesText(body), TableText(body), StatusText(body)}) {
      EXPECT_TRUE(text.ok()) << body;
    }
  }
}

TEST(AnswerTextTest, NamesCannotMoveTheCursor) {
  const auto text = TopicsText("{\"topics\":[{\"name\":\"a\\u001b[2J\"}]}");
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("a\\x1b[2J"));
  EXPECT_THAT(*text, Not(HasSubstr("\x1b")));
}

TEST(AnswerTextTest, OtherServersAreNotTakenForFrazil) {
  for (const char* body : {"", "<html>", "[]", "7", "{\"a\":"}) {
    const auto text = StatusText(body);
    ASSERT_FALSE(text.ok()) << body;
    EXPECT_EQ(text.error().code(), ErrorCode::kNetwork);
  }
  EXPECT_FALSE(StatusText("{\"a\":" + std::string(100'000, '[')).ok());
}

TEST(AnswerTextTest, ErrorsKeepTheirCode) {
  const Error told =
      ErrorOf(R"({"error":{"code":"table_not_found","message":"no such table: a\u001b"}})", 404);
  EXPECT_EQ(told.code(), ErrorCode::kTableNotFound);
  EXPECT_EQ(told.message(), "no such table: a\\x1b");
  EXPECT_EQ(ErrorOf("<html>", 404).code(), ErrorCode::kNetwork);
  EXPECT_THAT(ErrorOf("{}", 404).message(), HasSubstr("404"));
}

}  // namespace
}  // namespace frazil::cli
