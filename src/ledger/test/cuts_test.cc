// SPDX-License-Identifier: Apache-2.0
// What a cut may be, and what is refused with nothing recorded.
#include <atomic>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/cut_check.h"
#include "ledger/test/ledger_fixture.h"

namespace frazil::ledger {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

CutPartition Closed(CutPartition partition) {
  partition.closed = true;
  return partition;
}

struct ClosingCase {
  const char* name;
  CutPartition before;
  CutPartition after;
  bool taken;
};

// R1
TEST(CheckVectorTest, AnEndFallsOnlyWhereTheGenerationIsClosed) {
  const ClosingCase cases[] = {
      {"it closes where it is", Range(0, 0, 2, 10), Closed(Range(0, 0, 2, 10)), true},
      {"its end falls", Range(0, 0, 2, 10), Closed(Range(0, 0, 2, 5)), true},
      {"its end falls to its start", Range(0, 0, 2, 10), Closed(Range(0, 0, 2, 2)), true},
      {"its end falls below its start", Range(0, 0, 2, 10), Closed(Range(0, 0, 2, 1)), false},
      {"its end rises", Range(0, 0, 2, 10), Closed(Range(0, 0, 2, 12)), true},
      {"its start falls", Range(0, 0, 2, 10), Closed(Range(0, 0, 1, 10)), false},
      {"closed, its start rises", Closed(Range(0, 0, 2, 10)), Closed(Range(0, 0, 10, 10)), true},
      {"closed, its end falls again", Closed(Range(0, 0, 2, 10)), Closed(Range(0, 0, 2, 9)), true},
      {"closed, its end rises", Closed(Range(0, 0, 2, 10)), Closed(Range(0, 0, 2, 11)), false},
      {"it opens again", Closed(Range(0, 0, 2, 10)), Range(0, 0, 2, 10), false},
  };
  for (const ClosingCase& test_case : cases) {
    const Status status = CheckVector({test_case.before}, {test_case.after});
    EXPECT_EQ(status.ok(), test_case.taken) << test_case.name;
    if (!status.ok()) {
      EXPECT_EQ(status.error().code(), ErrorCode::kInvalidArgument);
    }
  }
}

class CutsTest : public LedgerTest {
 protected:
  // A table whose list has the manifests of cuts 1 (chunks 1, 2) and 2 (chunk 3).
  void SetUp() override {
    Open();
    table_ = MakeTable();
    const auto recorded = ledger_->RecordState(
        table_, 0,
        StateOf({Append(1, ranges_, {SomeChunk(1, 0, 0, 1), SomeChunk(2, 0, 1, 2)}),
                 Append(2, ranges_, {SomeChunk(3, 0, 2, 3)})}));
    ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  }
  Result<RecordedState> Record(const NewState& state) {
    return ledger_->RecordState(table_, 1, state);
  }
  void ExpectRefused(const std::string& name, const NewState& state) {
    const std::string before = Describe(*ledger_->Current(table_));
    const auto recorded = Record(state);
    ASSERT_FALSE(recorded.ok()) << name;
    EXPECT_EQ(recorded.error().code(), ErrorCode::kInvalidArgument)
        << name << ": " << recorded.error().ToString();
    EXPECT_EQ(Describe(*ledger_->Current(table_)), before) << name;
  }
  // A replace that rewrites both manifests and removes chunk 2.
  NewCut GoodReplace() const {
    return Replace(3, ranges_, {CutNumber(1), CutNumber(2)}, {SomeChunk(2, 0, 1, 2)},
                   {SomeChunk(1, 0, 0, 1), SomeChunk(3, 0, 2, 3)}, {SomeChunk(4, 0, 1, 2)});
  }

  const std::vector<CutPartition> ranges_ = {Range(0, 0, 0, 10)};
  std::int64_t table_ = 0;
};

struct WrongCut {
  const char* name;
  std::function<void(NewCut&)> spoil;
};

TEST_F(CutsTest, CutThatRemovesListsOrCountsWhatIsNotThereIsRefused) {
  const WrongCut cases[] = {
      {"another cut's snapshot", [](NewCut& cut) { cut.snapshot_id = SnapshotId(2); }},
      {"another chunk's path",
       [](NewCut& cut) { cut.chunks[0].file.path = SomeChunk(3, 0, 2, 3).file.path; }},
      {"another chunk's id", [](NewCut& cut) { cut.chunks[0].id = ChunkId(3); }},
      {"removes in an append", [](NewCut& cut) { cut.operation = iceberg::Operation::kAppend; }},
      {"removes in a delete", [](NewCut& cut) { cut.operation = iceberg::Operation::kDelete; }},
      {"removes an unknown chunk", [](NewCut& cut) { cut.removed_chunks = {ChunkId(9)}; }},
      {"removes without an entry", [](NewCut& cut) { cut.removed_chunks.clear(); }},
      {"removes another than its entry", [](NewCut& cut) { cut.removed_chunks = {ChunkId(1)}; }},
      {"removes an unknown manifest",
       [](NewCut& cut) { cut.removed_manifests.push_back(CutNumber(3)); }},
      {"removes a manifest twice",
       [](NewCut& cut) { cut.removed_manifests = {CutNumber(1), CutNumber(1), CutNumber(2)}; }},
      {"leaves a manifest with a removed chunk",
       [](NewCut& cut) { cut.removed_manifests = {CutNumber(2)}; }},
      {"drops a live chunk",
       [](NewCut& cut) {
         std::erase_if(cut.manifest->entries,
                       [](const ManifestEntryRow& entry) { return entry.chunk == ChunkId(1); });
       }},
      {"names a chunk twice",
       [](NewCut& cut) {
         cut.manifest->entries.push_back(
             {.status = iceberg::EntryStatus::kExisting, .chunk = ChunkId(1)});
       }},
      {"names a new chunk as existing",
       [](NewCut& cut) { cut.manifest->entries[0].status = iceberg::EntryStatus::kExisting; }},
      {"has a chunk without an entry",
       [](NewCut& cut) { cut.chunks.push_back(SomeChunk(5, 0, 3, 4)); }},
      {"counts more added files", [](NewCut& cut) { ++cut.manifest->added.files; }},
      {"counts more existing records", [](NewCut& cut) { ++cut.manifest->existing.records; }},
      {"counts fewer deleted bytes", [](NewCut& cut) { --cut.manifest->deleted.bytes; }},
      {"has no manifest", [](NewCut& cut) { cut.manifest.reset(); }},
      {"has an empty manifest", [](NewCut& cut) { cut.manifest = NewManifest{}; }},
      {"falls", [](NewCut& cut) { cut.partitions[0].end = Offset(9); }},
      {"leaves a partition out", [](NewCut& cut) { cut.partitions.clear(); }},
      {"is in a generation that is not open",
       [](NewCut& cut) { cut.partitions.push_back(Range(1, 0, 0, 0)); }},
      {"loses for an unknown reason",
       [](NewCut& cut) { cut.lost.emplace_back().reason = "eaten"; }},
  };
  for (const WrongCut& wrong : cases) {
    NewCut cut = GoodReplace();
    wrong.spoil(cut);
    ExpectRefused(wrong.name, StateOf({cut}));
    // What was recorded before the bad one goes too.
    ExpectRefused(wrong.name, StateOf({CutOver(99, ranges_), cut}));
  }
  const auto recorded = Record(StateOf({GoodReplace()}));
  EXPECT_TRUE(recorded.ok()) << recorded.error().ToString();
}

TEST_F(CutsTest, ManifestOrChunkIsRemovedOnce) {
  ASSERT_TRUE(Record(StateOf({GoodReplace()})).ok());
  const NewCut again = Replace(4, ranges_, {CutNumber(1)}, {}, {SomeChunk(1, 0, 0, 1)}, {});
  const auto recorded = ledger_->RecordState(table_, 2, StateOf({again}));
  ASSERT_FALSE(recorded.ok());
  EXPECT_EQ(recorded.error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(CutsTest, CutsLeaveTheListOnceAndStillResolve) {
  NewState state;
  for (const auto& wrong : {std::vector{CutNumber(3)}, std::vector{CutNumber(2)},
                            std::vector{CutNumber(1), CutNumber(1)}, std::vector{CutNumber(0)}}) {
    state.unlisted = wrong;
    ExpectRefused("unlisted", state);
  }
  const std::string cut = Describe(ledger_->FindCut(table_, CutNumber(1)));
  state.unlisted = {CutNumber(1)};
  ASSERT_TRUE(Record(state).ok());
  EXPECT_EQ((*ledger_->FindState(table_, 1))->listed.size(), 2U);
  EXPECT_EQ((*ledger_->FindState(table_, 2))->listed.size(), 1U);
  EXPECT_EQ(Describe(ledger_->FindCut(table_, CutNumber(1))), cut);
  EXPECT_FALSE(ledger_->RecordState(table_, 2, state).ok());
  // The newest cut may leave when another takes its place.
  NewState next = StateOf({CutOver(7, ranges_)});
  next.unlisted = {CutNumber(2)};
  const auto recorded = ledger_->RecordState(table_, 2, next);
  ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  EXPECT_EQ(recorded->cuts[0].parent_snapshot_id, SnapshotId(2));
  EXPECT_EQ((*ledger_->FindState(table_, 3))->listed.size(), 1U);
}

// R1
TEST_F(CutsTest, GenerationOpensWithTheStateAndOnce) {
  const auto topic = ledger_->FindTopic("orders");
  NewState next = StateOf({CutOver(3, {Closed(Range(0, 0, 0, 4)), Range(1, 0, 0, 5)})});
  next.generation = {.generation = Generation(1), .topic_id = SomeUuid(77)};
  next.cuts[0].lost = {{.generation = Generation(0),
                        .partition = PartitionId(0),
                        .start = Offset(4),
                        .end = Offset(10),
                        .reason = "diverged",
                        .stamp = {}}};
  NewState far = next;
  far.generation->generation = Generation(2);
  ExpectRefused("a generation too far", far);
  // A cut that is refused opens nothing.
  NewState refused = next;
  refused.cuts[0].snapshot_id = SnapshotId(1);
  ExpectRefused("another's snapshot", refused);
  EXPECT_EQ(ledger_->Generations((*topic)->key)->size(), 1U);

  const auto recorded = Record(next);
  ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  Open();
  const auto generations = ledger_->Generations((*topic)->key);
  ASSERT_EQ(generations->size(), 2U);
  EXPECT_EQ((*generations)[1].generation, Generation(1));
  EXPECT_EQ((*generations)[1].topic_id, SomeUuid(77));
  EXPECT_EQ((*ledger_->FindTopic("orders"))->generation, Generation(1));
  EXPECT_EQ((*ledger_->FindTopic("orders"))->topic_id, SomeUuid(77));
  const auto lost = ledger_->LostRanges(table_);
  ASSERT_EQ(lost->size(), 1U);
  EXPECT_EQ((*lost)[0].reason, "diverged");
  EXPECT_EQ((*lost)[0].end, Offset(10));
  EXPECT_EQ((*lost)[0].stamp, recorded->cuts[0].stamp);

  // The topic's other table comes second.
  const auto lake = ledger_->CreateTable((*topic)->key, "lake", SomeUuid(3));
  ASSERT_TRUE(lake.ok());
  NewState second = StateOf({CutOver(1, {Range(1, 0, 0, 5)})});
  second.generation = next.generation;
  const auto conflict = ledger_->RecordState(lake->key, 0, second);
  ASSERT_FALSE(conflict.ok());
  EXPECT_EQ(conflict.error().code(), ErrorCode::kConflict);
  second.generation.reset();
  EXPECT_TRUE(ledger_->RecordState(lake->key, 0, second).ok());
}

TEST_F(CutsTest, EveryMemberMayBeCalledFromSeveralThreads) {
  const std::int64_t lively = MakeTable("lively");
  const std::int64_t topic = (*ledger_->FindTopic("orders"))->key;
  std::atomic<bool> done{false};
  std::atomic<int> errors{0};
  const auto check = [&](bool ok) { errors += ok ? 0 : 1; };
  std::vector<std::jthread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      while (!done) {
        check(ledger_->Current(lively).ok());
        check(ledger_->FindState(lively, 3).ok());
        check(ledger_->FindCut(lively, CutNumber(2)).ok());
        check(ledger_->FindManifest(lively, CutNumber(2)).ok());
        check(ledger_->FindChunk(lively, SomeChunk(3, 0, 2, 3).file.path).ok());
        check(ledger_->LostRanges(lively).ok());
        check(ledger_->Purge(lively, std::chrono::milliseconds(0)).ok());
        check(ledger_->Generations(topic).ok() && ledger_->Schemas(topic).ok() &&
              ledger_->Writers(topic).ok() && ledger_->FindTopic("orders").ok() &&
              ledger_->FindTable(topic, "speed").ok());
        check(ledger_->PinValueFormat(topic, "avro").ok());
        check(ledger_->AppendSchemas(topic, {}, {}, FieldId(21)).ok());
        check(ledger_->Secret().size() == 32 && ledger_->BootNonce().size() == 8);
      }
    });
  }
  RandomLife life(*ledger_, lively, 4);
  for (int i = 0; i < 20; ++i) {
    clock_.Set(kNewYear + i * 3'600'000);
    life.Step();
  }
  done = true;
  readers.clear();
  EXPECT_EQ(errors, 0);
}

}  // namespace
}  // namespace frazil::ledger
