// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/test/ledger_fixture.h"

namespace frazil::ledger {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

using TopicsTest = LedgerTest;

TEST_F(TopicsTest, SecretIsMadeOnceAndNonceAtEachOpening) {
  Open();
  const Bytes secret = ledger_->Secret();
  const std::string nonce = ledger_->BootNonce();
  EXPECT_EQ(secret.size(), 32U);
  EXPECT_NE(secret, Bytes(32, 0));
  EXPECT_THAT(nonce, MatchesRegex("[0-9a-f]{8}"));
  EXPECT_EQ(ledger_->BootNonce(), nonce);
  Open();
  EXPECT_EQ(ledger_->Secret(), secret);
  EXPECT_NE(ledger_->BootNonce(), nonce);
}

TEST_F(TopicsTest, TopicIsFoundAsCreatedAlsoAfterReopening) {
  Open();
  const auto none = ledger_->FindTopic("orders");
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
  const auto created = ledger_->CreateTopic("orders", SomeUuid(7), FieldId(21));
  ASSERT_TRUE(created.ok()) << created.error().ToString();
  Open();
  const auto found = ledger_->FindTopic("orders");
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->key, created->key);
  EXPECT_EQ((*found)->name, "orders");
  EXPECT_EQ((*found)->generation, Generation(0));
  EXPECT_EQ((*found)->topic_id, SomeUuid(7));
  EXPECT_EQ((*found)->next_field_id, FieldId(21));
  // Names are told apart by their bytes.
  EXPECT_FALSE(ledger_->FindTopic("Orders")->has_value());
  EXPECT_FALSE(ledger_->FindTopic("orders'; DROP TABLE topics; --")->has_value());
}

TEST_F(TopicsTest, SecondTopicOfANameIsAConflict) {
  Open();
  ASSERT_TRUE(ledger_->CreateTopic("orders", Uuid{}, FieldId(21)).ok());
  const auto again = ledger_->CreateTopic("orders", SomeUuid(1), FieldId(21));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code(), ErrorCode::kConflict);
  EXPECT_TRUE(ledger_->CreateTopic("orders2", SomeUuid(1), FieldId(21)).ok());
}

TEST_F(TopicsTest, TableIsTheOneOfItsTopicInItsNamespace) {
  Open();
  const auto topic = ledger_->CreateTopic("orders", Uuid{}, FieldId(21));
  ASSERT_TRUE(topic.ok());
  const auto table = ledger_->CreateTable(topic->key, "speed", SomeUuid(1));
  ASSERT_TRUE(table.ok()) << table.error().ToString();
  const auto again = ledger_->CreateTable(topic->key, "speed", SomeUuid(2));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code(), ErrorCode::kConflict);
  ASSERT_TRUE(ledger_->CreateTable(topic->key, "lake", SomeUuid(3)).ok());
  const auto nowhere = ledger_->CreateTable(999, "speed", SomeUuid(4));
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().code(), ErrorCode::kInvalidArgument);

  Open();
  const auto found = ledger_->FindTable(topic->key, "speed");
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->key, table->key);
  EXPECT_EQ((*found)->topic_key, topic->key);
  EXPECT_EQ((*found)->namespace_name, "speed");
  EXPECT_EQ((*found)->uuid, SomeUuid(1));
  EXPECT_FALSE(ledger_->FindTable(topic->key, "batch")->has_value());
}

TEST_F(TopicsTest, ValueFormatIsPinnedOnceForGood) {
  Open();
  const auto topic = ledger_->CreateTopic("orders", Uuid{}, FieldId(21));
  ASSERT_TRUE(topic.ok());
  EXPECT_EQ(topic->value_format, "");
  EXPECT_EQ(ledger_->PinValueFormat(topic->key, "").error().code(), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(ledger_->PinValueFormat(topic->key, "avro").ok());
  EXPECT_TRUE(ledger_->PinValueFormat(topic->key, "avro").ok());
  EXPECT_EQ(ledger_->PinValueFormat(topic->key, "raw").error().code(), ErrorCode::kConflict);
  EXPECT_EQ(ledger_->PinValueFormat(99, "raw").error().code(), ErrorCode::kInvalidArgument);
  Open();
  EXPECT_EQ((*ledger_->FindTopic("orders"))->value_format, "avro");
}

TEST_F(TopicsTest, NewTopicIsInGenerationZero) {
  Open();
  const auto topic = ledger_->CreateTopic("orders", SomeUuid(7), FieldId(21));
  const auto generations = ledger_->Generations(topic->key);
  ASSERT_TRUE(generations.ok()) << generations.error().ToString();
  ASSERT_EQ(generations->size(), 1U);
  EXPECT_EQ((*generations)[0].generation, Generation(0));
  EXPECT_EQ((*generations)[0].topic_id, SomeUuid(7));
  EXPECT_THAT(*ledger_->Generations(99), IsEmpty());
}

class SchemasTest : public LedgerTest {
 protected:
  void SetUp() override {
    Open();
    const auto topic = ledger_->CreateTopic("orders", Uuid{}, FieldId(21));
    ASSERT_TRUE(topic.ok());
    topic_ = topic->key;
  }
  Status Append(const std::vector<SchemaRow>& schemas, const std::vector<WriterRow>& writers,
                std::int32_t next) {
    return ledger_->AppendSchemas(topic_, schemas, writers, FieldId(next));
  }
  static SchemaRow Version(std::int32_t version, std::int32_t columns) {
    return {.schema = SomeSchema(version, columns),
            .writer_schema_id = WriterSchemaId(version + 100)};
  }
  static WriterRow Writer(std::int32_t writer, std::int32_t version) {
    return {.writer_schema_id = WriterSchemaId(writer),
            .version = SchemaVersion(version),
            .format = "AVRO",
            .text = "schema of " + std::to_string(writer),
            .references = std::vector<std::string>(static_cast<std::size_t>(version), "used")};
  }

  std::int64_t topic_ = 0;
};

TEST_F(SchemasTest, VersionsWritersAndCounterComeBackAsRecorded) {
  EXPECT_THAT(*ledger_->Schemas(topic_), IsEmpty());
  EXPECT_THAT(*ledger_->Writers(topic_), IsEmpty());
  ASSERT_TRUE(Append({Version(0, 22)}, {Writer(7, 0)}, 23).ok());
  ASSERT_TRUE(Append({Version(1, 23), Version(2, 24)}, {Writer(3, 2), Writer(9, 1)}, 30).ok());
  ASSERT_TRUE(Append({}, {Writer(11, 2)}, 30).ok());
  Open();
  const auto schemas = ledger_->Schemas(topic_);
  ASSERT_TRUE(schemas.ok()) << schemas.error().ToString();
  ASSERT_EQ(schemas->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto version = static_cast<std::int32_t>(i);
    EXPECT_EQ((*schemas)[i].schema, SomeSchema(version, 22 + version));
    EXPECT_EQ((*schemas)[i].writer_schema_id, WriterSchemaId(version + 100));
  }
  std::vector<std::pair<int, int>> writers;
  const auto rows = ledger_->Writers(topic_);
  for (const auto& row : *rows) {
    writers.emplace_back(row.writer_schema_id.value(), row.version.value());
    EXPECT_EQ(row.format, "AVRO");
    EXPECT_EQ(row.text, "schema of " + std::to_string(row.writer_schema_id.value()));
    EXPECT_EQ(row.references.size(), static_cast<std::size_t>(row.version.value()));
  }
  EXPECT_THAT(writers,
              ElementsAre(std::pair(3, 2), std::pair(7, 0), std::pair(9, 1), std::pair(11, 2)));
  EXPECT_EQ((*ledger_->FindTopic("orders"))->next_field_id, FieldId(30));
}

TEST_F(SchemasTest, VersionThatIsTakenIsAConflictAndChangesNothing) {
  ASSERT_TRUE(Append({Version(0, 22)}, {Writer(7, 0)}, 23).ok());
  const Status taken = Append({Version(0, 23)}, {Writer(8, 0)}, 24);
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(ledger_->Schemas(topic_)->size(), 1U);
  EXPECT_EQ(ledger_->Writers(topic_)->size(), 1U);
  EXPECT_EQ((*ledger_->FindTopic("orders"))->next_field_id, FieldId(23));
}

TEST_F(SchemasTest, VersionsHaveNoGaps) {
  for (const auto& schemas :
       {std::vector{Version(1, 22)}, std::vector{Version(0, 22), Version(2, 22)},
        std::vector{Version(0, 22), Version(0, 22)}}) {
    const Status status = Append(schemas, {}, 30);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code(), ErrorCode::kInvalidArgument) << status.error().ToString();
    EXPECT_THAT(*ledger_->Schemas(topic_), IsEmpty());
  }
}

TEST_F(SchemasTest, R2_CounterOfFieldIdsNeverFallsAndCoversAllIds) {
  const Status low = Append({Version(0, 30)}, {}, 30);
  ASSERT_FALSE(low.ok());
  EXPECT_EQ(low.error().code(), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(Append({Version(0, 30)}, {}, 31).ok());
  const Status fallen = Append({}, {}, 30);
  ASSERT_FALSE(fallen.ok());
  EXPECT_EQ(fallen.error().code(), ErrorCode::kConflict);
  EXPECT_EQ((*ledger_->FindTopic("orders"))->next_field_id, FieldId(31));
}

TEST_F(SchemasTest, WriterIsMappedOnce) {
  ASSERT_TRUE(Append({Version(0, 22), Version(1, 22)}, {Writer(7, 0)}, 23).ok());
  EXPECT_TRUE(Append({}, {Writer(7, 0)}, 23).ok()) << "the same mapping again";
  const Status other = Append({}, {Writer(7, 1)}, 23);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code(), ErrorCode::kConflict);
  const Status unknown = Append({}, {Writer(8, 2)}, 23);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ledger_->Writers(topic_)->size(), 1U);
}

TEST_F(SchemasTest, UnknownTopicIsInvalid) {
  const Status status = ledger_->AppendSchemas(999, {}, {}, FieldId(22));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(*ledger_->Schemas(999), IsEmpty());
}

}  // namespace
}  // namespace frazil::ledger
