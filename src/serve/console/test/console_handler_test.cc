// SPDX-License-Identifier: Apache-2.0
#include "serve/console/console_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace frazil::serve::console {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

// Two tables, one of which was shown.
class FakeInspector final : public table::CatalogInspector {
 public:
  Result<std::vector<table::ListedTopic>> Topics(Deadline /*deadline*/,
                                                 const std::stop_token& /*stop*/) override {
    if (failure) return *failure;
    return std::vector<table::ListedTopic>{
        {.topic = {.name = "pg.x", .topic_id = {}, .internal = false, .partitions = 3},
         .table = "pg_x",
         .shown = true,
         .clashes_with = {}},
        {.topic = {.name = "_s", .topic_id = Uuid::Random(), .internal = true, .partitions = 1},
         .table = "_s",
         .shown = false,
         .clashes_with = {}}};
  }

  Result<std::vector<table::TableDescription>> Tables(table::Detail detail, Deadline /*deadline*/,
                                                      const std::stop_token& /*stop*/) override {
    if (failure) return *failure;
    last_detail = detail;
    return std::vector<table::TableDescription>{Shown(),
                                                {.namespace_name = "speed", .name = "new"}};
  }

  Result<table::TableDescription> DescribeTable(const std::string& namespace_name,
                                                const std::string& name, table::Detail detail,
                                                Deadline /*deadline*/,
                                                const std::stop_token& /*stop*/) override {
    last_detail = detail;
    if (namespace_name != "speed" || name != "a.b") {
      return Error(ErrorCode::kTableNotFound, "no such table: " + namespace_name + "|" + name);
    }
    return Shown();
  }

  static table::TableDescription Shown() {
    table::TableDescription table{.namespace_name = "speed", .name = "a.b", .topic = "a.b"};
    table.uuid = Uuid::Random();
    table.loads.shown = UnixMillis(5);
    table.loads.refused = UnixMillis(6);
    table.loads.refusal = Error(ErrorCode::kUndecodableRecord, "partition 1, offset 5");
    table.loads.refused_record = decode::RecordPlace{
        .partition = PartitionId(1), .offset = Offset(5), .schema_id = WriterSchemaId(9)};
    table.last_known_schema_since = UnixMillis(8);
    table.columns.push_back({.id = FieldId(21), .path = "id", .type = "long"});
    table.columns[0].origin = table::ColumnOrigin{.subject = "a.b-value",
                                                  .subject_version = 2,
                                                  .schema_id = WriterSchemaId(7),
                                                  .format = "AVRO",
                                                  .type = "long"};
    table.partitions.push_back({.generation = Generation(0),
                                .partition = PartitionId(1),
                                .start = Offset(0),
                                .end = Offset(4),
                                .log_start = Offset(0),
                                .last_stable = Offset(4),
                                .high_watermark = Offset(9),
                                .holding_producer = 77});
    table.snapshots.push_back(
        {.id = SnapshotId(9007199254740993), .stamp = UnixMillis(1), .total_records = 4});
    return table;
  }

  std::optional<Error> failure;
  table::Detail last_detail = table::Detail::kSummary;
};

class ConsoleHandlerTest : public testing::Test {
 protected:
  net::HttpResponse Get(const std::string& path, const std::string& method = "GET") {
    net::HttpRequest request;
    request.method = method;
    request.raw_path = path;
    return handler_->Handle(
        request, {.stop = {}, .deadline = Deadline::After(std::chrono::seconds(5)), .peer = {}});
  }
  Json GetJson(const std::string& path) {
    const auto response = Get(path);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }

  FakeInspector tables_;
  ServerState server_{.version = "9.8.7",
                      .started = UnixMillis(1000),
                      .now = UnixMillis(3000),
                      .catalog_url = "http://c",
                      .s3_url = "http://s",
                      .kafka = {.address = "k:1", .failure = std::nullopt},
                      .registry = std::nullopt};
  std::unique_ptr<telemetry::Logger> logger_ = telemetry::MakeLogger(
      telemetry::LogLevel::kError, telemetry::LogFormat::kText, [](std::string_view) {});
  std::unique_ptr<net::HttpHandler> handler_ = MakeConsoleHandler(
      tables_, [this](Deadline, const std::stop_token&) { return server_; }, *logger_);
};

TEST_F(ConsoleHandlerTest, TopicsTellTheirTables) {
  const Json answer = GetJson("/frazil/v1/topics");
  EXPECT_EQ(answer["topics"][0]["table"], "pg_x");
  EXPECT_EQ(answer["topics"][0]["topic-id"], nullptr);
  EXPECT_EQ(answer["topics"][1]["table"], nullptr);
  EXPECT_EQ(answer["topics"][1]["internal"], true);
}

TEST_F(ConsoleHandlerTest, TablesAreSummaries) {
  const Json answer = GetJson("/frazil/v1/tables");
  EXPECT_EQ(answer["tables"][0]["snapshot"]["total-records"], 4);
  const Json& refusal = answer["tables"][0]["loads"]["last-refusal"];
  EXPECT_EQ(refusal["code"], "undecodable_record");
  EXPECT_EQ(refusal["partition"], 1);
  EXPECT_EQ(refusal["offset"], 5);
  EXPECT_EQ(refusal["schema-id"], 9);
  EXPECT_EQ(refusal["time-ms"], 6);
  EXPECT_EQ(answer["tables"][1]["table-uuid"], nullptr);
  EXPECT_EQ(answer["tables"][1]["snapshot"], nullptr);
  EXPECT_EQ(tables_.last_detail, table::Detail::kSummary);
}

TEST_F(ConsoleHandlerTest, ATableIsToldInFull) {
  for (const char* path : {"/frazil/v1/tables/speed/a.b", "/frazil/v1/tables/speed/a%2Eb/"}) {
    const Json answer = GetJson(path);
    EXPECT_EQ(answer["columns"][0]["origin"]["subject-version"], 2);
    EXPECT_EQ(answer["partitions"][0]["open-transaction-records"], 5);
    EXPECT_EQ(answer["partitions"][0]["producer-id"], 77);
    EXPECT_EQ(answer["snapshots"][0]["snapshot-id"], 9007199254740993);
  }
  EXPECT_THAT(Get("/frazil/v1/tables/speed/a.b").body, HasSubstr(":9007199254740993,"))
      << "all digits";
  EXPECT_EQ(tables_.last_detail, table::Detail::kFull);
}

TEST_F(ConsoleHandlerTest, StatusTellsTheSystemsAround) {
  Json answer = GetJson("/frazil/v1/status");
  EXPECT_EQ(answer["version"], "9.8.7");
  EXPECT_EQ(answer["kafka"]["reachable"], true);
  EXPECT_EQ(answer["registry"], nullptr);
  EXPECT_EQ(answer["tables"].size(), 2U);
  EXPECT_EQ(answer["tables"][0]["last-known-schema-since-ms"], 8);
  EXPECT_EQ(answer["tables"][1]["last-known-schema-since-ms"], nullptr);
  EXPECT_EQ(tables_.last_detail, table::Detail::kStatus);
  server_.kafka.failure = Error(ErrorCode::kKafkaUnavailable, "away");
  server_.registry = SystemState{.address = "http://r", .failure = std::nullopt};
  answer = GetJson("/frazil/v1/status");
  EXPECT_EQ(answer["kafka"]["error"]["message"], "away");
  EXPECT_EQ(answer["registry"]["reachable"], true);
  EXPECT_EQ(tables_.last_detail, table::Detail::kSummary) << "Kafka is not asked again and again";
  tables_.failure = Error(ErrorCode::kKafkaUnavailable, "no list");
  answer = GetJson("/frazil/v1/status");
  EXPECT_EQ(answer["tables-error"]["code"], "kafka_unavailable");
}

TEST_F(ConsoleHandlerTest, ErrorsHaveTheirNameAndStatus) {
  const auto missing = Get("/frazil/v1/tables/speed/none");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(Json::parse(missing.body)["error"]["code"], "table_not_found");
  tables_.failure = Error(ErrorCode::kKafkaUnavailable, "bytes \xFF");
  const auto away = Get("/frazil/v1/topics");
  EXPECT_EQ(away.status, 503);
  EXPECT_TRUE(Json::accept(away.body));
}

TEST_F(ConsoleHandlerTest, OtherPathsAndMethodsAreRefused) {
  for (const char* path : {"/frazil/", "/frazil/v1", "/frazil/v2/topics", "/frazil/v1/other", "/",
                           "/frazil/v1/tables/speed", "/frazil/v1/tables/speed/a/b",
                           "/frazil/v1/tables//a.b/", "/frazil/v1/topics/x"}) {
    EXPECT_EQ(Get(path).status, 404) << path;
  }
  EXPECT_EQ(Get("/frazil/v1/tables/speed/%zz").status, 400);
  EXPECT_EQ(Get("/frazil/v1/tables/speed/%FF").status, 400);
  const auto posted = Get("/frazil/v1/topics", "POST");
  EXPECT_EQ(posted.status, 405);
  EXPECT_EQ(net::FindHeader(posted.headers, "Allow"), "GET, HEAD");
  const auto head = Get("/frazil/v1/topics", "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
}

}  // namespace
}  // namespace frazil::serve::console
