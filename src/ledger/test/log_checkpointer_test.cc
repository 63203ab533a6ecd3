// SPDX-License-Identifier: Apache-2.0
#include "ledger/log_checkpointer.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "ledger/ledger_tables.h"
#include "ledger/test/ledger_fixture.h"

namespace frazil::ledger {
namespace {

class LogCheckpointerTest : public LedgerTest {
 protected:
  LogCheckpointerTest() {
    Open();
    Close();
    database_ = *Database::Open(File());
    EXPECT_TRUE(Configure(*database_, File(), {}).ok());
  }

  void Start(const LogCheckpointer::Limits& limits) {
    auto started = LogCheckpointer::Start(File(), *database_, limits);
    ASSERT_TRUE(started.ok()) << started.error().ToString();
    checkpointer_ = std::move(*started);
  }

  // A transaction of some pages.
  void Write() {
    ASSERT_TRUE(database_
                    ->Execute("INSERT INTO secrets (name, value) VALUES ('" +
                              std::to_string(written_++) + "', randomblob(40000))")
                    .ok());
  }

  void AwaitRun() const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (checkpointer_->runs() == 0 && std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_GT(checkpointer_->runs(), 0);
  }

  // Rows that the file holds without its log.
  std::int64_t RowsInFile() const {
    const std::string copy = folder_ + "/copy.sqlite";
    std::filesystem::copy_file(File(), copy, std::filesystem::copy_options::overwrite_existing);
    const auto database = *Database::Open(copy);
    Query query = database->Prepare("SELECT count(*) FROM secrets WHERE name <> 'keys'");
    const auto row = query.Step();
    EXPECT_TRUE(row.ok()) << row.error().ToString();
    return row.ok() && *row ? query.Int(0) : -1;
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<LogCheckpointer> checkpointer_;
  int written_ = 0;
};

TEST_F(LogCheckpointerTest, AShortLogStaysWhereItIs) {
  Start({.pages = 1000, .pages_for_calls = 2000});
  Write();
  EXPECT_EQ(checkpointer_->runs(), 0);
  EXPECT_EQ(RowsInFile(), 0);
}

TEST_F(LogCheckpointerTest, TheThreadBringsALongLogIntoTheFile) {
  Start({.pages = 20, .pages_for_calls = 100'000});
  for (int i = 0; i < 3; ++i) Write();
  AwaitRun();
  checkpointer_.reset();
  EXPECT_GE(RowsInFile(), 2);
}

TEST_F(LogCheckpointerTest, AShortLogIsCopiedWhenThatIsWanted) {
  Start({.pages = 1000, .pages_for_calls = 2000});
  Write();
  checkpointer_->Want();
  AwaitRun();
  EXPECT_EQ(RowsInFile(), 1);
}

TEST_F(LogCheckpointerTest, CallsCopyALogThatGrewBeyondItsLimit) {
  Start({.pages = 1, .pages_for_calls = 2});
  Write();
  EXPECT_EQ(RowsInFile(), 1);
  EXPECT_EQ(checkpointer_->runs(), 0);
}

TEST_F(LogCheckpointerTest, WritersAndTheThreadDoNotDisturbEachOther) {
  Start({.pages = 20, .pages_for_calls = 100'000});
  for (int i = 0; i < 100; ++i) Write();
  checkpointer_.reset();
  Query query = database_->Prepare("SELECT count(*) FROM secrets WHERE name <> 'keys'");
  ASSERT_TRUE(*query.Step());
  EXPECT_EQ(query.Int(0), 100);
}

}  // namespace
}  // namespace frazil::ledger
