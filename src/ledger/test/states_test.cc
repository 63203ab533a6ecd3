// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/cut_check.h"
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
  for (const std::int64_t table : {table_, std::int64_t{999}}) {
    const auto current = ledger_->Current(table);
    ASSERT_TRUE(current.ok());
    EXPECT_FALSE(current->last.has_value());
    EXPECT_EQ(current->last_chunk, ChunkId(0));
    EXPECT_EQ(Describe(ledger_->FindState(table, 0)), "none");
    EXPECT_EQ(Describe(ledger_->FindState(table, 1)), "none");
    EXPECT_EQ(Describe(ledger_->FindCut(table, CutNumber(1))), "none");
    EXPECT_EQ(Describe(ledger_->FindManifest(table, CutNumber(1))), "none");
    EXPECT_EQ(Describe(ledger_->FindChunk(table, "s3://frazil/nothing")), "none");
    EXPECT_THAT(*ledger_->LostRanges(table), IsEmpty());
    EXPECT_EQ(*ledger_->Purge(table, std::chrono::milliseconds(0)), 0);
  }
}

TEST_F(StatesTest, WhatWasRecordedIsFoundAfterReopening) {
  const auto first = SomeChunk(5, 0, 7, 10);
  const auto second = SomeChunk(3, 0, 5, 7);
  NewState append = StateOf(
      {Append(0x7123456789abcdef, {Range(0, 0, 5, 10), Range(0, 3, 0, 0)}, {first, second})});
  append.schema_version = SchemaVersion(2);
  const auto one = Record(0, append);
  ASSERT_TRUE(one.ok()) << one.error().ToString();
  NewState same_cut;
  same_cut.schema_version = SchemaVersion(3);
  same_cut.writer_version = 5;
  ASSERT_TRUE(Record(1, same_cut).ok());
  NewState replace = StateOf({Replace(-2, {Range(0, 0, 6, 11), Range(0, 3, 0, 0)}, {CutNumber(1)},
                                      {second}, {first}, {SomeChunk(6, 0, 10, 11)})});
  const auto three = Record(2, replace);
  ASSERT_TRUE(three.ok()) << three.error().ToString();
  const std::string nonce = ledger_->BootNonce();

  Open();
  const auto cut = ledger_->FindCut(table_, CutNumber(2));
  ASSERT_TRUE(cut.ok() && cut->has_value()) << Describe(cut);
  const CutRow& row = (*cut)->cut;
  EXPECT_EQ(row.number, CutNumber(2));
  EXPECT_EQ(row.stamp, three->state.stamp);
  EXPECT_EQ(row.schema_version, SchemaVersion(0));
  EXPECT_EQ(row.nonce, nonce);
  EXPECT_EQ(row.writer_version, 4);
  EXPECT_EQ(row.snapshot_id, SnapshotId(-2));
  EXPECT_EQ(row.parent_snapshot_id, SnapshotId(0x7123456789abcdef));
  EXPECT_EQ(row.operation, iceberg::Operation::kReplace);
  EXPECT_EQ(row.partitions, replace.cuts[0].partitions);
  EXPECT_EQ(row.added, (FileTotals{.files = 1, .records = 1, .bytes = 1011}));
  EXPECT_EQ(row.removed, (FileTotals{.files = 1, .records = 2, .bytes = 1007}));
  EXPECT_EQ(row.total, (FileTotals{.files = 2, .records = 4, .bytes = 2021}));
  ASSERT_EQ((*cut)->manifests.size(), 1U);
  EXPECT_EQ((*cut)->manifests[0].cut, CutNumber(2));
  EXPECT_EQ((*ledger_->FindCut(table_, CutNumber(1)))->manifests.at(0).cut, CutNumber(1));

  const auto manifest = ledger_->FindManifest(table_, CutNumber(2));
  ASSERT_TRUE(manifest.ok() && manifest->has_value()) << Describe(manifest);
  EXPECT_EQ((*manifest)->manifest.snapshot_id, SnapshotId(-2));
  EXPECT_EQ((*manifest)->manifest.length, replace.cuts[0].manifest->length);
  EXPECT_EQ((*manifest)->manifest.content_hash, replace.cuts[0].manifest->content_hash);
  EXPECT_EQ((*manifest)->manifest.entries, replace.cuts[0].manifest->entries);
  ASSERT_EQ((*manifest)->chunks.size(), 3U);
  EXPECT_EQ((*manifest)->chunks[0].id, ChunkId(6));
  EXPECT_EQ((*manifest)->chunks[1].file, first.file);
  EXPECT_EQ((*manifest)->chunks[1].added_cut, CutNumber(1));
  EXPECT_EQ((*manifest)->chunks[1].added_snapshot, SnapshotId(0x7123456789abcdef));
  EXPECT_EQ((*manifest)->chunks[2].id, ChunkId(3));

  const auto chunk = ledger_->FindChunk(table_, second.file.path);
  ASSERT_TRUE(chunk.ok() && chunk->has_value());
  ChunkRow expected = second;
  expected.added_cut = CutNumber(1);
  expected.added_snapshot = SnapshotId(0x7123456789abcdef);
  expected.added_stamp = UnixMillis(1);
  EXPECT_EQ(**chunk, expected);

  const auto state = ledger_->FindState(table_, 2);
  ASSERT_TRUE(state.ok() && state->has_value()) << Describe(state);
  EXPECT_EQ((*state)->state.schema_version, SchemaVersion(3));
  EXPECT_EQ((*state)->state.writer_version, 5);
  EXPECT_EQ((*state)->listed.size(), 1U);
  EXPECT_EQ((*state)->previous.size(), 1U);

  const auto current = ledger_->Current(table_);
  ASSERT_TRUE(current.ok()) << current.error().ToString();
  EXPECT_EQ(current->last->state.number, 3);
  EXPECT_EQ(current->last->listed.size(), 2U);
  EXPECT_EQ(current->last->listed.back().partitions, row.partitions);
  ASSERT_EQ(current->chunks.size(), 2U);
  EXPECT_EQ(current->chunks[0].id, ChunkId(5));
  EXPECT_EQ(current->chunks[1].id, ChunkId(6));
  ASSERT_EQ(current->manifests.size(), 1U);
  EXPECT_EQ(current->manifests[0].entries, replace.cuts[0].manifest->entries);
  ASSERT_EQ(current->former_chunks.size(), 1U);
  EXPECT_EQ(current->former_chunks[0].id, ChunkId(3));
  EXPECT_EQ(current->last_chunk, ChunkId(6));
}

TEST_F(StatesTest, SeveralCutsOfAStateFollowOneAnother) {
  const auto chunk = SomeChunk(1, 0, 0, 5);
  const auto recorded =
      Record(0, StateOf({Append(1, {Range(0, 0, 0, 5)}, {chunk}),
                         Replace(2, {Range(0, 0, 5, 5)}, {CutNumber(1)}, {chunk}, {}, {})}));
  ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  ASSERT_EQ(recorded->cuts.size(), 2U);
  EXPECT_EQ(recorded->cuts[0].stamp, UnixMillis(1));
  EXPECT_EQ(recorded->cuts[1].stamp, UnixMillis(kNewYear - 2000));
  EXPECT_EQ(recorded->cuts[1].parent_snapshot_id, SnapshotId(1));
  EXPECT_EQ(recorded->state.stamp, recorded->cuts[1].stamp);
  EXPECT_EQ(recorded->state.cut, CutNumber(2));
  EXPECT_EQ((*ledger_->FindState(table_, 1))->listed.size(), 2U);
  const auto current = ledger_->Current(table_);
  EXPECT_THAT(current->chunks, IsEmpty());
  EXPECT_EQ(current->former_chunks.size(), 1U);
}

TEST_F(StatesTest, StateOnAnEmptyTableHasNoCut) {
  const auto recorded = Record(0, NewState{});
  ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  EXPECT_EQ(recorded->state.cut, CutNumber(0));
  const auto state = ledger_->FindState(table_, 1);
  ASSERT_TRUE(state.ok() && state->has_value());
  EXPECT_EQ((*state)->state.cut, CutNumber(0));
  EXPECT_THAT((*state)->listed, IsEmpty());
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
  EXPECT_EQ(Describe(ledger_->FindCut(table_, CutNumber(1))), "none");
}

TEST_F(StatesTest, TablesHaveLinesOfTheirOwn) {
  const std::int64_t other = MakeTable("payments");
  ASSERT_TRUE(Record(0, StateOver(1, {Range(0, 0, 0, 1)})).ok());
  const auto recorded = ledger_->RecordState(other, 0, StateOver(1, {Range(0, 0, 0, 9)}));
  ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  EXPECT_EQ(recorded->state.number, 1);
  EXPECT_EQ(recorded->cuts.at(0).number, CutNumber(1));
  EXPECT_EQ((*ledger_->FindCut(table_, CutNumber(1)))->cut.partitions.at(0).end, Offset(1));
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
  EXPECT_EQ(ledger_->Current(table_)->last->state.number, 1);
}

TEST_F(StatesTest, CutThatFallsIsRefusedAndChangesNothing) {
  ASSERT_TRUE(Record(0, StateOver(1, {Range(0, 0, 2, 10), Range(0, 1, 0, 5)})).ok());
  const auto refused = Record(1, StateOver(2, {Range(0, 0, 2, 9), Range(0, 1, 0, 5)}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message(), HasSubstr("generation 0, partition 0"));
  EXPECT_EQ(ledger_->Current(table_)->last->state.cut, CutNumber(1));
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
        while (Describe(ledger_->FindState(table_, expected + 1)) == "none") {
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
  const auto last = ledger_->Current(table_)->last;
  ASSERT_EQ(last->state.number, kStates);
  ASSERT_EQ(last->listed.size(), static_cast<std::size_t>(kStates));
  ASSERT_EQ(last->previous.size(), static_cast<std::size_t>(kStates) - 1);
  for (std::size_t i = 1; i < last->previous.size(); ++i) {
    EXPECT_GT(last->previous[i].stamp, last->previous[i - 1].stamp);
    EXPECT_EQ(last->previous[i].stamp, last->listed[i].stamp);
  }
}

}  // namespace
}  // namespace frazil::ledger
