// SPDX-License-Identifier: Apache-2.0
// The parts of a table that need nothing of the others: names, cut vectors, gate, cache.
#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "table/cut_vector.h"
#include "table/load_gate.h"
#include "table/object_cache.h"
#include "table/object_names.h"

namespace frazil::table {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Deadline Soon() { return Deadline::After(milliseconds(10000)); }

TableIdentity Orders() {
  return {.namespace_name = "speed",
          .name = "orders",
          .topic = "orders",
          .uuid = *Uuid::Parse("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1")};
}

TEST(ObjectNamesTest, NamesAreGolden) {
  const TableIdentity table = Orders();
  const std::string prefix = "speed/orders/8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1";
  EXPECT_EQ(table.Location(), "s3://frazil/" + prefix);
  EXPECT_EQ(ChunkKey(table, decode::ValueFormat::kAvro,
                     {Generation(0), PartitionId(3), Offset(7), Offset(12)}, SchemaVersion(2), 1),
            prefix + "/data/g0-p3-00000000000000000007-00000000000000000012-f" +
                DecodeFingerprint(decode::ValueFormat::kAvro) + "-s2-x-all-e1.parquet");
  EXPECT_EQ(DecodeFingerprint(decode::ValueFormat::kAvro), "ad69d9773d02d703");
  EXPECT_EQ(ManifestKey(table, CutNumber(5), "0a1b2c3d", 1),
            prefix + "/metadata/m-5-0a1b2c3d-w1.avro");
  EXPECT_EQ(ManifestListKey(table, SnapshotId(99), CutNumber(5), "0a1b2c3d", 1),
            prefix + "/metadata/snap-99-5-0a1b2c3d-w1.avro");
  EXPECT_EQ(MetadataKey(table, 42, "0a1b2c3d", 1),
            prefix + "/metadata/00042-c26715b2-5cc6-9454-6045-b5885d1b8ddb.metadata.json");
  EXPECT_EQ(MakeSnapshotId(table.uuid, CutNumber(5), "0a1b2c3d").value(), 141069394150819);
  EXPECT_EQ(KeyOf(UrlOf(prefix)), prefix);
}

TEST(ObjectNamesTest, TheOwnerOfAKeyIsReadBack) {
  const TableIdentity table = Orders();
  const auto owner = OwnerOf(ManifestKey(table, CutNumber(5), "0a1b2c3d", 1));
  ASSERT_TRUE(owner.ok());
  EXPECT_EQ(owner->topic, "orders");
  EXPECT_EQ(owner->table_uuid, table.uuid);
  for (const char* key : {"", "a", "a/b", "a/b/c", "a/b/8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1",
                          "a/b/8f14e45f/c", "//8f14e45f-ceea-467f-a0e6-4ad3b9f6e6bx/c"}) {
    EXPECT_EQ(OwnerOf(key).error().code(), ErrorCode::kNotFound) << key;
  }
}

TEST(ObjectNamesTest, TopicNamesAreThoseOfKafka) {
  for (const char* name : {"orders", "pg.public.orders", "Clicks-EU", "a_b", "0"}) {
    EXPECT_TRUE(IsTopicName(name)) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("a b"),
        std::string("é"), std::string(250, 'a')}) {
    EXPECT_FALSE(IsTopicName(name)) << name;
  }
}

TopicState State(std::vector<std::pair<std::int64_t, std::int64_t>> ranges) {
  TopicState state;
  for (const auto& [start, end] : ranges) {
    state.partitions.push_back(
        {.partition = PartitionId(static_cast<std::int32_t>(state.partitions.size())),
         .epoch = LeaderEpoch(4),
         .start = Offset(start),
         .end = Offset(end),
         .high_watermark = Offset(end)});
  }
  return state;
}

std::vector<ledger::CutPartition> VectorOf(const TopicState& state) {
  return NextCut({}, {}, state).partitions;
}

TEST(CutVectorTest, TheFirstCutTakesAllThatThereIs) {
  const CutStep step = NextCut({}, {}, State({{3, 10}, {0, 0}}));
  ASSERT_EQ(step.partitions.size(), 2U);
  EXPECT_EQ(step.partitions[0].start, Offset(3));
  EXPECT_EQ(step.partitions[0].end, Offset(10));
  ASSERT_EQ(step.ranges.size(), 1U);
  EXPECT_EQ(step.ranges[0].range.start, Offset(3));
  EXPECT_EQ(step.ranges[0].range.end, Offset(10));
  EXPECT_THAT(step.lost, IsEmpty());
}

TEST(CutVectorTest, R10_StartsAndEndsOnlyRise) {
  const auto last = VectorOf(State({{3, 10}, {0, 5}}));
  const CutStep step = NextCut({}, last, State({{1, 12}, {2, 5}, {0, 1}}));
  EXPECT_EQ(step.partitions[0].start, Offset(3));
  EXPECT_EQ(step.partitions[0].end, Offset(12));
  EXPECT_EQ(step.partitions[1].start, Offset(2));
  EXPECT_EQ(step.partitions[1].end, Offset(5));
  ASSERT_EQ(step.ranges.size(), 2U);
  EXPECT_EQ(step.ranges[0].range.start, Offset(10));
  EXPECT_EQ(step.ranges[1].range.partition, PartitionId(2));
}

TEST(CutVectorTest, RecordsThatExpiredUnseenAreReported) {
  const auto last = VectorOf(State({{0, 10}}));
  const CutStep step = NextCut({}, last, State({{15, 20}}));
  ASSERT_EQ(step.lost.size(), 2U);
  EXPECT_EQ(step.lost[1].start, Offset(10));
  EXPECT_EQ(step.lost[1].end, Offset(15));
  EXPECT_EQ(step.ranges[0].range.start, Offset(15));
  const CutStep all_gone = NextCut({}, last, State({{15, 15}}));
  EXPECT_THAT(all_gone.ranges, IsEmpty());
  EXPECT_EQ(all_gone.partitions[0].end, Offset(15));
}

TEST(CutVectorTest, WhatLiesBehindIsTold) {
  const auto last = VectorOf(State({{0, 10}, {0, 5}}));
  EXPECT_FALSE(LiesBehind("t", last, State({{0, 10}, {0, 5}, {0, 0}})).has_value());
  EXPECT_THAT(LiesBehind("t", last, State({{0, 9}, {0, 5}}))->message(), HasSubstr("partition 0"));
  EXPECT_THAT(LiesBehind("t", last, State({{0, 10}}))->message(), HasSubstr("partition 1"));
}

TEST(CutVectorTest, OnlyNewRecordsAndLossesAreAChange) {
  const auto last = VectorOf(State({{0, 10}}));
  EXPECT_FALSE(NextCut({}, last, State({{0, 10}})).changes());
  EXPECT_FALSE(NextCut({}, last, State({{0, 10}, {0, 0}})).changes());
  EXPECT_TRUE(NextCut({}, last, State({{0, 11}})).changes());
  EXPECT_TRUE(NextCut({}, last, State({{7, 10}})).changes());
}

TEST(CutVectorTest, R9_WhatExpiresLeavesBeforeTheStepAndIsRecorded) {
  const auto last = VectorOf(State({{0, 10}}));
  const CutStep step = NextCut({}, last, State({{4, 12}}));
  EXPECT_TRUE(step.retires);
  EXPECT_EQ(step.retired[0].start, Offset(4));
  EXPECT_EQ(step.retired[0].end, Offset(10));
  EXPECT_EQ(step.partitions[0].end, Offset(12));
  ASSERT_EQ(step.lost.size(), 1U);
  EXPECT_EQ(step.lost[0].start, Offset(0));
  EXPECT_EQ(step.lost[0].end, Offset(4));
  EXPECT_EQ(step.lost[0].reason, "expired");
}

TEST(CutVectorTest, R1_ARecreatedTopicOpensAGenerationFromItsLogStart) {
  const auto last = VectorOf(State({{0, 10}, {0, 0}}));
  const CutStep step =
      NextCut({.generation = Generation(1), .recreated = true}, last, State({{2, 5}}));
  ASSERT_EQ(step.partitions.size(), 3U);
  EXPECT_TRUE(step.partitions[0].closed);
  EXPECT_EQ(step.partitions[0].start, step.partitions[0].end);
  EXPECT_TRUE(step.partitions[1].closed);
  EXPECT_EQ(step.partitions[2].generation, Generation(1));
  EXPECT_EQ(step.partitions[2].start, Offset(2));
  EXPECT_EQ(step.partitions[2].end, Offset(5));
  ASSERT_EQ(step.ranges.size(), 1U);
  EXPECT_EQ(step.ranges[0].range.generation, Generation(1));
  ASSERT_EQ(step.lost.size(), 1U);
  EXPECT_EQ(step.lost[0].reason, "recreated");
}

TEST(CutVectorTest, R1_ADivergenceClosesTheGenerationWhereItBegins) {
  const auto last = VectorOf(State({{2, 10}, {0, 7}}));
  const TopicChange change{.generation = Generation(1),
                           .divergences = {{PartitionId(0), Offset(6)}}};
  const CutStep step = NextCut(change, last, State({{2, 8}, {0, 7}}));
  ASSERT_EQ(step.partitions.size(), 3U);
  EXPECT_EQ(step.partitions[0].start, Offset(2));
  EXPECT_EQ(step.partitions[0].end, Offset(6));
  EXPECT_TRUE(step.partitions[0].closed);
  EXPECT_FALSE(step.partitions[1].closed);
  EXPECT_EQ(step.partitions[2].generation, Generation(1));
  EXPECT_EQ(step.partitions[2].start, Offset(6));
  EXPECT_EQ(step.partitions[2].end, Offset(8));
  ASSERT_EQ(step.lost.size(), 1U);
  EXPECT_EQ(step.lost[0].start, Offset(6));
  EXPECT_EQ(step.lost[0].end, Offset(10));
  EXPECT_EQ(step.lost[0].reason, "diverged");
  // Before what is still there: the older generation ends earlier, too.
  const TopicChange again{.generation = Generation(2),
                          .divergences = {{PartitionId(0), Offset(4)}}};
  const CutStep second = NextCut(again, step.partitions, State({{2, 5}, {0, 7}}));
  EXPECT_EQ(second.partitions[0].end, Offset(4));
  EXPECT_EQ(second.partitions[2].start, second.partitions[2].end);
  EXPECT_EQ(second.partitions[3].start, Offset(4));
}

TEST(LoadGateTest, ALoadIsAnsweredByARunThatBeganAfterIt) {
  LoadGate gate(milliseconds(0));
  std::atomic<int> runs = 0;
  std::atomic<bool> release = false;
  std::thread first([&] {
    const auto outcome = gate.Run(
        [&](LoadGate::TimePoint /*first*/) -> Result<LoadOutcome> {
          ++runs;
          while (!release) std::this_thread::yield();
          return LoadOutcome{.state = 1, .changed = true};
        },
        Soon(), {});
    EXPECT_EQ(outcome->state, 1);
  });
  while (runs == 0) std::this_thread::yield();
  std::atomic<int> seen = 0;
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i) {
    others.emplace_back([&] {
      const auto outcome = gate.Run(
          [&](LoadGate::TimePoint /*first*/) -> Result<LoadOutcome> {
            ++runs;
            return LoadOutcome{.state = 2, .changed = true};
          },
          Soon(), {});
      if (outcome->state == 2) ++seen;
    });
  }
  release = true;
  first.join();
  for (std::thread& thread : others) thread.join();
  EXPECT_EQ(seen, 4) << "none was shown the cut that began before it";
}

TEST(LoadGateTest, CutsKeepTheirDistanceAndUnchangedOnesDoNotWait) {
  LoadGate gate(milliseconds(20));
  const auto run = [&gate](bool changed) {
    return gate.Run(
        [changed](LoadGate::TimePoint /*first*/) {
          return LoadOutcome{.state = 1, .changed = changed};
        },
        Soon(), {});
  };
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(run(true).ok());
  ASSERT_TRUE(run(true).ok());
  EXPECT_GE(std::chrono::steady_clock::now() - started, milliseconds(20));
}

TEST(LoadGateTest, ACallerThatLeavesAnswersNobodyElse) {
  LoadGate gate(milliseconds(0));
  std::atomic<bool> running = false;
  std::atomic<bool> release = false;
  std::thread leaving([&] {
    const auto outcome = gate.Run(
        [&](LoadGate::TimePoint /*first*/) -> Result<LoadOutcome> {
          running = true;
          while (!release) std::this_thread::yield();
          return Error(ErrorCode::kCancelled, "left");
        },
        Soon(), {});
    EXPECT_EQ(outcome.error().code(), ErrorCode::kCancelled);
  });
  while (!running) std::this_thread::yield();
  std::thread staying([&] {
    const auto outcome = gate.Run(
        [](LoadGate::TimePoint /*first*/) { return LoadOutcome{.state = 3, .changed = false}; },
        Soon(), {});
    EXPECT_EQ(outcome->state, 3);
  });
  release = true;
  leaving.join();
  staying.join();
}

TEST(LoadGateTest, WaitingEndsAtTheDeadlineOrTheStop) {
  LoadGate gate(milliseconds(3'600'000));
  const auto run = [](LoadGate::TimePoint /*first*/) {
    return LoadOutcome{.state = 1, .changed = true};
  };
  ASSERT_TRUE(gate.Run(run, Soon(), {}).ok());
  EXPECT_EQ(gate.Run(run, Deadline::After(milliseconds(10)), {}).error().code(),
            ErrorCode::kDeadlineExceeded);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(gate.Run(run, Soon(), stop.get_token()).error().code(), ErrorCode::kCancelled);
}

TEST(LoadGateTest, AnExceptionLeavesTheGateOpen) {
  LoadGate gate(milliseconds(0));
  const auto fail = [](LoadGate::TimePoint /*first*/) -> Result<LoadOutcome> {
    throw std::runtime_error("boom");
  };
  EXPECT_EQ(gate.Run(fail, Soon(), {}).error().code(), ErrorCode::kInternal);
  EXPECT_TRUE(
      gate.Run([](LoadGate::TimePoint /*first*/) { return LoadOutcome{.state = 1}; }, Soon(), {})
          .ok());
}

}  // namespace
}  // namespace frazil::table
