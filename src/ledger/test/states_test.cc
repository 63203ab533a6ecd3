// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/cut_tables.h"
#include "ledger/test/ledger_fixture.h"

namespace frazil::ledger {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class StatesTest : public LedgerTest {
 protected:
  void SetUp() override {
    Open();
    table_ = MakeTable();
  }
  Result<RecordedState> Record(std::int64_t expected, const NewState& state) {
    return ledger_->RecordState(table_, expected, state);
  }
  // Records a state that must be taken; its stamp.
  std::int64_t Stamp(std::int64_t expected, const NewState& state) {
    const auto recorded = Record(expected, state);
    EXPECT_TRUE(recorded.ok()) << recorded.error().ToString();
    return recorded.ok() ? recorded->state.stamp.value() : -1;
  }

  std::int64_t table_ = 0;
};

TEST_F(StatesTest, NewTableHasNoHistory) {
  const auto history = ledger_->History(table_);
  ASSERT_TRUE(history.ok());
  EXPECT_THAT(history->cuts, IsEmpty());
  EXPECT_THAT(history->states, IsEmpty());
  EXPECT_THAT(ledger_->History(999)->states, IsEmpty());
}

TEST_F(StatesTest, HistoryGivesBackWhatWasRecorded) {
  NewState first = StateOver(0x7123456789abcdef, {Range(0, 0, 5, 10), Range(0, 3, 0, 0)});
  first.schema_version = SchemaVersion(2);
  first.cut->chunks = {SomeChunk(0, 7, 10), SomeChunk(0, 5, 7)};
  const auto one = Record(0, first);
  ASSERT_TRUE(one.ok()) << one.error().ToString();
  NewState same_cut;
  same_cut.schema_version = SchemaVersion(3);
  same_cut.writer_version = 5;
  const auto two = Record(1, same_cut);
  ASSERT_TRUE(two.ok());
  EXPECT_FALSE(two->cut.has_value());
  NewState third = StateOver(-2, {Range(0, 0, 6, 11), Range(0, 3, 0, 0), Range(1, 0, 0, 4)});
  third.cut->operation = iceberg::Operation::kReplace;
  const auto three = Record(2, third);
  ASSERT_TRUE(three.ok()) << three.error().ToString();
  const std::string nonce = ledger_->BootNonce();

  Open();
  const auto history = ledger_->History(table_);
  ASSERT_TRUE(history.ok()) << history.error().ToString();
  ASSERT_EQ(history->cuts.size(), 2U);
  const CutRow& cut = history->cuts[0];
  EXPECT_EQ(cut.number, CutNumber(1));
  EXPECT_EQ(cut.stamp, UnixMillis(1));
  EXPECT_EQ(cut.schema_version, SchemaVersion(2));
  EXPECT_EQ(cut.nonce, nonce);
  EXPECT_EQ(cut.writer_version, 4);
  EXPECT_EQ(cut.cut.snapshot_id, SnapshotId(0x7123456789abcdef));
  EXPECT_EQ(cut.cut.operation, iceberg::Operation::kAppend);
  EXPECT_EQ(cut.cut.partitions, first.cut->partitions);
  EXPECT_EQ(cut.cut.chunks, first.cut->chunks);
  EXPECT_EQ(history->cuts[1].number, CutNumber(2));
  EXPECT_EQ(history->cuts[1].cut.snapshot_id, SnapshotId(-2));
  EXPECT_EQ(history->cuts[1].cut.operation, iceberg::Operation::kReplace);
  EXPECT_EQ(history->cuts[1].cut.partitions, third.cut->partitions);
  EXPECT_THAT(history->cuts[1].cut.chunks, IsEmpty());

  ASSERT_EQ(history->states.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(history->states[i].number, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(history->states[i].nonce, nonce);
  }
  EXPECT_EQ(history->states[0].cut, CutNumber(1));
  EXPECT_EQ(history->states[1].cut, CutNumber(1));
  EXPECT_EQ(history->states[1].schema_version, SchemaVersion(3));
  EXPECT_EQ(history->states[1].writer_version, 5);
  EXPECT_EQ(history->states[2].cut, CutNumber(2));
  EXPECT_EQ(history->states[2].stamp, history->cuts[1].stamp);
}

TEST_F(StatesTest, StateOnAnEmptyTableHasNoCut) {
  const auto recorded = Record(0, NewState{});
  ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  EXPECT_EQ(recorded->state.cut, CutNumber(0));
  const auto history = ledger_->History(table_);
  ASSERT_EQ(history->states.size(), 1U);
  EXPECT_EQ(history->states[0].cut, CutNumber(0));
}

TEST_F(StatesTest, OnlyTheLastStateMayBeBuiltOn) {
  for (const std::int64_t wrong : {1, -1, 7}) {
    const auto recorded = Record(wrong, NewState{});
    ASSERT_FALSE(recorded.ok());
    EXPECT_EQ(recorded.error().code(), ErrorCode::kConflict);
  }
  ASSERT_TRUE(Record(0, NewState{}).ok());
  const auto again = Record(0, StateOver(1, {Range(0, 0, 0, 1)}));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code(), ErrorCode::kConflict);
  EXPECT_THAT(ledger_->History(table_)->cuts, IsEmpty());
}

TEST_F(StatesTest, TablesHaveLinesOfTheirOwn) {
  const std::int64_t other = MakeTable("payments");
  ASSERT_TRUE(Record(0, StateOver(1, {Range(0, 0, 0, 1)})).ok());
  const auto recorded = ledger_->RecordState(other, 0, StateOver(1, {Range(0, 0, 0, 9)}));
  ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  EXPECT_EQ(recorded->state.number, 1);
  EXPECT_EQ(recorded->cut->number, CutNumber(1));
  EXPECT_EQ(ledger_->History(table_)->cuts.at(0).cut.partitions.at(0).end, Offset(1));
  const auto nowhere = ledger_->RecordState(999, 0, NewState{});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(StatesTest, FirstSnapshotIsStampedAtTheBeginningOf1970) {
  EXPECT_EQ(Stamp(0, StateOver(1, {Range(0, 0, 0, 1)})), 1);
  EXPECT_EQ(Stamp(1, StateOver(2, {Range(0, 0, 0, 2)})), kNewYear - 2000);
}

TEST_F(StatesTest, FirstSnapshotIsStampedThereAlsoAfterEmptyStates) {
  EXPECT_EQ(Stamp(0, NewState{}), 1);
  EXPECT_EQ(Stamp(1, NewState{}), 2);
  EXPECT_EQ(Stamp(2, StateOver(1, {Range(0, 0, 0, 1)})), 3);
  EXPECT_EQ(Stamp(3, NewState{}), kNewYear - 2000);
}

TEST_F(StatesTest, StampsAreBackdatedByWhatTheCallerSays) {
  Stamp(0, StateOver(1, {Range(0, 0, 0, 1)}));
  NewState state = StateOver(2, {Range(0, 0, 0, 2)});
  state.backdate = std::chrono::milliseconds(0);
  EXPECT_EQ(Stamp(1, state), kNewYear);
  state = StateOver(3, {Range(0, 0, 0, 3)});
  state.backdate = std::chrono::hours(1);
  EXPECT_EQ(Stamp(2, state), kNewYear + 1) << "further back than the last stamp";
}

TEST_F(StatesTest, StampsRiseWhateverTheClockDoes) {
  Stamp(0, StateOver(1, {Range(0, 0, 0, 1)}));
  constexpr std::int64_t kTenMinutes = 600'000;
  std::int64_t last = Stamp(1, NewState{});
  std::int64_t expected = 2;
  const auto next = [&](std::int64_t now) {
    clock_.Set(now);
    const std::int64_t stamp = Stamp(expected++, NewState{});
    EXPECT_GT(stamp, last);
    last = stamp;
    return stamp;
  };
  EXPECT_EQ(next(kNewYear - kTenMinutes), kNewYear - 2000 + 1);
  EXPECT_EQ(next(kNewYear - kTenMinutes), kNewYear - 2000 + 2);
  EXPECT_EQ(next(kNewYear + kTenMinutes), kNewYear + kTenMinutes - 2000);
  EXPECT_EQ(next(kNewYear + kTenMinutes), kNewYear + kTenMinutes - 2000 + 1);
  EXPECT_EQ(next(kNewYear), kNewYear + kTenMinutes - 2000 + 2);
  EXPECT_EQ(next(0), kNewYear + kTenMinutes - 2000 + 3);
  Open();
  EXPECT_EQ(next(0), kNewYear + kTenMinutes - 2000 + 4) << "the last stamp is kept in the file";
}

TEST_F(StatesTest, SnapshotIdIsUsedOnceInATable) {
  ASSERT_TRUE(Record(0, StateOver(1, {Range(0, 0, 0, 1)})).ok());
  const auto again = Record(1, StateOver(1, {Range(0, 0, 0, 2)}));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ledger_->History(table_)->states.size(), 1U);
}

TEST_F(StatesTest, CutThatFallsIsRefusedAndChangesNothing) {
  ASSERT_TRUE(Record(0, StateOver(1, {Range(0, 0, 2, 10), Range(0, 1, 0, 5)})).ok());
  const auto refused = Record(1, StateOver(2, {Range(0, 0, 2, 9), Range(0, 1, 0, 5)}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message(), HasSubstr("generation 0, partition 0"));
  EXPECT_EQ(ledger_->History(table_)->cuts.size(), 1U);
  EXPECT_TRUE(Record(1, StateOver(2, {Range(0, 0, 2, 10), Range(0, 1, 0, 5)})).ok());
}

struct VectorCase {
  const char* name;
  std::vector<CutPartition> after;
  bool taken;
};

TEST(CheckVectorTest, RangesOnlyRiseAndStay) {
  const std::vector<CutPartition> before = {Range(0, 0, 2, 10), Range(0, 5, 0, 0),
                                            Range(1, 0, 3, 3)};
  const VectorCase cases[] = {
      {"the same", before, true},
      {"ends rise", {Range(0, 0, 2, 11), Range(0, 5, 0, 1), Range(1, 0, 3, 4)}, true},
      {"starts rise", {Range(0, 0, 10, 10), Range(0, 5, 0, 0), Range(1, 0, 3, 3)}, true},
      {"a start rises over the old end",
       {Range(0, 0, 12, 12), Range(0, 5, 0, 0), Range(1, 0, 3, 3)},
       true},
      {"others join",
       {Range(0, 0, 2, 10), Range(0, 1, 7, 9), Range(0, 5, 0, 0), Range(1, 0, 3, 3),
        Range(2, 0, 0, 0)},
       true},
      {"an end falls", {Range(0, 0, 2, 9), Range(0, 5, 0, 0), Range(1, 0, 3, 3)}, false},
      {"a start falls", {Range(0, 0, 1, 10), Range(0, 5, 0, 0), Range(1, 0, 3, 3)}, false},
      {"the first is left out", {Range(0, 5, 0, 0), Range(1, 0, 3, 3)}, false},
      {"the middle is left out", {Range(0, 0, 2, 10), Range(1, 0, 3, 3)}, false},
      {"the last is left out", {Range(0, 0, 2, 10), Range(0, 5, 0, 0)}, false},
      {"all are left out", {}, false},
      {"one moves to the next generation",
       {Range(0, 0, 2, 10), Range(1, 0, 3, 3), Range(1, 5, 0, 0)},
       false},
      {"descending", {Range(0, 5, 0, 0), Range(0, 0, 2, 10), Range(1, 0, 3, 3)}, false},
      {"one twice",
       {Range(0, 0, 2, 10), Range(0, 0, 2, 10), Range(0, 5, 0, 0), Range(1, 0, 3, 3)},
       false},
      {"a range ends before it starts",
       {Range(0, 0, 12, 11), Range(0, 5, 0, 0), Range(1, 0, 3, 3)},
       false},
      {"a negative offset",
       {Range(0, 0, 2, 10), Range(0, 5, 0, 0), Range(1, 0, 3, 3), Range(1, 1, -1, 3)},
       false},
  };
  for (const VectorCase& test_case : cases) {
    const Status status = CheckVector(before, test_case.after);
    EXPECT_EQ(status.ok(), test_case.taken) << test_case.name;
    if (!status.ok()) {
      EXPECT_EQ(status.error().code(), ErrorCode::kInvalidArgument);
    }
  }
}

TEST_F(StatesTest, ExactlyOneOfManyRacingThreadsWinsEachNumber) {
  constexpr int kThreads = 8;
  constexpr std::int64_t kStates = 25;
  std::vector<std::vector<RecordedState>> won(kThreads);
  std::atomic<int> others{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::int64_t expected = 0; expected < kStates; ++expected) {
        // The clock jumps while the others race.
        clock_.Set(kNewYear + ((expected + t) % 3 - 1) * 600'000);
        const auto recorded = Record(
            expected, StateOver(expected * kThreads + t + 1, {Range(0, 0, 0, expected + 1)}));
        if (recorded.ok()) {
          won[static_cast<std::size_t>(t)].push_back(*recorded);
        } else if (recorded.error().code() != ErrorCode::kConflict) {
          ++others;
        }
        // Lets every thread meet the others on each number.
        while (ledger_->History(table_)->states.size() <= static_cast<std::size_t>(expected)) {
          std::this_thread::yield();
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(others, 0);
  std::vector<int> winners(kStates + 1, 0);
  for (const auto& thread : won) {
    for (const auto& recorded : thread) {
      ASSERT_LE(recorded.state.number, kStates);
      ++winners[static_cast<std::size_t>(recorded.state.number)];
    }
  }
  for (std::size_t number = 1; number <= kStates; ++number) EXPECT_EQ(winners[number], 1);
  const auto history = ledger_->History(table_);
  ASSERT_EQ(history->states.size(), static_cast<std::size_t>(kStates));
  ASSERT_EQ(history->cuts.size(), static_cast<std::size_t>(kStates));
  for (std::size_t i = 1; i < history->states.size(); ++i) {
    EXPECT_GT(history->states[i].stamp, history->states[i - 1].stamp);
    EXPECT_EQ(history->states[i].stamp, history->cuts[i].stamp);
  }
}

TEST_F(StatesTest, TwentyThousandCutsAreReadAtOnce) {
  constexpr std::int64_t kCuts = 20'000;
  Close();
  // What RecordState would write, in one go.
  Execute(
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
      "INSERT INTO cuts (table_key, number, stamp, schema_version, nonce, writer_version, "
      "snapshot_id, operation) SELECT " +
      std::to_string(table_) +
      ", i, i, 0, '00c0ffee', 1, i, 'append' FROM n;"
      "INSERT INTO cut_partitions SELECT table_key, number, 0, p.value, 1, 0, number "
      "FROM cuts, json_each('[0, 1, 2]') AS p;"
      "INSERT INTO chunks (table_key, cut, position, generation, partition, start_offset, "
      "end_offset, schema_version, encoder_version, content_hash, path, record_count, file_size, "
      "columns) SELECT table_key, number, 0, 0, 0, number - 1, number, 0, 1, zeroblob(32), "
      "'s3://bucket/' || number, 1, 400, '[]' FROM cuts;"
      "INSERT INTO states SELECT table_key, number, number, number, 0, '00c0ffee', 1 FROM cuts;");
  Open();
  const auto history = ledger_->History(table_);
  ASSERT_TRUE(history.ok()) << history.error().ToString();
  ASSERT_EQ(history->cuts.size(), static_cast<std::size_t>(kCuts));
  ASSERT_EQ(history->states.size(), static_cast<std::size_t>(kCuts));
  for (std::int64_t i = 0; i < kCuts; ++i) {
    const CutRow& cut = history->cuts[static_cast<std::size_t>(i)];
    ASSERT_EQ(cut.number, CutNumber(i + 1));
    ASSERT_EQ(cut.cut.partitions.size(), 3U);
    ASSERT_EQ(cut.cut.chunks.size(), 1U);
    ASSERT_EQ(cut.cut.chunks[0].end, Offset(i + 1));
  }
  EXPECT_EQ(Stamp(kCuts, StateOver(-1, {Range(0, 0, 0, kCuts), Range(0, 1, 0, kCuts),
                                        Range(0, 2, 0, kCuts)})),
            kNewYear - 2000);
}

}  // namespace
}  // namespace frazil::ledger
