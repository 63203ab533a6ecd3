// SPDX-License-Identifier: Apache-2.0
// One topic's schemas over a registry in memory and a real ledger.
#include "table/topic_schemas.h"

#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/kafka_columns.h"
#include "table/test/fakes.h"

namespace frazil::table {
namespace {

using decode::ValueFormat;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

class FixedClock final : public Clock {
 public:
  UnixMillis Now() const override { return UnixMillis(1'700'000'000'000); }
};

class TopicSchemasTest : public testing::Test {
 protected:
  TopicSchemasTest() {
    Open();
    EXPECT_TRUE(ledger_->CreateTopic("orders", Uuid{}, decode::kFirstValueField).ok());
    Reopen();
  }
  ~TopicSchemasTest() override {
    schemas_.reset();
    ledger_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Open() { ledger_ = std::move(ledger::OpenSqliteLedger(folder_, clock_)).value(); }
  // As after a restart.
  void Restart() {
    schemas_.reset();
    ledger_.reset();
    Open();
    Reopen();
  }
  void Reopen() {
    const auto topic = ledger_->FindTopic("orders");
    ASSERT_TRUE(topic.ok() && topic->has_value());
    auto opened = TopicSchemas::Open(**topic, MakeContext());
    ASSERT_TRUE(opened.ok()) << opened.error().ToString();
    schemas_ = std::move(opened).value();
  }
  TopicSchemas::Context MakeContext() {
    return {.source = registry_,
            .ledger = *ledger_,
            .logger = *logger_,
            .metrics = metrics_,
            .clock = clock_,
            .cache = cache_,
            .timeout = milliseconds(200)};
  }

  static Deadline Soon() { return Deadline::After(milliseconds(10000)); }

  // The names of the newest version's value columns, or the error.
  std::vector<std::string> Refresh() {
    const auto versions = schemas_->Refresh(Soon(), {});
    if (!versions.ok()) return {versions.error().ToString()};
    std::vector<std::string> names;
    for (const auto& field : versions->back().fields) {
      if (field.id >= decode::kValueField) names.push_back(field.name);
    }
    return names;
  }
  WriterSchemaId Register(const std::vector<std::pair<std::string, std::string>>& fields) {
    return registry_.Register(RecordSchema(fields));
  }
  Result<ChunkSchema> For(std::set<WriterSchemaId> writers) {
    return schemas_->ForWriters(writers, Soon(), {});
  }

  const std::string folder_ = std::filesystem::temp_directory_path() / Uuid::Random().ToString();
  FixedClock clock_;
  milliseconds cache_{0};
  FakeRegistry registry_;
  telemetry::Metrics metrics_;
  std::string log_;
  std::unique_ptr<telemetry::Logger> logger_ =
      telemetry::MakeLogger(telemetry::LogLevel::kDebug, telemetry::LogFormat::kText,
                            [this](std::string_view line) { log_ += line; });
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<TopicSchemas> schemas_;
};

// Waits with a cache that is long enough for a slow machine.
class AskedAheadTest : public TopicSchemasTest {
 protected:
  AskedAheadTest() {
    cache_ = milliseconds(2000);
    Reopen();
    Register({{"a", "\"long\""}});
    Refresh();
  }
  static void Sleep(int millis) { std::this_thread::sleep_for(milliseconds(millis)); }
};

TEST_F(AskedAheadTest, R5_TheNextRefreshTakesWhatTheRegistrySaidAhead) {
  EXPECT_FALSE(schemas_->ShouldAskAhead());
  Sleep(1050);
  EXPECT_TRUE(schemas_->ShouldAskAhead());
  Register({{"a", "\"long\""}, {"b", "\"long\""}});
  schemas_->AskAhead({});
  EXPECT_FALSE(schemas_->ShouldAskAhead());
  // Within the time for which the earlier answer is believed nothing changes.
  EXPECT_THAT(Refresh(), ElementsAre("a"));
  Sleep(1000);
  const int asked = registry_.asked();
  EXPECT_THAT(Refresh(), ElementsAre("a", "b"));
  EXPECT_EQ(registry_.asked(), asked);
}

TEST_F(AskedAheadTest, WhatWasAskedBeforeALaterAnswerIsDropped) {
  Sleep(1050);
  schemas_->AskAhead({});
  // A record makes its load ask.
  const WriterSchemaId newer = Register({{"a", "\"long\""}, {"b", "\"long\""}});
  ASSERT_TRUE(For({newer}).ok());
  EXPECT_TRUE(schemas_->ShouldAskAhead());
  Sleep(1000);
  EXPECT_THAT(Refresh(), ElementsAre("a", "b"));
  EXPECT_EQ(schemas_->Versions().size(), 2U);
}

TEST_F(AskedAheadTest, ARegistryThatIsAwayWasNotAsked) {
  Sleep(1050);
  registry_.FailWith(Error(ErrorCode::kRegistryUnavailable, "connection refused"));
  schemas_->AskAhead({});
  EXPECT_TRUE(schemas_->ShouldAskAhead());
  EXPECT_EQ(schemas_->StaleSince(), std::nullopt);
  registry_.FailWith(std::nullopt);
  Register({{"a", "\"long\""}, {"b", "\"long\""}});
  Sleep(1000);
  EXPECT_THAT(Refresh(), ElementsAre("a", "b"));
}

TEST_F(TopicSchemasTest, ATopicWhoseSubjectIsNotThereIsShownAsBytes) {
  EXPECT_TRUE(TopicSchemas::CheckShowable("orders", MakeContext(), Soon(), {}).ok());
  EXPECT_THAT(Refresh(), ElementsAre("kafka_value"));
  EXPECT_EQ(schemas_->format(), ValueFormat::kRaw);
  const auto chunk = For({});
  ASSERT_TRUE(chunk.ok()) << chunk.error().ToString();
  EXPECT_EQ(chunk->schema, decode::RawSchema());
  EXPECT_TRUE(chunk->plans.empty());
  Restart();
  EXPECT_EQ(schemas_->format(), ValueFormat::kRaw);
  EXPECT_THAT(Refresh(), ElementsAre("kafka_value"));
  EXPECT_EQ(schemas_->Notice(), std::nullopt);
}

TEST_F(TopicSchemasTest, ARegistryThatIsAwayIsNeverAReasonToShowBytes) {
  for (const ErrorCode code : {ErrorCode::kRegistryUnavailable, ErrorCode::kRegistryProtocol,
                               ErrorCode::kDeadlineExceeded}) {
    registry_.FailWith(Error(code, "away"));
    EXPECT_EQ(schemas_->Refresh(Soon(), {}).error().code(), code);
    EXPECT_EQ(TopicSchemas::CheckShowable("orders", MakeContext(), Soon(), {}).error().code(),
              code);
    EXPECT_TRUE(schemas_->Versions().empty());
  }
}

TEST_F(TopicSchemasTest, ASubjectThatComesBeforeAnyRecordWasShownIsFollowed) {
  EXPECT_THAT(Refresh(), ElementsAre("kafka_value"));
  const auto id = Register({{"id", "\"long\""}});
  EXPECT_THAT(Refresh(), ElementsAre("id"));
  EXPECT_EQ(schemas_->format(), ValueFormat::kAvro);
  EXPECT_EQ(schemas_->Notice(), std::nullopt);
  // Tombstones hold in every version, but not in the one of bytes.
  for (const std::set<WriterSchemaId>& writers : {std::set<WriterSchemaId>{}, {id}}) {
    const auto chunk = For(writers);
    ASSERT_TRUE(chunk.ok()) << chunk.error().ToString();
    EXPECT_EQ(chunk->schema.version, SchemaVersion(1));
  }
  Restart();
  EXPECT_EQ(schemas_->format(), ValueFormat::kAvro);
  EXPECT_THAT(Refresh(), ElementsAre("id"));
}

TEST_F(TopicSchemasTest, WhatWasShownAsBytesStaysSo) {
  EXPECT_THAT(Refresh(), ElementsAre("kafka_value"));
  ASSERT_TRUE(ledger_->PinValueFormat((*ledger_->FindTopic("orders"))->key, "raw").ok());
  Register({{"id", "\"long\""}});
  EXPECT_THAT(Refresh(), ElementsAre("kafka_value"));
  EXPECT_THAT(schemas_->Notice(), Optional(HasSubstr("orders-value")));
  EXPECT_THAT(log_, HasSubstr("schema_not_followed"));
  Restart();
  EXPECT_THAT(Refresh(), ElementsAre("kafka_value"));
}

TEST_F(TopicSchemasTest, AVersionThatCannotBeFollowedGivesWayToALaterGoodOne) {
  const auto first = Register({{"id", "\"int\""}, {"a", "\"int\""}});
  EXPECT_THAT(Refresh(), ElementsAre("id", "a"));
  const auto bad = Register({{"id", "\"string\""}, {"b", "\"int\""}});
  EXPECT_THAT(Refresh(), ElementsAre(AllOf(HasSubstr("schema_incompatible"), HasSubstr("field id"),
                                           HasSubstr("subject version 2"))));
  const auto good = Register({{"id", "\"long\""}, {"a", "\"int\""}, {"c", "\"int\""}});
  for (int look = 0; look < 2; ++look) {
    EXPECT_THAT(Refresh(), ElementsAre("id", "a", "c"));
    EXPECT_EQ(schemas_->Versions().size(), 2U);
    EXPECT_THAT(schemas_->Notice(), Optional(AllOf(HasSubstr("version 2"), HasSubstr("field id"))));
  }
  EXPECT_TRUE(For({first, good}).ok());
  const auto refused = For({bad});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kSchemaIncompatible);
  EXPECT_THAT(refused.error().message(),
              AllOf(HasSubstr("schema " + std::to_string(bad.value())), HasSubstr("field id")));
  Restart();
  EXPECT_THAT(Refresh(), ElementsAre("id", "a", "c"));
  EXPECT_FALSE(For({bad}).ok());
}

TEST_F(TopicSchemasTest, RecordsOfAVersionThatWasPassedOverAreReadWhenTheyFit) {
  Register({{"id", "\"int\""}, {"a", "\"int\""}});
  Refresh();
  // Refused because of `a`, which the table loses then.
  Register({{"id", "\"int\""}, {"a", "\"string\""}});
  EXPECT_FALSE(schemas_->Refresh(Soon(), {}).ok());
  const auto narrow = Register({{"id", "\"int\""}});
  EXPECT_THAT(Refresh(), ElementsAre("id"));
  EXPECT_TRUE(For({narrow}).ok());
  EXPECT_EQ(schemas_->Versions().size(), 2U);
}

TEST_F(TopicSchemasTest, AFirstVersionThatCannotBeShownGivesWayToo) {
  Register({{"kafka_id", "\"int\""}});
  EXPECT_FALSE(schemas_->Refresh(Soon(), {}).ok());
  EXPECT_TRUE(schemas_->Versions().empty());
  Register({{"id", "\"int\""}});
  EXPECT_TRUE(TopicSchemas::CheckShowable("orders", MakeContext(), Soon(), {}).ok());
  EXPECT_THAT(Refresh(), ElementsAre("id"));
}

// Field case B039.
TEST_F(TopicSchemasTest, ASubjectThatIsGoneLeavesTheLastKnownVersions) {
  const auto id = Register({{"id", "\"int\""}});
  EXPECT_THAT(Refresh(), ElementsAre("id"));
  registry_.DeleteNewestVersion();
  EXPECT_THAT(Refresh(), ElementsAre("id"));
  EXPECT_EQ(schemas_->format(), ValueFormat::kAvro);
  EXPECT_THAT(schemas_->Notice(), Optional(HasSubstr("gone")));
  EXPECT_TRUE(For({id}).ok());
}

TEST_F(TopicSchemasTest, AnIdThatTheRegistryDoesNotKnowIsNamed) {
  Register({{"id", "\"int\""}});
  Refresh();
  const auto unknown = For({WriterSchemaId(4711)});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code(), ErrorCode::kSchemaNotFound);
  EXPECT_THAT(unknown.error().message(), HasSubstr("schema 4711"));
}

TEST_F(TopicSchemasTest, ASubjectThatGoesBackKeepsWhatWasWidenedInside) {
  const auto item = [](const char* type) {
    return std::string(R"({"type":"array","items":{"type":"record","name":"I","fields":[)") +
           R"({"name":"x","type":")" + type + R"("}]}})";
  };
  Register({{"l", item("int")}});
  Refresh();
  Register({{"l", item("long")}, {"b", "\"int\""}});
  Refresh();
  registry_.DeleteNewestVersion();
  EXPECT_THAT(Refresh(), ElementsAre("l"));
  const auto versions = schemas_->Versions();
  EXPECT_EQ(iceberg::ToString(versions.back().fields.front().type), "list<struct<x: long>>");
}

}  // namespace
}  // namespace frazil::table
