// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/check.h"
#include "ledger/sqlite_ledger.h"
#include "ledger/test/ledger_fixture.h"

namespace frazil::ledger {
namespace {

using testing::HasSubstr;

class FailuresTest : public LedgerTest {
 protected:
  // The error of an opening that must fail.
  std::string OpeningError(ErrorCode code = ErrorCode::kLedger) {
    const auto opened = OpenSqliteLedger(folder_, clock_);
    EXPECT_FALSE(opened.ok());
    if (opened.ok()) return "";
    EXPECT_EQ(opened.error().code(), code) << opened.error().ToString();
    return opened.error().message();
  }
  std::vector<char> ReadFile() const {
    std::ifstream file(File(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void WriteFile(const std::vector<char>& content) const {
    std::ofstream file(File(), std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  static mode_t Mode(const std::string& path) {
    struct stat status{};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777;
  }
  // A topic with a schema, a table with a state.
  void Fill() {
    Open();
    table_ = MakeTable();
    topic_ = (*ledger_->FindTopic("orders"))->key;
    const SchemaRow schema{.schema = SomeSchema(0, 3), .writer_schema_id = WriterSchemaId(1)};
    const WriterRow writer{.writer_schema_id = WriterSchemaId(1),
                           .version = SchemaVersion(0),
                           .format = "AVRO",
                           .text = "\"long\"",
                           .references = {}};
    ASSERT_TRUE(ledger_->AppendSchemas(topic_, {schema}, {writer}, FieldId(21)).ok());
    ASSERT_TRUE(
        ledger_
            ->RecordState(table_, 0,
                          StateOf({Append(1, {Range(0, 0, 0, 5)}, {SomeChunk(1, 0, 0, 5)})}))
            .ok());
  }

  // Ranges above those that a random life reaches.
  static std::vector<CutPartition> Grown(std::int64_t by) {
    return {Range(0, 0, 0, 10'000 + by), Range(0, 1, 0, 10'000), Range(0, 7, 0, 10'000)};
  }

  std::int64_t table_ = 0;
  std::int64_t topic_ = 0;
};

TEST_F(FailuresTest, FolderAndFilesAreForTheirOwnerOnly) {
  const mode_t before = umask(0);
  Fill();
  umask(before);
  EXPECT_EQ(Mode(folder_), 0700U);
  EXPECT_EQ(Mode(File()), 0600U);
  EXPECT_EQ(Mode(File() + "-wal"), 0600U);
  EXPECT_EQ(Mode(File() + "-shm"), 0600U);
  EXPECT_EQ(Mode(folder_ + "/ledger.lock"), 0600U);
  Close();
  ASSERT_EQ(chmod(File().c_str(), 0644), 0);
  Open();
  EXPECT_EQ(Mode(File()), 0600U);
}

TEST_F(FailuresTest, FileIsKeptAsTheRulesSay) {
  Fill();
  Close();
  EXPECT_EQ(Ask("PRAGMA user_version"), kTablesVersion);
  EXPECT_EQ(Ask("PRAGMA application_id"), 0x46727a6c);
  EXPECT_EQ(Ask("SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND strict = 0 "
                "AND name NOT LIKE 'sqlite_%'"),
            0);
  EXPECT_EQ(Ask("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1);
  EXPECT_EQ(Ask("SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

TEST_F(FailuresTest, SecondOpeningNamesTheProcessThatHoldsTheLedger) {
  Open();
  EXPECT_THAT(OpeningError(), HasSubstr("in use by process " + std::to_string(getpid()) +
                                        "; stop it or choose another --data-dir"));
  Close();
  Open();
}

TEST_F(FailuresTest, NewerFileIsRefusedUntouched) {
  Fill();
  Close();
  Execute("PRAGMA user_version = 3");
  const auto before = ReadFile();
  EXPECT_THAT(OpeningError(), HasSubstr("written by a newer Frazil"));
  EXPECT_EQ(ReadFile(), before);
}

TEST_F(FailuresTest, DatabaseOfAnotherProgramIsRefusedUntouched) {
  std::filesystem::create_directories(folder_);
  std::ofstream(File()).close();
  Execute("CREATE TABLE theirs (x)");
  const auto before = ReadFile();
  EXPECT_THAT(OpeningError(), HasSubstr("another program's database"));
  EXPECT_EQ(ReadFile(), before);
}

TEST_F(FailuresTest, FileOfTheFirstFormIsRefusedUntouched) {
  Fill();
  Close();
  Execute("PRAGMA user_version = 1");
  const auto before = ReadFile();
  EXPECT_THAT(OpeningError(), HasSubstr("start with a new --data-dir"));
  EXPECT_EQ(ReadFile(), before);
}

TEST_F(FailuresTest, EmptyFileIsNotTakenForANewOne) {
  std::filesystem::create_directories(folder_);
  std::ofstream(File()).close();
  EXPECT_THAT(OpeningError(), HasSubstr("the ledger's file is empty; put back a copy"));
  EXPECT_EQ(std::filesystem::file_size(File()), 0U);
}

TEST_F(FailuresTest, DatabaseWithoutTablesIsNotTakenForANewOne) {
  std::filesystem::create_directories(folder_);
  std::ofstream(File()).close();
  Execute("PRAGMA user_version = 2; VACUUM");
  const auto before = ReadFile();
  EXPECT_THAT(OpeningError(), HasSubstr("without a ledger's tables"));
  EXPECT_EQ(ReadFile(), before);
}

TEST_F(FailuresTest, LogWithoutItsFileIsNotPlayedIntoANewOne) {
  Fill();
  const std::string log = File() + "-wal";
  const std::string kept = folder_ + "-wal";
  std::filesystem::copy(log, kept);
  Close();
  std::filesystem::remove(File());
  std::filesystem::copy(kept, log);
  EXPECT_THAT(OpeningError(), HasSubstr("put the file back"));
  EXPECT_FALSE(std::filesystem::exists(File()));
}

TEST_F(FailuresTest, FileThatWasNotFinishedIsMadeAnew) {
  std::filesystem::create_directories(folder_);
  for (const char* ending : {".new", ".new-journal", ".new-wal", ".new-shm"}) {
    std::ofstream(File() + ending) << "half a page";
  }
  Open();
  EXPECT_EQ(ledger_->Secret().size(), 32U);
  for (const char* ending : {".new", ".new-journal", ".new-wal", ".new-shm"}) {
    EXPECT_FALSE(std::filesystem::exists(File() + ending)) << ending;
  }
}

TEST_F(FailuresTest, FileThatIsNoDatabaseIsDamaged) {
  std::filesystem::create_directories(folder_);
  WriteFile(std::vector<char>(8192, 'x'));
  EXPECT_THAT(OpeningError(), HasSubstr("the ledger is damaged"));
}

TEST_F(FailuresTest, PlaceThatCannotBeAFolderIsAnError) {
  std::ofstream(std::filesystem::path(folder_).parent_path() / "file").close();
  folder_ = (std::filesystem::path(folder_).parent_path() / "file" / "data").string();
  EXPECT_THAT(OpeningError(), HasSubstr("the ledger's folder cannot be used"));
}

// Acts as another user than root, whom modes do not stop.
class AsNobody {
 public:
  AsNobody() {
    if (geteuid() == 0) done_ = seteuid(65534) == 0;
  }
  ~AsNobody() {
    if (done_) done_ = seteuid(0) == 0;
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  bool done_ = false;
};

TEST_F(FailuresTest, ReadOnlyFolderIsAnError) {
  const auto parent = std::filesystem::path(folder_).parent_path();
  ASSERT_EQ(chmod(parent.c_str(), 0755), 0);
  std::filesystem::create_directories(folder_);
  ASSERT_EQ(chmod(folder_.c_str(), 0555), 0);
  {
    const AsNobody nobody;
    EXPECT_THAT(OpeningError(), HasSubstr("the ledger's folder cannot be used"));
  }
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
}

TEST_F(FailuresTest, ReadOnlyFileIsAnError) {
  Fill();
  Close();
  const auto parent = std::filesystem::path(folder_).parent_path();
  ASSERT_EQ(chmod(parent.c_str(), 0755), 0);
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  ASSERT_EQ(chmod((folder_ + "/ledger.lock").c_str(), 0666), 0);
  ASSERT_EQ(chmod(File().c_str(), 0400), 0);
  {
    const AsNobody nobody;
    OpeningError();
  }
  Open();
  EXPECT_EQ(ledger_->Current(table_)->last->state.number, 1);
}

TEST_F(FailuresTest, FullDiskFailsOneCallAndLosesNothing) {
  Fill();
  Close();
  const std::int64_t pages = Ask("PRAGMA page_count");
  auto opened = OpenSqliteLedger(folder_, clock_, ConnectionSettings{.max_page_count = pages + 3});
  ASSERT_TRUE(opened.ok()) << opened.error().ToString();
  ledger_ = std::move(opened).value();
  std::int64_t last = 1;
  std::optional<Error> failure;
  while (!failure.has_value() && last < 1000) {
    std::vector<ChunkRow> chunks;
    for (int i = 0; i < 20; ++i) chunks.push_back(SomeChunk(100 * last + i, 0, i, i + 1));
    const auto recorded = ledger_->RecordState(
        table_, last, StateOf({Append(last + 1, {Range(0, 0, 0, last + 5)}, chunks)}));
    if (recorded.ok()) {
      last = recorded->state.number;
    } else {
      failure = recorded.error();
    }
  }
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->code(), ErrorCode::kLedger);
  EXPECT_THAT(failure->message(), HasSubstr("the disk is full; free some space"));
  EXPECT_EQ(ledger_->Current(table_)->last->state.number, last);
  // With room again, the line goes on where it was.
  Open();
  const auto recorded = ledger_->RecordState(table_, last, NewState{});
  ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  EXPECT_EQ(recorded->state.number, last + 1);
}

// The process may write no file beyond `size` bytes while this lives: writes fail in the middle of
// a commit.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t size) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    FRAZIL_CHECK(getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit limit = before_;
    limit.rlim_cur = size;
    FRAZIL_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~SmallFiles() {
    FRAZIL_CHECK(setrlimit(RLIMIT_FSIZE, &before_) == 0);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(FailuresTest, CommitThatFailsOnTheDiskLosesNothingAndRecordsWholeStates) {
  Open();
  RandomLife life(*ledger_, MakeTable(), 6);
  for (int i = 0; i < 30; ++i) life.Step();
  const std::int64_t table = 1;
  std::int64_t last = life.last_state();
  int failures = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string before = Describe(*ledger_->Current(table));
    const auto log = std::filesystem::file_size(File() + "-wal");
    Result<RecordedState> recorded = Error(ErrorCode::kInternal, "not tried");
    {
      const SmallFiles small(log + static_cast<rlim_t>(i) * 1500);
      recorded = ledger_->RecordState(table, last, StateOf({CutOver(90'000 + i, Grown(i))}));
    }
    if (recorded.ok()) {
      ++last;
      continue;
    }
    ++failures;
    ASSERT_EQ(recorded.error().code(), ErrorCode::kLedger) << recorded.error().ToString();
    ASSERT_EQ(Describe(*ledger_->Current(table)), before);
    if (i % 7 == 0) {
      Open();
      // Whether it happened shows now; it happened wholly or not at all.
      const auto current = ledger_->Current(table);
      ASSERT_TRUE(current.ok()) << current.error().ToString();
      ASSERT_LE(current->last->state.number, last + 1);
      last = current->last->state.number;
    }
  }
  EXPECT_GT(failures, 3);
  const auto recorded = ledger_->RecordState(table, last, StateOf({CutOver(99'999, Grown(99))}));
  EXPECT_TRUE(recorded.ok()) << recorded.error().ToString();
}

// What kill -9 between two calls leaves is what the folder holds then.
TEST_F(FailuresTest, CopyOfTheFolderAfterAnyCallHasAllThatWasReturned) {
  Open();
  const std::int64_t table = MakeTable();
  RandomLife life(*ledger_, table, 8);
  for (int i = 0; i < 25; ++i) {
    clock_.Set(kNewYear + i * 3'600'000);
    life.Step();
    if (i % 5 == 4) {
      ASSERT_TRUE(ledger_->Purge(table, std::chrono::milliseconds(0)).ok());
    }
    const std::string copy = folder_ + "-copy" + std::to_string(i);
    std::filesystem::copy(folder_, copy);
    const auto opened = OpenSqliteLedger(copy, clock_);
    ASSERT_TRUE(opened.ok()) << opened.error().ToString();
    ASSERT_EQ(Describe(*(*opened)->Current(table)), Describe(*ledger_->Current(table)));
    ASSERT_EQ((*opened)->Secret(), ledger_->Secret());
    for (std::int64_t state = 1; state <= life.last_state(); ++state) {
      ASSERT_EQ(Describe((*opened)->FindState(table, state)),
                Describe(ledger_->FindState(table, state)));
    }
    const auto recorded = (*opened)->RecordState(table, life.last_state(), NewState{});
    ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
    ASSERT_NE(recorded->state.nonce, ledger_->BootNonce());
  }
}

// Records states for ever and writes each number to `out` after the call has come back.
[[noreturn]] void RecordUntilKilled(const std::string& folder, std::int64_t table, int out) {
  const SystemClock clock;
  const auto ledger = OpenSqliteLedger(folder, clock);
  if (!ledger.ok()) _exit(3);
  const auto current = (*ledger)->Current(table);
  if (!current.ok()) _exit(6);
  std::int64_t last = current->last ? current->last->state.number : 0;
  for (;;) {
    const auto recorded =
        (*ledger)->RecordState(table, last,
                               StateOf({Append(last + 1, {Range(0, 0, 0, last + 1)},
                                               {SomeChunk(last + 1, 0, last, last + 1)})}));
    if (!recorded.ok()) _exit(4);
    last = recorded->state.number;
    if (write(out, &last, sizeof(last)) != sizeof(last)) _exit(5);
  }
}

TEST_F(FailuresTest, WhatACallReturnedSurvivesKill9) {
  Open();
  table_ = MakeTable();
  Close();
  std::int64_t seen = 0;
  for (int round = 0; round < 5; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(ends[0]);
      RecordUntilKilled(folder_, table_, ends[1]);
    }
    close(ends[1]);
    const std::int64_t enough = seen + 60 + 17 * round;
    std::int64_t number = 0;
    while (number < enough && read(ends[0], &number, sizeof(number)) == sizeof(number)) {
    }
    ASSERT_EQ(kill(child, SIGKILL), 0);
    // What was still in the pipe was returned as well.
    while (read(ends[0], &number, sizeof(number)) == sizeof(number)) {
    }
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);
    ASSERT_GE(number, enough);

    Open();
    const auto current = ledger_->Current(table_);
    ASSERT_TRUE(current.ok()) << current.error().ToString();
    seen = current->last->state.number;
    ASSERT_GE(seen, number);
    ASSERT_EQ(current->last->listed.size(), static_cast<std::size_t>(seen));
    ASSERT_EQ(current->chunks.size(), static_cast<std::size_t>(seen)) << "half a cut";
    ASSERT_EQ(current->manifests.size(), static_cast<std::size_t>(seen)) << "half a cut";
    Close();
  }
}

}  // namespace
}  // namespace frazil::ledger
