// SPDX-License-Identifier: Apache-2.0
// What a table shows when its topic does not just grow: deletion, compaction, re-creation, lost
// logs; and how its files stay few.
#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "table/chunk_ladder.h"
#include "table/test/table_fixture.h"

namespace frazil::table {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class LifeTest : public TableFixture {
 protected:
  static std::vector<std::string> Operations(const Json& metadata) {
    std::vector<std::string> operations;
    for (const Json& snapshot : metadata["snapshots"]) {
      operations.push_back(snapshot["summary"]["operation"]);
    }
    return operations;
  }

  // "g0-p1-0-7" for each file of the snapshot, sorted.
  std::vector<std::string> Ranges(const Json& snapshot) {
    std::vector<std::string> ranges;
    for (const iceberg::DataFile& file : Files(snapshot)) {
      const std::string name = file.path.substr(file.path.rfind('/') + 1);
      const auto short_number = [&](std::size_t at) {
        return std::to_string(std::stoll(name.substr(at, 20)));
      };
      const std::size_t first = name.find('-', name.find('-') + 1) + 1;
      ranges.push_back(name.substr(0, first) + short_number(first) + "-" +
                       short_number(first + 21));
    }
    std::sort(ranges.begin(), ranges.end());
    return ranges;
  }

  static const Json& Current(const Json& metadata) { return metadata["snapshots"].back(); }

  void ExpectReadable(const Json& snapshot) {
    for (const iceberg::DataFile& file : Files(snapshot)) {
      const auto bytes = Read(file.path);
      EXPECT_TRUE(bytes.ok()) << bytes.error().ToString();
    }
  }
};

// A uuid may hold "-c" too.
auto NamedByContent() { return testing::ContainsRegex("-e2-c[0-9a-f]+\\.parquet$"); }

TEST_F(LifeTest, R9_ExpiredRangesLeaveInAReplaceAndACutChunkIsCountedAnew) {
  for (int i = 0; i < 4; ++i) Produce(0, i);
  LoadJson();
  for (int i = 0; i < 4; ++i) Produce(0, i);
  LoadJson();
  kafka_.DeleteBefore(0, 6);
  const Json after = LoadJson();
  EXPECT_THAT(Operations(after), ElementsAre("append", "append", "replace"));
  EXPECT_THAT(Ranges(Current(after)), ElementsAre("g0-p0-6-8"));
  EXPECT_EQ(Current(after)["summary"]["total-records"], "2");
  EXPECT_EQ(Current(after)["summary"]["deleted-data-files"], "2");
  Restart();
  ExpectReadable(Current(after));
  EXPECT_EQ(LoadJson(), after) << "nothing new";
  const auto topic = process_->ledger->FindTopic("orders");
  const auto table = process_->ledger->FindTable((*topic)->key, "speed");
  const auto lost = process_->ledger->LostRanges((*table)->key);
  ASSERT_THAT(*lost, SizeIs(1));
  EXPECT_EQ((*lost)[0].end, Offset(6));
}

TEST_F(LifeTest, R9_ExpiryAndNewRecordsAreTwoSnapshots) {
  for (int i = 0; i < 4; ++i) Produce(0, i);
  LoadJson();
  kafka_.DeleteBefore(0, 3);
  Produce(0, 9);
  const Json after = LoadJson();
  EXPECT_THAT(Operations(after), ElementsAre("append", "replace", "append"));
  EXPECT_THAT(Ranges(Current(after)), ElementsAre("g0-p0-3-4", "g0-p0-4-5"));
  kafka_.DeleteBefore(0, 5);
  EXPECT_THAT(Ranges(Current(LoadJson())), SizeIs(0));
}

TEST_F(LifeTest, R8_ACompactedRangeIsListedAnewUnderAnotherName) {
  kafka_.SetCompacted(true);
  for (int i = 0; i < 4; ++i) Produce(0, i);
  const Json first = LoadJson();
  const std::string before = Files(Current(first))[0].path;
  EXPECT_THAT(before, NamedByContent());
  kafka_.Compact(0, 1);
  Restart();
  EXPECT_EQ(LoadJson(), first) << "the snapshot is the log as last indexed";
  EXPECT_EQ(Read(before).error().code(), ErrorCode::kRecordsGone);
  const Json second = LoadJson();
  EXPECT_THAT(Operations(second), ElementsAre("append", "replace"));
  EXPECT_EQ(Current(second)["summary"]["total-records"], "3");
  EXPECT_NE(Files(Current(second))[0].path, before);
  ExpectReadable(Current(second));
  EXPECT_EQ(Read(before).error().row().s3_status, 404);
}

TEST_F(LifeTest, R8_APolicyThatMayNotBeReadCountsAsCompaction) {
  kafka_.SetCompacted(std::nullopt);
  Produce(0, 1);
  EXPECT_THAT(Files(Current(LoadJson()))[0].path, NamedByContent());
}

TEST_F(LifeTest, R8_ThePolicyIsReadAgain) {
  options_.policy_cache = milliseconds(0);
  Restart();
  Produce(0, 1);
  EXPECT_THAT(Files(Current(LoadJson()))[0].path, Not(NamedByContent()));
  kafka_.SetCompacted(true);
  Produce(1, 1);
  EXPECT_THAT(Files(Current(LoadJson()))[0].path, HasSubstr("-p1-"));
  EXPECT_THAT(Files(Current(LoadJson()))[0].path, NamedByContent());
}

TEST_F(LifeTest, R8_ARangeWithoutRecordsLeftLeavesTheTable) {
  Produce(0, 1);
  Produce(1, 1);
  const Json first = LoadJson();
  kafka_.Compact(0, 0);
  Restart();
  for (const auto& file : Files(Current(first))) IgnoreError(Read(file.path));
  EXPECT_THAT(Ranges(Current(LoadJson())), ElementsAre("g0-p1-0-1"));
}

TEST_F(LifeTest, R1_ARecreatedTopicOpensAGenerationAndKeepsTheUuid) {
  for (int i = 0; i < 3; ++i) Produce(0, i);
  const auto before = Load();
  const auto old = Files(Current(Json::parse(*before->metadata_json)));
  kafka_.Recreate();
  Produce(0, 7);
  const auto after = Load();
  ASSERT_TRUE(after.ok()) << after.error().ToString();
  EXPECT_EQ(after->uuid, before->uuid);
  const Json metadata = Json::parse(*after->metadata_json);
  EXPECT_THAT(Operations(metadata), ElementsAre("append", "replace", "append"));
  EXPECT_THAT(Ranges(Current(metadata)), ElementsAre("g1-p0-0-1"));
  Restart();
  ExpectReadable(Current(metadata));
  EXPECT_EQ(Read(old[0].path).error().code(), ErrorCode::kRecordsGone);
  Produce(1, 8);
  EXPECT_THAT(Ranges(Current(LoadJson())), ElementsAre("g1-p0-0-1", "g1-p1-0-1"));
}

TEST_F(LifeTest, R1_AnEmptyTopicThatIsRecreatedIsFollowedToo) {
  LoadJson();
  kafka_.Recreate();
  LoadJson();
  Produce(0, 7);
  EXPECT_THAT(Ranges(Current(LoadJson())), ElementsAre("g1-p0-0-1"));
}

TEST_F(LifeTest, R1_AProvenDivergenceOpensAGenerationWhereItBegins) {
  for (int i = 0; i < 6; ++i) Produce(0, i);
  LoadJson();
  kafka_.Truncate(0, 4);
  const Json lost = LoadJson();
  EXPECT_THAT(Operations(lost), ElementsAre("append", "replace"));
  EXPECT_THAT(Ranges(Current(lost)), ElementsAre("g0-p0-0-4"));
  Produce(0, 7);
  const Json grown = LoadJson();
  EXPECT_THAT(Ranges(Current(grown)), ElementsAre("g0-p0-0-4", "g1-p0-4-5"));
  Restart();
  ExpectReadable(Current(grown));
}

TEST_F(LifeTest, R1_ADivergenceIsFoundAlsoWhenTheLogHasGrownPastTheCut) {
  for (int i = 0; i < 6; ++i) Produce(0, i);
  LoadJson();
  kafka_.Truncate(0, 4);
  for (int i = 0; i < 6; ++i) Produce(0, 100 + i);
  const Json grown = LoadJson();
  EXPECT_THAT(Ranges(Current(grown)), ElementsAre("g0-p0-0-4", "g1-p0-4-10"));
}

TEST_F(LifeTest, R1_WithoutEpochsTwoLooksAtTheHighWatermarkAreTheProof) {
  options_.divergence_second_look = milliseconds(120);
  options_.kafka_timeout = milliseconds(2000);
  Restart();
  for (int i = 0; i < 6; ++i) Produce(0, i);
  LoadJson();
  kafka_.KnowEpochs(false);
  kafka_.Truncate(0, 4);
  EXPECT_THAT(Ranges(Current(LoadJson())), ElementsAre("g0-p0-0-4"));
}

TEST_F(LifeTest, R1_ALogThatRecoversBetweenTheLooksHasNotDiverged) {
  options_.divergence_second_look = milliseconds(400);
  options_.kafka_timeout = milliseconds(5000);
  kafka_.KnowEpochs(false);
  Restart();
  for (int i = 0; i < 6; ++i) Produce(0, i);
  const Json before = LoadJson();
  kafka_.Lag(0, 4);
  std::thread recovery([this] {
    std::this_thread::sleep_for(milliseconds(150));
    kafka_.Lag(0, 6);
  });
  EXPECT_EQ(LoadJson(), before);
  recovery.join();
  // Looks that lie apart count only when nothing was right between them.
  std::this_thread::sleep_for(milliseconds(400));
  kafka_.Lag(0, 4);
  std::thread again([this] {
    std::this_thread::sleep_for(milliseconds(150));
    kafka_.Lag(0, 6);
  });
  EXPECT_EQ(LoadJson(), before);
  again.join();
}

TEST_F(LifeTest, R1_ALeaderOlderThanTheCutProvesNothing) {
  for (int i = 0; i < 6; ++i) Produce(0, i);
  kafka_.Truncate(0, 6);
  LoadJson();
  kafka_.LeadWith(0, 1);
  kafka_.Lag(0, 4);
  EXPECT_EQ(Load().error().code(), ErrorCode::kLogTruncated);
}

TEST_F(LifeTest, R1_WithoutIdsARecreatedTopicIsADivergence) {
  options_.divergence_second_look = milliseconds(120);
  options_.kafka_timeout = milliseconds(2000);
  kafka_.KnowIds(false);
  kafka_.KnowEpochs(false);
  Restart();
  for (int i = 0; i < 6; ++i) Produce(0, i);
  LoadJson();
  kafka_.Recreate();
  Produce(0, 7);
  const Json after = LoadJson();
  EXPECT_EQ(Current(after)["summary"]["total-records"], "1");
}

// DuckDB shows only what is older than its transaction, and that is older than the load.
TEST_F(LifeTest, R10_ASlowLoadIsStampedBeforeItBegan) {
  Produce(0, 1);
  LoadJson();
  Produce(0, 2);
  kafka_.StallReads(true);
  std::thread recovery([this] {
    std::this_thread::sleep_for(milliseconds(300));
    kafka_.StallReads(false);
  });
  const Json slow = LoadJson();
  recovery.join();
  const std::int64_t stamp = Current(slow)["timestamp-ms"];
  EXPECT_LE(stamp, clock_.now.load().value() - options_.snapshot_backdate.count() - 300);
}

TEST_F(LifeTest, R7_RecordsBehindAnOpenTransactionAreNotShown) {
  Produce(0, 1);
  Produce(0, 2);
  kafka_.HoldBack(0, 1);
  EXPECT_THAT(Ranges(Current(LoadJson())), ElementsAre("g0-p0-0-1"));
  EXPECT_THAT(process_->metrics.Expose(), HasSubstr("frazil_open_transaction_records 1"));
  kafka_.HoldBack(0, std::nullopt);
  EXPECT_THAT(Ranges(Current(LoadJson())), ElementsAre("g0-p0-0-1", "g0-p0-1-2"));
  EXPECT_THAT(process_->metrics.Expose(), HasSubstr("frazil_open_transaction_records 0"));
}

TEST_F(LifeTest, SmallChunksAndManifestsAreMergedAndNothingIsLost) {
  std::size_t most_files = 0;
  std::size_t most_manifests = 0;
  std::set<std::string> operations;
  constexpr int kLoads = kInstrumented ? 40 : 200;
  for (int i = 1; i <= kLoads; ++i) {
    Produce(i % 2, i);
    const Json metadata = LoadJson();
    ASSERT_EQ(Current(metadata)["summary"]["total-records"], std::to_string(i));
    const auto files = Files(Current(metadata));
    ASSERT_EQ(Records(files), i);
    std::map<std::string, std::size_t> tails;
    for (const auto& range : Ranges(Current(metadata))) ++tails[range.substr(0, 5)];
    for (const auto& [place, tail] : tails) most_files = std::max(most_files, tail);
    most_manifests = std::max(most_manifests, Manifests(Current(metadata)).size());
    for (const std::string& operation : Operations(metadata)) operations.insert(operation);
  }
  EXPECT_LE(most_files, kMostTailChunks);
  EXPECT_LE(most_manifests, kMostManifests);
  EXPECT_THAT(operations, ElementsAre("append", "replace"));
  const auto objects = Everything(*Load());
  Restart();
  for (const auto& [url, hash] : objects) EXPECT_EQ(Sha256(*Read(url)), hash) << url;
}

TEST_F(LifeTest, R11_ASnapshotIsAnAppendOrAReplaceNeverBoth) {
  constexpr int kLoads = kInstrumented ? 20 : 60;
  for (int i = 1; i <= kLoads; ++i) {
    Produce(0, i);
    LoadJson();
  }
  const Json metadata = LoadJson();
  std::set<std::string> parents_files;
  for (const Json& snapshot : metadata["snapshots"]) {
    std::set<std::string> files;
    for (const auto& file : Files(snapshot)) files.insert(file.path);
    std::int64_t added = 0;
    for (const iceberg::ManifestFile& manifest : Manifests(snapshot)) {
      if (manifest.added_snapshot_id.value() != snapshot["snapshot-id"]) continue;
      const auto entries = iceberg::ReadManifest(*Read(manifest.path));
      for (const iceberg::ManifestEntry& entry : *entries) {
        if (entry.status == iceberg::EntryStatus::kAdded) ++added;
        EXPECT_EQ(entry.status == iceberg::EntryStatus::kDeleted, !files.contains(entry.file.path));
      }
    }
    const Json& summary = snapshot["summary"];
    EXPECT_EQ(summary["added-data-files"], std::to_string(added));
    if (summary["operation"] == "append") {
      EXPECT_TRUE(
          std::includes(files.begin(), files.end(), parents_files.begin(), parents_files.end()));
      EXPECT_FALSE(summary.contains("deleted-data-files"));
    } else {
      EXPECT_EQ(summary["added-records"], summary.value("deleted-records", "0"));
    }
    parents_files = files;
  }
}

// A subject that drops a field and gains another, and later goes back: old rows keep their values.
TEST_F(LifeTest, R5_MergingDropsNoFieldThatMayComeBack) {
  const auto produce = [this](WriterSchemaId id, int count) {
    for (int i = 0; i < count; ++i) {
      kafka_.Produce(0, ValueBuilder(id).Long(i).Text("n").Build());
      LoadJson();
    }
  };
  produce(schema_id_, 5);
  const auto other =
      registry_.Register(RecordSchema({{"id", "\"long\""}, {"other", "\"string\""}}));
  produce(other, 20);
  std::int64_t with_note = 0;
  for (const iceberg::DataFile& file : Files(Current(LoadJson()))) {
    if (file.path.find("-s0-") != std::string::npos) with_note += file.record_count;
  }
  EXPECT_EQ(with_note, 5);
  EXPECT_LE(Files(Current(LoadJson())).size(), kMostTailChunks);
}

TEST_F(LifeTest, R5_ChunksOfAWidenedSchemaAreMerged) {
  for (int i = 0; i < 5; ++i) {
    Produce(0, i);
    LoadJson();
  }
  const auto wider = registry_.Register(
      RecordSchema({{"id", "\"long\""}, {"note", "\"string\""}, {"more", R"(["null","string"])"}}));
  for (int i = 0; i < 20; ++i) {
    kafka_.Produce(0, ValueBuilder(wider).Long(i).Text("n").Long(0).Build());
    LoadJson();
  }
  bool merged = false;
  for (const std::string& range : Ranges(Current(LoadJson()))) {
    merged = merged || range.starts_with("g0-p0-0-");
  }
  EXPECT_TRUE(merged);
  for (const iceberg::DataFile& file : Files(Current(LoadJson()))) {
    EXPECT_THAT(file.path, HasSubstr("-s1-"));
  }
}

TEST_F(LifeTest, ALoadThatNeedsLongerSaysSoAndTheWorkGoesOn) {
  options_.load_wait = milliseconds(0);
  Restart();
  for (int i = 0; i < 30; ++i) Produce(i % 2, i);
  const auto refused = Load();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kTableIndexing);
  EXPECT_THAT(refused.error().message(), HasSubstr("of 30 new offsets"));
  const Deadline deadline = Soon();
  Result<LoadedTable> loaded = Load();
  while (!loaded.ok() && !deadline.Expired()) loaded = Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  EXPECT_EQ(Records(Files(Current(Json::parse(*loaded->metadata_json)))), 30);
  EXPECT_LE(kafka_.reads(), 4) << "nothing is read again";
}

TEST_F(LifeTest, AClientThatLeavesFreesItsWork) {
  for (int i = 0; i < 30; ++i) Produce(i % 2, i);
  kafka_.StallReads(true);
  std::stop_source client;
  std::optional<Result<LoadedTable>> loaded;
  std::thread load([&] {
    loaded = process_->catalog.LoadTable("speed", "orders", SnapshotSelection::kAll, Soon(),
                                         client.get_token());
  });
  const Deadline deadline = Soon();
  while (kafka_.running_reads() < 2 && !deadline.Expired()) std::this_thread::yield();
  EXPECT_EQ(kafka_.running_reads(), 2);
  client.request_stop();
  load.join();
  EXPECT_EQ(loaded->error().code(), ErrorCode::kCancelled);
  while (kafka_.running_reads() > 0 && !deadline.Expired()) std::this_thread::yield();
  EXPECT_EQ(kafka_.running_reads(), 0);
  kafka_.StallReads(false);
  EXPECT_EQ(Records(Files(Current(LoadJson()))), 30);
}

TEST_F(LifeTest, AReaderThatLeavesFreesItsWork) {
  for (int i = 0; i < 30; ++i) Produce(0, i);
  const std::string path = Files(Current(LoadJson()))[0].path;
  Restart();
  kafka_.StallReads(true);
  std::stop_source client;
  std::optional<Result<Object>> read;
  std::thread reader(
      [&] { read = process_->catalog.ReadObject(KeyOf(path), Soon(), client.get_token()); });
  const Deadline deadline = Soon();
  while (kafka_.running_reads() < 1 && !deadline.Expired()) std::this_thread::yield();
  client.request_stop();
  reader.join();
  EXPECT_EQ(read->error().code(), ErrorCode::kCancelled);
  EXPECT_EQ(kafka_.running_reads(), 0);
  EXPECT_EQ(process_->memory.held(), 0U);
}

TEST_F(LifeTest, WhatAReadOfKafkaHoldsIsCounted) {
  constexpr std::size_t kHeld = 700U << 20;
  std::atomic<std::size_t> most = 0;
  const auto observe = [&most](std::size_t held, std::size_t /*waiting*/) {
    most = std::max(most.load(), held);
  };
  for (int i = 0; i < 30; ++i) Produce(0, i);
  kafka_.HoldInReads(kHeld);
  process_->memory.SetObserver(observe);
  const std::string path = Files(Current(LoadJson()))[0].path;
  EXPECT_GE(most, kHeld);
  EXPECT_LT(process_->memory.held(), kHeld);
  Restart();
  most = 0;
  process_->memory.SetObserver(observe);
  EXPECT_TRUE(Read(path).ok());
  EXPECT_GE(most, kHeld);
  EXPECT_LT(process_->memory.held(), kHeld);
  process_->memory.SetObserver({});
}

TEST_F(LifeTest, WorkThatNeedsMoreMemoryThanThereIsStartsAgainWhenThereIs) {
  constexpr std::size_t kHeld = 700U << 20;
  for (int i = 0; i < 30; ++i) Produce(0, i);
  kafka_.HoldInReads(kHeld);
  std::string path;
  const auto load = [&] { path = Files(Current(LoadJson()))[0].path; };
  const auto read = [&] { EXPECT_TRUE(Read(path).ok()); };
  for (const std::function<void()>& work : {std::function<void()>(load), {read}}) {
    Restart();
    MemoryBudget& memory = process_->memory;
    std::atomic<std::size_t> most = 0;
    memory.SetObserver([&most](std::size_t held, std::size_t) { most = std::max(+most, held); });
    const int reads = kafka_.reads();
    auto others = memory.Acquire(500U << 20, Soon(), {});
    std::thread worker(work);
    const Deadline deadline = Soon();
    while (memory.waiting() == 0 && !deadline.Expired()) std::this_thread::yield();
    EXPECT_EQ(kafka_.reads(), reads + 1);
    EXPECT_LT(most, kHeld);
    others->Shrink(0);
    worker.join();
    EXPECT_EQ(kafka_.reads(), reads + 2);
    EXPECT_GE(most, kHeld);
    EXPECT_LE(most, memory.limit());
    memory.SetObserver({});
  }
}

}  // namespace
}  // namespace frazil::table
