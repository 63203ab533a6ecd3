// SPDX-License-Identifier: Apache-2.0
#include "ledger/test/ledger_fixture.h"

#include <cstdlib>
#include <filesystem>
#include <sqlite3.h>
#include <utility>

#include "base/check.h"

namespace frazil::ledger {
namespace {

struct Closer {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
using Connection = std::unique_ptr<sqlite3, Closer>;

Connection Connect(const std::string& path) {
  sqlite3* connection = nullptr;
  FRAZIL_CHECK(sqlite3_open_v2(path.c_str(), &connection, SQLITE_OPEN_READWRITE, nullptr) ==
               SQLITE_OK);
  return Connection(connection);
}

}  // namespace

LedgerTest::LedgerTest() {
  std::string name = (std::filesystem::temp_directory_path() / "frazil-ledger-XXXXXX").string();
  FRAZIL_CHECK(mkdtemp(name.data()) != nullptr);
  folder_ = name + "/data";
}

LedgerTest::~LedgerTest() {
  ledger_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(std::filesystem::path(folder_).parent_path(), ignored);
}

void LedgerTest::Open() {
  ledger_.reset();
  auto opened = OpenSqliteLedger(folder_, clock_);
  ASSERT_TRUE(opened.ok()) << opened.error().ToString();
  ledger_ = std::move(opened).value();
}

void LedgerTest::Execute(const std::string& sql) const {
  char* message = nullptr;
  const Connection connection = Connect(File());
  ASSERT_EQ(sqlite3_exec(connection.get(), sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << message;
}

std::int64_t LedgerTest::Ask(const std::string& sql) const {
  const Connection connection = Connect(File());
  sqlite3_stmt* statement = nullptr;
  FRAZIL_CHECK(sqlite3_prepare_v2(connection.get(), sql.c_str(), -1, &statement, nullptr) ==
               SQLITE_OK);
  FRAZIL_CHECK(sqlite3_step(statement) == SQLITE_ROW);
  const std::int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

std::int64_t LedgerTest::MakeTable(const std::string& name) {
  const auto seed = static_cast<std::uint8_t>(std::hash<std::string>()(name) & 0xff);
  const auto topic = ledger_->CreateTopic(name, SomeUuid(seed), FieldId(21));
  FRAZIL_CHECK(topic.ok());
  const auto table = ledger_->CreateTable(topic->key, "speed", name, SomeUuid(seed));
  FRAZIL_CHECK(table.ok());
  return table->key;
}

Uuid SomeUuid(std::uint8_t seed) {
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    uuid.bytes[i] = static_cast<std::uint8_t>(seed + i);
  }
  return uuid;
}

iceberg::Schema SomeSchema(std::int32_t version, std::int32_t columns) {
  iceberg::Schema schema{.version = SchemaVersion(version), .fields = {}};
  for (std::int32_t i = 1; i <= columns; ++i) {
    schema.fields.push_back({.id = FieldId(i),
                             .name = "field_" + std::to_string(i),
                             .required = false,
                             .type = iceberg::Type::Of(iceberg::TypeKind::kLong),
                             .doc = ""});
  }
  return schema;
}

CutPartition Range(std::int32_t generation, std::int32_t partition, std::int64_t start,
                   std::int64_t end) {
  return {.generation = Generation(generation),
          .partition = PartitionId(partition),
          .epoch = LeaderEpoch(3),
          .start = Offset(start),
          .end = Offset(end)};
}

ChunkRow SomeChunk(std::int32_t partition, std::int64_t start, std::int64_t end) {
  ChunkRow chunk;
  chunk.partition = PartitionId(partition);
  chunk.start = Offset(start);
  chunk.end = Offset(end);
  chunk.schema_version = SchemaVersion(2);
  chunk.encoder_version = 1;
  chunk.content_hash[0] = static_cast<std::uint8_t>(start);
  chunk.content_hash[31] = 0xff;
  chunk.file.path = "s3://frazil/speed/orders/" + std::to_string(partition) + "-" +
                    std::to_string(start) + "-" + std::to_string(end) + ".parquet";
  chunk.file.record_count = end - start;
  chunk.file.file_size = 1000 + end;
  chunk.file.columns[FieldId(3)] = {.column_size = 80,
                                    .value_count = end - start,
                                    .null_count = 0,
                                    .nan_count = -1,
                                    .lower_bound = Bytes{0x01, 0x00},
                                    .upper_bound = Bytes{0xff, 0x7f}};
  chunk.file.columns[FieldId(21)] = {.column_size = 7,
                                     .value_count = end - start,
                                     .null_count = end - start,
                                     .nan_count = 0,
                                     .lower_bound = std::nullopt,
                                     .upper_bound = std::nullopt};
  return chunk;
}

NewState StateOver(std::int64_t snapshot, std::vector<CutPartition> ranges) {
  NewState state;
  state.cut = NewCut{.snapshot_id = SnapshotId(snapshot),
                     .operation = iceberg::Operation::kAppend,
                     .partitions = std::move(ranges),
                     .chunks = {}};
  state.writer_version = 4;
  return state;
}

}  // namespace frazil::ledger
