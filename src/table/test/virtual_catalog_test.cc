// SPDX-License-Identifier: Apache-2.0
// Names of tables over a cluster whose topics come and go, and a real ledger.
#include "table/virtual_catalog.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/memory_budget.h"
#include "ledger/ledger.h"
#include "table/test/fake_topics.h"

namespace frazil::table {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Deadline Soon() { return Deadline::After(milliseconds(5000)); }

class VirtualCatalogTest : public testing::Test {
 protected:
  ~VirtualCatalogTest() override {
    catalog_.reset();
    ledger_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Another process over the same folder.
  void Start(const std::vector<std::string>& topics, const std::vector<std::string>& aliases = {}) {
    catalog_.reset();
    ledger_.reset();
    ledger_ = std::move(ledger::OpenSqliteLedger(folder_, clock_)).value();
    catalog_ = std::make_unique<VirtualCatalog>(
        TopicSelection::Parse(topics, aliases).value(),
        TableContext{
            .records = kafka_,
            .schemas = schemas_,
            .ledger = *ledger_,
            .cache = cache_,
            .memory = budget_,
            .pool = pool_,
            .background = background_,
            .clock = clock_,
            .logger = *logger_,
            .metrics = metrics_,
            .options = {.cut_interval = milliseconds(0), .kafka_timeout = milliseconds(1000)}});
  }

  std::vector<std::string> List() { return *catalog_->ListTables("speed", Soon(), {}); }
  Result<LoadedTable> Load(const std::string& name) {
    return catalog_->LoadTable("speed", name, SnapshotSelection::kAll, Soon(), {});
  }
  Status Check(const std::string& name) { return catalog_->CheckTable("speed", name, Soon(), {}); }

  const std::string folder_ = std::filesystem::temp_directory_path() / Uuid::Random().ToString();
  SystemClock clock_;
  FakeTopics kafka_;
  OneSchema schemas_;
  telemetry::Metrics metrics_;
  std::unique_ptr<telemetry::Logger> logger_ = telemetry::MakeLogger(
      telemetry::LogLevel::kError, telemetry::LogFormat::kText, [](std::string_view) {});
  ThreadPool pool_{2, 100};
  ThreadPool background_{1, 100};
  MemoryBudget budget_{1 << 30};
  ObjectCache cache_{64 << 20, 2, budget_, metrics_};
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<VirtualCatalog> catalog_;
};

TEST_F(VirtualCatalogTest, ATopicThatComesLaterIsFoundAtOnce) {
  Start({});
  EXPECT_THAT(List(), IsEmpty());
  kafka_.Add("late");
  EXPECT_TRUE(Check("late").ok()) << "the listing is believed, an unknown name is looked for";
  EXPECT_TRUE(Load("late").ok());
  EXPECT_THAT(List(), ElementsAre("late"));
  EXPECT_EQ(Load("later").error().code(), ErrorCode::kTableNotFound);
}

TEST_F(VirtualCatalogTest, ADeletedTopicIsMissingAndItsFilesStillResolve) {
  kafka_.Add("orders");
  Start({});
  const auto loaded = Load("orders");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  kafka_.Delete("orders");
  EXPECT_EQ(Load("orders").error().code(), ErrorCode::kTableNotFound);
  const std::string key(KeyOf(loaded->metadata_location));
  EXPECT_TRUE(catalog_->ReadObject(key, Soon(), {}).ok());
  Start({});
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_EQ(Check("orders").error().code(), ErrorCode::kTableNotFound);
  EXPECT_TRUE(catalog_->ReadObject(key, Soon(), {}).ok());
  Start({"-orders"});
  EXPECT_EQ(catalog_->ReadObject(key, Soon(), {}).error().code(), ErrorCode::kNotFound)
      << "what the settings take out is shown to nobody";
}

TEST_F(VirtualCatalogTest, AnAliasRenamesAndKeepsTheTable) {
  kafka_.Add("pg.public.orders");
  Start({});
  const auto before = Load("pg.public.orders");
  ASSERT_TRUE(before.ok());
  Start({}, {"pg.public.orders=pg_orders"});
  EXPECT_THAT(List(), ElementsAre("pg_orders"));
  const auto after = Load("pg_orders");
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->uuid, before->uuid);
  EXPECT_EQ(after->location, before->location);
  EXPECT_EQ(Load("pg.public.orders").error().code(), ErrorCode::kTableNotFound);
}

TEST_F(VirtualCatalogTest, NamesThatDifferByCaseAreAnErrorThatNamesAliases) {
  for (const char* name : {"orders", "Orders", "clicks"}) kafka_.Add(name);
  Start({});
  for (const char* name : {"orders", "Orders"}) {
    const auto refused = Load(name);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), ErrorCode::kAmbiguousName);
    EXPECT_THAT(refused.error().message(), HasSubstr("aliases"));
  }
  EXPECT_TRUE(Load("clicks").ok());
  Start({}, {"Orders=capital_orders"});
  EXPECT_TRUE(Load("orders").ok());
  EXPECT_TRUE(Load("capital_orders").ok());
}

TEST_F(VirtualCatalogTest, WithoutKafkaTheLastNamesAreListedAndUnknownOnesAreNoAnswer) {
  kafka_.Add("orders");
  kafka_.FailWith(Error(ErrorCode::kKafkaUnavailable, "away"));
  Start({});
  EXPECT_EQ(catalog_->ListTables("speed", Soon(), {}).error().code(), ErrorCode::kKafkaUnavailable);
  EXPECT_EQ(Load("orders").error().code(), ErrorCode::kKafkaUnavailable) << "not: no such table";
  EXPECT_EQ(Check("orders").error().code(), ErrorCode::kKafkaUnavailable);
  kafka_.FailWith(std::nullopt);
  EXPECT_THAT(List(), ElementsAre("orders"));
  kafka_.FailWith(Error(ErrorCode::kKafkaUnavailable, "away"));
  PauseUntil(Deadline::After(milliseconds(1100)), {});
  EXPECT_THAT(List(), ElementsAre("orders"));
  EXPECT_TRUE(Check("orders").ok());
  EXPECT_EQ(Check("other").error().code(), ErrorCode::kKafkaUnavailable);
  Start({"named"});
  EXPECT_THAT(List(), ElementsAre("named"));
}

TEST_F(VirtualCatalogTest, OtherNamespacesHoldNothing) {
  kafka_.Add("orders");
  Start({});
  EXPECT_EQ(catalog_->ListTables("batch", Soon(), {}).error().code(),
            ErrorCode::kNamespaceNotFound);
  EXPECT_EQ(catalog_->CheckTable("batch", "orders", Soon(), {}).error().code(),
            ErrorCode::kTableNotFound);
}

}  // namespace
}  // namespace frazil::table
