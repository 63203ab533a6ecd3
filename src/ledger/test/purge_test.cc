// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/history_purge.h"
#include "ledger/test/ledger_fixture.h"

namespace frazil::ledger {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

class PurgeTest : public LedgerTest {
 protected:
  void SetUp() override {
    Open();
    table_ = MakeTable();
  }
  // Until nothing is left; how many rows went.
  std::int64_t PurgeAll(milliseconds retention) {
    std::int64_t all = 0;
    for (;;) {
      const auto went = ledger_->Purge(table_, retention);
      EXPECT_TRUE(went.ok()) << went.error().ToString();
      if (!went.ok() || *went == 0) return all;
      all += *went;
    }
  }
  std::int64_t table_ = 0;
};

// What a state led to when it was shown, and when that was.
struct Shown {
  std::int64_t from = 0;
  std::string state;
  std::vector<CutNumber> cuts;
};

// What each cut, manifest and chunk was when it was recorded.
struct Known {
  std::string text;
  // Manifests of a cut, chunks of a manifest.
  std::vector<std::int64_t> names;
};

class HistoryTest : public PurgeTest {
 protected:
  void Remember(RandomLife& life) {
    const std::int64_t number = life.last_state();
    const auto view = ledger_->FindState(table_, number);
    ASSERT_TRUE(view.ok() && view->has_value()) << Describe(view);
    Shown& shown = shown_[number];
    shown.from = clock_.Now().value();
    shown.state = Describe(view);
    for (const CutRow& cut : (*view)->listed) {
      shown.cuts.push_back(cut.number);
      if (!cuts_.contains(cut.number.value())) RememberCut(cut.number);
    }
  }
  void RememberCut(CutNumber number) {
    const auto cut = ledger_->FindCut(table_, number);
    ASSERT_TRUE(cut.ok() && cut->has_value()) << Describe(cut);
    Known& known = cuts_[number.value()];
    known.text = Describe(cut);
    for (const ManifestRow& row : (*cut)->manifests) {
      known.names.push_back(row.cut.value());
      if (manifests_.contains(row.cut.value())) continue;
      const auto manifest = ledger_->FindManifest(table_, row.cut);
      ASSERT_TRUE(manifest.ok() && manifest->has_value()) << Describe(manifest);
      Known& entry = manifests_[row.cut.value()];
      entry.text = Describe(manifest);
      for (const ChunkRow& chunk : (*manifest)->chunks) {
        entry.names.push_back(chunk.id.value());
        chunks_[chunk.id.value()] = {.text = Describe(chunk), .names = {}};
        paths_[chunk.id.value()] = chunk.file.path;
      }
    }
  }

  // Everything that states from `first` on lead to is as it was; everything else is gone.
  void ExpectExactlyFrom(std::int64_t first) {
    std::set<std::int64_t> cuts;
    std::set<std::int64_t> manifests;
    std::set<std::int64_t> chunks;
    for (const auto& [number, shown] : shown_) {
      const bool kept = number >= first;
      ASSERT_EQ(Describe(ledger_->FindState(table_, number)), kept ? shown.state : "none")
          << number << " of those from " << first;
      if (!kept) continue;
      for (const CutNumber cut : shown.cuts) cuts.insert(cut.value());
    }
    for (const auto& [number, known] : cuts_) {
      const bool kept = cuts.contains(number);
      ASSERT_EQ(Describe(ledger_->FindCut(table_, CutNumber(number))), kept ? known.text : "none");
      if (kept) manifests.insert(known.names.begin(), known.names.end());
    }
    for (const auto& [number, known] : manifests_) {
      const bool kept = manifests.contains(number);
      ASSERT_EQ(Describe(ledger_->FindManifest(table_, CutNumber(number))),
                kept ? known.text : "none");
      if (kept) chunks.insert(known.names.begin(), known.names.end());
    }
    for (const auto& [id, known] : chunks_) {
      ASSERT_EQ(Describe(ledger_->FindChunk(table_, paths_[id])),
                chunks.contains(id) ? known.text : "none")
          << id;
    }
  }

  std::map<std::int64_t, Shown> shown_;
  std::map<std::int64_t, Known> cuts_;
  std::map<std::int64_t, Known> manifests_;
  std::map<std::int64_t, Known> chunks_;
  std::map<std::int64_t, std::string> paths_;
};

// R12
TEST_F(HistoryTest, WhatWasShownWithinTheRetentionStaysAndAllElseGoes) {
  constexpr std::int64_t kStates = 1000;
  constexpr std::int64_t kBeat = 150'000;
  constexpr milliseconds kRetention = hours(24);
  RandomLife life(*ledger_, table_, 11);
  std::int64_t went = 0;
  for (std::int64_t i = 1; i <= kStates; ++i) {
    clock_.Set(kNewYear + i * kBeat);
    life.Step();
    Remember(life);
    if (HasFatalFailure()) return;
    if (i % 100 == 0) went += PurgeAll(kRetention);
    if (i % 701 == 0) {
      Open();
      life.UseLedger(*ledger_);
    }
  }
  PurgeAll(kRetention);
  EXPECT_GT(went, 500);
  // State n was handed out until n + 1 came, a beat later.
  const std::int64_t handed_out = kStates - milliseconds(kRetention + minutes(5)).count() / kBeat;
  ExpectExactlyFrom(handed_out - 100);
  EXPECT_EQ(ledger_->Current(table_)->last->state.number, kStates);
  Close();
  // Of states only two hundred rows more; of garbage nothing.
  EXPECT_EQ(Ask("SELECT min(number) FROM states"), handed_out - 200);
  EXPECT_EQ(Ask("SELECT count(*) FROM removed_manifests"), 0);
  EXPECT_EQ(Ask("SELECT count(*) FROM manifest_entries e WHERE NOT EXISTS (SELECT 1 FROM "
                "manifests m WHERE m.table_key = e.table_key AND m.cut = e.cut)"),
            0);
  EXPECT_EQ(Ask("SELECT count(*) FROM cut_partitions") - Ask("SELECT count(*) FROM cuts"), 0);
}

TEST_F(HistoryTest, LastStateStaysHoweverOldItIs) {
  RandomLife life(*ledger_, table_, 5);
  for (int i = 0; i < 350; ++i) {
    clock_.Set(kNewYear + i);
    life.Step();
    Remember(life);
    if (HasFatalFailure()) return;
  }
  clock_.Set(kNewYear + milliseconds(hours(1'000)).count());
  PurgeAll(milliseconds(0));
  ExpectExactlyFrom(life.last_state() - 100);
  life.Step();
  if (HasFatalFailure()) return;
  Remember(life);
  PurgeAll(milliseconds(0));
  ExpectExactlyFrom(life.last_state() - 1 - 100);
}

TEST_F(PurgeTest, StatesOfATableWithoutCutsGoByTheClockAndNotByTheirStamps) {
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(ledger_->RecordState(table_, i, NewState{}).ok());
  EXPECT_EQ(PurgeAll(hours(24)), 0);
  EXPECT_NE(Describe(ledger_->FindState(table_, 1)), "none");
  clock_.Set(kNewYear + milliseconds(hours(24) + minutes(6)).count());
  EXPECT_GT(PurgeAll(hours(24)), 0);
  EXPECT_EQ(Describe(ledger_->FindState(table_, 1)), "none");
  EXPECT_NE(Describe(ledger_->FindState(table_, 300)), "none");
}

TEST_F(PurgeTest, ClockThatFallsKeepsWhatWasShownBefore) {
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(ledger_->RecordState(table_, i, NewState{}).ok());
  clock_.Set(0);
  for (int i = 300; i < 600; ++i) ASSERT_TRUE(ledger_->RecordState(table_, i, NewState{}).ok());
  clock_.Set(kNewYear + milliseconds(hours(1)).count());
  EXPECT_EQ(PurgeAll(hours(24)), 0);
}

TEST_F(PurgeTest, OneCallRemovesSomeHundredRowsAndTheFileStopsGrowing) {
  constexpr int kChunks = 3000;
  std::int64_t state = 0;
  std::int64_t id = 0;
  std::vector<ChunkRow> live;
  const auto round = [&] {
    std::vector<ChunkRow> chunks;
    for (int i = 0; i < kChunks; ++i) chunks.push_back(SomeChunk(++id, 0, i, i + 1));
    const NewState next = StateOf({live.empty() ? Append(state + 1, {Range(0, 0, 0, 1)}, chunks)
                                                : Replace(state + 1, {Range(0, 0, 0, 1)},
                                                          {CutNumber(state)}, live, {}, chunks)});
    const auto recorded = ledger_->RecordState(table_, state, next);
    ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
    ++state;
    live = chunks;
  };
  for (int i = 0; i < 2; ++i) round();
  // All of it leaves the list at once.
  for (int i = 0; i < 8; ++i) {
    NewState unlist = StateOf({CutOver(1'000'000 + i, {Range(0, 0, 0, 1)})});
    if (i == 0) unlist.unlisted = {CutNumber(1)};
    ASSERT_TRUE(ledger_->RecordState(table_, state, unlist).ok());
    ++state;
  }
  clock_.Set(kNewYear + milliseconds(hours(48)).count());
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(ledger_->RecordState(table_, state++, NewState{}).ok());
  clock_.Set(kNewYear + milliseconds(hours(96)).count());
  std::int64_t calls = 0;
  for (;;) {
    const auto went = ledger_->Purge(table_, hours(24));
    ASSERT_TRUE(went.ok()) << went.error().ToString();
    if (*went == 0) break;
    ++calls;
    EXPECT_LE(*went, 2 * kPurgedRows + 10);
  }
  EXPECT_GE(calls, 2 * kChunks / (2 * kPurgedRows));
  // The first manifest is gone; its chunks stay as long as the second one names them as DELETED.
  EXPECT_EQ(Describe(ledger_->FindManifest(table_, CutNumber(1))), "none");
  EXPECT_NE(Describe(ledger_->FindManifest(table_, CutNumber(2))), "none");
}

TEST_F(PurgeTest, RoomOfWhatWentIsUsedAgain) {
  RandomLife life(*ledger_, table_, 2);
  std::int64_t now = kNewYear;
  const auto live_a_day = [&] {
    for (int i = 0; i < 150; ++i) {
      clock_.Set(now += 600'000);
      life.Step();
      if (i % 20 == 0) PurgeAll(hours(24));
    }
  };
  for (int i = 0; i < 3; ++i) live_a_day();
  Close();
  const auto size = std::filesystem::file_size(File());
  Open();
  life.UseLedger(*ledger_);
  for (int i = 0; i < 6; ++i) live_a_day();
  Close();
  EXPECT_LT(std::filesystem::file_size(File()), size + size / 2);
}

}  // namespace
}  // namespace frazil::ledger
