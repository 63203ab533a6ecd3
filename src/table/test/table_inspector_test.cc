// SPDX-License-Identifier: Apache-2.0
// What is told of tables over a Kafka and a registry in memory and a real ledger.
#include "table/table_inspector.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/memory_budget.h"
#include "decode/kafka_columns.h"
#include "ledger/ledger.h"
#include "table/test/fakes.h"

namespace frazil::table {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::SizeIs;

Deadline Soon() { return Deadline::After(milliseconds(5000)); }

class TableInspectorTest : public testing::Test {
 protected:
  TableInspectorTest()
      : ledger_(std::move(ledger::OpenSqliteLedger(folder_, clock_)).value()),
        context_{.records = kafka_,
                 .schemas = registry_,
                 .ledger = *ledger_,
                 .cache = cache_,
                 .memory = budget_,
                 .pool = pool_,
                 .background = background_,
                 .clock = clock_,
                 .logger = *logger_,
                 .metrics = metrics_,
                 .options = {.cut_interval = milliseconds(0),
                             .kafka_timeout = milliseconds(300),
                             .schema_cache = milliseconds(0)}},
        catalog_(TopicSelection(), context_),
        inspector_(catalog_, context_) {
    first_ = registry_.Register(RecordSchema({{"id", "\"long\""}}));
  }
  ~TableInspectorTest() override { std::filesystem::remove_all(folder_); }

  Result<LoadedTable> Load() {
    return catalog_.LoadTable("speed", "orders", SnapshotSelection::kAll, Soon(), {});
  }
  TableDescription Describe() {
    auto table = inspector_.DescribeTable("speed", "orders", Detail::kFull, Soon(), {});
    EXPECT_TRUE(table.ok());
    return table.ok() ? *table : TableDescription();
  }

  const std::string folder_ = std::filesystem::temp_directory_path() / Uuid::Random().ToString();
  SystemClock clock_;
  FakeKafka kafka_{2};
  FakeRegistry registry_;
  WriterSchemaId first_;
  telemetry::Metrics metrics_;
  std::unique_ptr<telemetry::Logger> logger_ = telemetry::MakeLogger(
      telemetry::LogLevel::kError, telemetry::LogFormat::kText, [](std::string_view) {});
  ThreadPool pool_{2, 100};
  ThreadPool background_{1, 100};
  MemoryBudget budget_{1 << 30};
  ObjectCache cache_{64 << 20, 2, budget_, metrics_};
  std::unique_ptr<ledger::Ledger> ledger_;
  TableContext context_;
  VirtualCatalog catalog_;
  TableInspector inspector_;
};

TEST_F(TableInspectorTest, ATableThatWasNeverLoadedIsDescribedFromKafkaAlone) {
  kafka_.Produce(0, ValueBuilder(first_).Long(1).Build());
  const TableDescription table = Describe();
  EXPECT_FALSE(table.uuid.has_value());
  EXPECT_FALSE(table.loads.shown.has_value());
  ASSERT_THAT(table.partitions, SizeIs(2));
  EXPECT_EQ(table.partitions[0].last_stable, Offset(1));
  EXPECT_EQ(table.partitions[0].end, Offset(0)) << "nothing of it was shown";
}

TEST_F(TableInspectorTest, AShownTableTellsColumnsPartitionsAndSnapshots) {
  kafka_.Produce(0, ValueBuilder(first_).Long(1).Build());
  ASSERT_TRUE(Load().ok());
  const auto second =
      registry_.Register(RecordSchema({{"id", "\"long\""}, {"note", "[\"null\",\"string\"]"}}));
  kafka_.Produce(1, ValueBuilder(second).Long(2).Long(0).Build());
  const auto loaded = Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  kafka_.Produce(1, ValueBuilder(second).Long(3).Long(0).Build());
  const TableDescription table = Describe();
  EXPECT_EQ(table.uuid, loaded->uuid);
  EXPECT_EQ(table.location, loaded->location);
  EXPECT_TRUE(table.loads.shown.has_value());
  ASSERT_THAT(table.snapshots, SizeIs(2));
  EXPECT_EQ(table.snapshots[1].total_records, 2);
  EXPECT_EQ(table.snapshots[1].added_records, 1);
  EXPECT_EQ(table.snapshots[1].parent, table.snapshots[0].id);
  ASSERT_THAT(table.partitions, SizeIs(2));
  EXPECT_EQ(table.partitions[1].end, Offset(1));
  EXPECT_EQ(table.partitions[1].last_stable, Offset(2));
  const ColumnDescription& note = table.columns[1];
  EXPECT_EQ(note.path, "note");
  EXPECT_EQ(note.type, "string");
  ASSERT_TRUE(note.origin.has_value());
  EXPECT_EQ(note.origin->subject, "orders-value");
  EXPECT_EQ(note.origin->subject_version, 2);
  EXPECT_EQ(note.origin->schema_id, second);
  EXPECT_EQ(note.origin->type, "null | string");
  for (const ColumnDescription& column : table.columns) {
    if (!column.path.starts_with("kafka_")) continue;
    EXPECT_FALSE(column.origin.has_value()) << column.path;
  }
  EXPECT_EQ(table.columns.back().path, "kafka_headers.element.value") << "nested ones have a path";
}

TEST_F(TableInspectorTest, ARefusedLoadIsToldUntilOneSucceeds) {
  kafka_.Produce(1, Bytes{'j', 's', 'o', 'n'});
  ASSERT_FALSE(Load().ok());
  const TableDescription refused = Describe();
  ASSERT_TRUE(refused.loads.refusal.has_value());
  EXPECT_EQ(refused.loads.refusal->code(), ErrorCode::kUndecodableRecord);
  EXPECT_THAT(refused.loads.refusal->message(), HasSubstr("partition 1"));
  kafka_.Compact(1, 0);
  ASSERT_TRUE(Load().ok());
  EXPECT_FALSE(Describe().loads.refusal.has_value());
}

TEST_F(TableInspectorTest, WithoutKafkaWhatWasShownIsToldStill) {
  kafka_.Produce(0, ValueBuilder(first_).Long(1).Build());
  ASSERT_TRUE(Load().ok());
  ASSERT_TRUE(inspector_.Topics(Soon(), {}).ok());
  kafka_.FailWith(Error(ErrorCode::kKafkaUnavailable, "away"));
  const TableDescription table = Describe();
  EXPECT_THAT(table.snapshots, SizeIs(1));
  ASSERT_TRUE(table.kafka_error.has_value());
  EXPECT_EQ(inspector_.Topics(Soon(), {}).error().code(), ErrorCode::kKafkaUnavailable);
}

TEST_F(TableInspectorTest, R5_ThatTheLastKnownSchemasServeIsTold) {
  kafka_.Produce(0, ValueBuilder(first_).Long(1).Build());
  ASSERT_TRUE(Load().ok());
  EXPECT_FALSE(Describe().last_known_schema_since.has_value());
  registry_.FailWith(Error(ErrorCode::kRegistryUnavailable, "connection refused"));
  const UnixMillis before = clock_.Now();
  ASSERT_TRUE(Load().ok());
  const TableDescription table = Describe();
  ASSERT_TRUE(table.last_known_schema_since.has_value());
  EXPECT_GE(*table.last_known_schema_since, before);
}

TEST_F(TableInspectorTest, SummariesHoldTheLastSnapshotOnly) {
  for (int i = 0; i < 3; ++i) {
    kafka_.Produce(0, ValueBuilder(first_).Long(i).Build());
    ASSERT_TRUE(Load().ok());
  }
  const auto tables = inspector_.Tables(Detail::kSummary, Soon(), {});
  ASSERT_TRUE(tables.ok());
  ASSERT_THAT(*tables, SizeIs(1));
  ASSERT_THAT((*tables)[0].snapshots, SizeIs(1));
  EXPECT_EQ((*tables)[0].snapshots[0].total_records, 3);
  EXPECT_THAT((*tables)[0].columns, SizeIs(0));
}

TEST(TableDescriptionTest, AvroTypesAreToldInShort) {
  const std::string schema = R"({"type":"record","name":"R","fields":[
      {"name":"a","type":["null","string"]},
      {"name":"b","type":{"type":"bytes","logicalType":"decimal","precision":10,"scale":2}},
      {"name":"c","type":{"type":"array","items":{"type":"record","name":"Item","fields":[]}}},
      {"name":"d","type":{"type":"map","values":"long"}},
      {"name":"e","type":{"type":"enum","name":"Level","symbols":["A"]}}]})";
  EXPECT_EQ(AvroTypeOfField(schema, "a"), "null | string");
  EXPECT_EQ(AvroTypeOfField(schema, "b"), "bytes decimal(10,2)");
  EXPECT_EQ(AvroTypeOfField(schema, "c"), "array<record Item>");
  EXPECT_EQ(AvroTypeOfField(schema, "d"), "map<long>");
  EXPECT_EQ(AvroTypeOfField(schema, "e"), "enum Level");
  EXPECT_EQ(AvroTypeOfField(schema, "f"), "");
  EXPECT_EQ(AvroTypeOfField("\"string\"", "f"), "");
  EXPECT_EQ(AvroTypeOfField("{", "f"), "");
}

}  // namespace
}  // namespace frazil::table
