// SPDX-License-Identifier: Apache-2.0
// Speed tables over a Kafka and a registry in memory and a real ledger.
#include <filesystem>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "iceberg/manifest.h"
#include "iceberg/schema.h"
#include "ledger/ledger.h"
#include "table/test/table_fixture.h"
#include "table/virtual_catalog.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace frazil::table {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

using SpeedTableTest = TableFixture;

TEST_F(SpeedTableTest, EachCutIsAnAppendSnapshotOfItsStep) {
  Produce(0, 1);
  Produce(1, 2);
  const Json first = LoadJson();
  Produce(1, 3);
  const Json second = LoadJson();
  ASSERT_THAT(first["snapshots"], SizeIs(1));
  ASSERT_THAT(second["snapshots"], SizeIs(2));
  EXPECT_EQ(second["snapshots"][0], first["snapshots"][0]) << "R11: a snapshot never changes";
  const Json& step = second["snapshots"][1];
  EXPECT_EQ(step["parent-snapshot-id"], first["current-snapshot-id"]);
  EXPECT_EQ(step["summary"]["operation"], "append");
  EXPECT_EQ(step["summary"]["added-records"], "1");
  EXPECT_EQ(step["summary"]["total-records"], "3");
  EXPECT_EQ(Records(Files(step)), 3);
  EXPECT_THAT(Manifests(step), SizeIs(2));
  EXPECT_EQ(second["refs"]["main"]["snapshot-id"], second["current-snapshot-id"]);
}

TEST_F(SpeedTableTest, R10_NothingNewIsTheSameStateAndNothingIsRead) {
  Produce(0, 1);
  const auto first = Load();
  const int reads = kafka_.reads();
  const auto second = Load();
  EXPECT_EQ(first->metadata_location, second->metadata_location);
  EXPECT_EQ(*first->metadata_json, *second->metadata_json);
  EXPECT_EQ(kafka_.reads(), reads);
}

TEST_F(SpeedTableTest, R10_StampsRiseWhateverTheClockDoes) {
  std::int64_t last = 0;
  std::set<std::string> locations;
  for (int i = 0; i < 6; ++i) {
    Produce(0, i);
    clock_.now = UnixMillis(1'700'000'000'000 + (i % 2 == 0 ? 600'000 : -600'000));
    const auto loaded = Load();
    const Json metadata = Json::parse(*loaded->metadata_json);
    const std::int64_t stamp = metadata["snapshots"].back()["timestamp-ms"];
    EXPECT_GT(stamp, last);
    EXPECT_EQ(metadata["last-updated-ms"], stamp);
    EXPECT_TRUE(locations.insert(loaded->metadata_location).second);
    last = stamp;
  }
  EXPECT_EQ(LoadJson()["snapshots"][0]["timestamp-ms"], 1) << "the first one lies in 1970";
}

TEST_F(SpeedTableTest, AnEmptyTopicHasASnapshotWithoutFiles) {
  const Json empty = LoadJson();
  ASSERT_THAT(empty["snapshots"], SizeIs(1));
  EXPECT_THAT(Files(empty["snapshots"][0]), SizeIs(0));
  Produce(0, 1);
  EXPECT_EQ(Records(Files(LoadJson()["snapshots"][1])), 1);
}

TEST_F(SpeedTableTest, R4_ARestartChangesNothingThatWasShown) {
  for (int i = 0; i < 5; ++i) {
    Produce(i % 2, i, std::string(static_cast<std::size_t>(i) * 10, 'x'));
    ASSERT_TRUE(Load().ok());
  }
  const auto before = Load();
  const auto objects = Everything(*before);
  EXPECT_GT(objects.size(), 15U);
  Restart();
  // Clients that hold the old metadata come before any load.
  for (const auto& [url, hash] : objects) EXPECT_EQ(Sha256(*Read(url)), hash) << url;
  const auto after = Load();
  EXPECT_EQ(after->metadata_location, before->metadata_location);
  EXPECT_EQ(*after->metadata_json, *before->metadata_json);
  Produce(0, 100);
  const Json grown = LoadJson();
  EXPECT_EQ(Records(Files(grown["snapshots"].back())), 6);
}

TEST_F(SpeedTableTest, R21_NamesOfTwoProcessesDiffer) {
  Produce(0, 1);
  const std::string first = LoadJson()["snapshots"][0]["manifest-list"];
  Restart();
  Produce(0, 2);
  const std::string second = LoadJson()["snapshots"][1]["manifest-list"];
  const auto nonce = [](const std::string& name) {
    const auto end = name.rfind("-w");
    return name.substr(end - 8, 8);
  };
  EXPECT_NE(nonce(first), nonce(second));
}

TEST_F(SpeedTableTest, R4_ChunkNamesSayWhatTheirBytesDependOn) {
  Produce(1, 1);
  const auto files = Files(LoadJson()["snapshots"][0]);
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_THAT(files[0].path,
              testing::MatchesRegex("s3://frazil/speed/orders/[0-9a-f-]{36}/data/"
                                    "g0-p1-0{20}-0{19}1-f[0-9a-f]{16}-s0-x-all-e2.parquet"));
}

TEST_F(SpeedTableTest, R8_RecordsThatChangedUnderAChunkGiveNoOtherBytes) {
  Produce(0, 1);
  Produce(0, 2);
  const auto files = Files(LoadJson()["snapshots"][0]);
  kafka_.Compact(0, 0);
  Restart();  // the bytes are no longer in memory
  const auto read = Read(files[0].path);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code(), ErrorCode::kRecordsGone);
  EXPECT_EQ(read.error().row().s3_status, 404);
}

TEST_F(SpeedTableTest, ExpiredRecordsAreAnErrorAndNeverFewerRows) {
  Produce(0, 1);
  const auto files = Files(LoadJson()["snapshots"][0]);
  kafka_.DeleteBefore(0, 1);
  Restart();
  EXPECT_EQ(Read(files[0].path).error().code(), ErrorCode::kRecordsGone);
}

TEST_F(SpeedTableTest, OffsetsWithoutRecordsAreNotCounted) {
  Produce(0, 1);
  kafka_.Skip(0);
  kafka_.Skip(0);
  Produce(0, 2);
  kafka_.Skip(0);
  const Json first = LoadJson();
  EXPECT_EQ(Records(Files(first["snapshots"][0])), 2);
  kafka_.Skip(0);
  Produce(0, 3);
  EXPECT_EQ(Records(Files(LoadJson()["snapshots"][1])), 3);
}

TEST_F(SpeedTableTest, LargeStepsAreSplit) {
  options_.chunk_bytes = 100'000;
  Restart();
  // Row groups are of 8 MiB.
  for (int i = 0; i < 40; ++i) Produce(0, i, std::string(1 << 20, 'x'));
  const auto files = Files(LoadJson()["snapshots"][0]);
  EXPECT_EQ(files.size(), 6U);
  EXPECT_EQ(Records(files), 40);
  const auto objects = Everything(*Load());
  Restart();
  for (const auto& [url, hash] : objects) EXPECT_EQ(Sha256(*Read(url)), hash) << url;
}

TEST_F(SpeedTableTest, OfAStepThatTheCacheCannotHoldTheRestIsCountedAndNotWritten) {
  options_.chunk_bytes = 100'000;
  cache_bytes_ = 20 << 20;
  Restart();
  for (int i = 0; i < 40; ++i) Produce(0, i, std::string(1 << 20, static_cast<char>('a' + i % 9)));
  const auto loaded = Load();
  const auto made = [&](const std::string& cause) {
    const std::string name = "\nfrazil_chunks_encoded_total{cause=\"" + cause + "\"} ";
    const std::string text = process_->metrics.Expose();
    const auto at = text.find(name);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + name.size()));
  };
  EXPECT_EQ(made("cut") + made("count"), 6);
  EXPECT_GE(made("count"), 3);
  // Sizes and counts are the files', which come out the same every time (Read and Files check it).
  const auto objects = Everything(*loaded);
  EXPECT_GE(made("read"), 3);
  EXPECT_EQ(Records(Files(LoadJson()["snapshots"][0])), 40);
  Restart();
  for (const auto& [url, hash] : objects) EXPECT_EQ(Sha256(*Read(url)), hash) << url;
}

TEST_F(SpeedTableTest, R4_FilesOfAnEarlierEncoderKeepTheirNamesAndBytes) {
  options_.encoder_version = 1;
  Restart();
  Produce(0, 1);
  Produce(1, 2);
  const auto before = Load();
  const auto objects = Everything(*before);
  EXPECT_THAT(Files(LoadJson()["snapshots"][0])[0].path, testing::EndsWith("-e1.parquet"));
  options_.encoder_version = parquet::kEncoderVersion;
  Restart();
  for (const auto& [url, hash] : objects) EXPECT_EQ(Sha256(*Read(url)), hash) << url;
  Produce(0, 3);
  const Json grown = LoadJson();
  const auto files = Files(grown["snapshots"][1]);
  EXPECT_EQ(Records(files), 3);
  EXPECT_EQ(std::count_if(files.begin(), files.end(),
                          [](const auto& file) { return file.path.ends_with("-e2.parquet"); }),
            1);
}

TEST_F(SpeedTableTest, R8_RecordsThatChangedUnderAFileOfAnEarlierEncoderGiveNoOtherBytes) {
  options_.encoder_version = 1;
  Restart();
  Produce(0, 1);
  Produce(0, 2);
  const auto files = Files(LoadJson()["snapshots"][0]);
  kafka_.Compact(0, 0);
  options_.encoder_version = parquet::kEncoderVersion;
  Restart();
  EXPECT_EQ(Read(files[0].path).error().code(), ErrorCode::kRecordsGone);
}

TEST_F(SpeedTableTest, WorkThatIsDoneBeforeAnErrorIsNotDoneAgain) {
  for (int i = 0; i < 9; ++i) Produce(0, i);
  Produce(1, 100);
  kafka_.FailReads(1, Error(ErrorCode::kKafkaUnavailable, "broker 2 is away"));
  EXPECT_EQ(Load().error().message(), "broker 2 is away");
  // The load does not wait for the other partition.
  while (kafka_.reads() < 2) std::this_thread::yield();
  kafka_.FailReads(1, std::nullopt);
  kafka_.FailReads(0, Error(ErrorCode::kInternal, "was read twice"));
  EXPECT_EQ(Records(Files(LoadJson()["snapshots"][0])), 10);
}

TEST_F(SpeedTableTest, NewPartitionsJoin) {
  Produce(0, 1);
  LoadJson();
  kafka_.AddPartition();
  Produce(2, 2);
  EXPECT_EQ(Records(Files(LoadJson()["snapshots"][1])), 2);
}

TEST_F(SpeedTableTest, R1_ALowerEndIsAnErrorOnlyWhenItStays) {
  Produce(0, 1);
  Produce(0, 2);
  const auto shown = Load();
  kafka_.Lag(0, 1);
  const auto behind = Load();
  ASSERT_FALSE(behind.ok());
  EXPECT_EQ(behind.error().code(), ErrorCode::kLogTruncated);
  EXPECT_THAT(behind.error().message(),
              HasSubstr("ends at offset 1 (high watermark 1) although records up to offset 2"));
  kafka_.Lag(0, 2);
  EXPECT_EQ(Load()->metadata_location, shown->metadata_location);
}

TEST_F(SpeedTableTest, R5_ANewVersionWithoutRecordsChangesTheMetadataOnly) {
  Produce(0, 1);
  const Json before = LoadJson();
  registry_.Register(
      RecordSchema({{"id", "\"long\""}, {"note", "\"string\""}, {"more", R"(["null","string"])"}}));
  const Json after = LoadJson();
  EXPECT_EQ(after["snapshots"], before["snapshots"]);
  EXPECT_EQ(after["current-schema-id"], 1);
  ASSERT_THAT(after["schemas"], SizeIs(2));
  EXPECT_EQ(after["schemas"][0], before["schemas"][0]);
  EXPECT_GT(after["last-updated-ms"], before["last-updated-ms"]);
  EXPECT_GT(after["last-column-id"], before["last-column-id"]);
}

TEST_F(SpeedTableTest, R5_AChunkKeepsTheOldestVersionThatHoldsItsRecords) {
  const auto newer = registry_.Register(
      RecordSchema({{"id", "\"long\""}, {"note", "\"string\""}, {"more", R"(["null","string"])"}}));
  Produce(0, 1);
  const auto old_only = Files(LoadJson()["snapshots"][0]);
  EXPECT_THAT(old_only[0].path, HasSubstr("-s0-"));
  Produce(0, 2);
  kafka_.Produce(0, ValueBuilder(newer).Long(3).Text("n").Long(1).Text("m").Build());
  const auto mixed = Files(LoadJson()["snapshots"][1]);
  ASSERT_THAT(mixed, SizeIs(2));
  EXPECT_THAT(mixed[0].path, HasSubstr("-s1-"));
  EXPECT_EQ(mixed[1].path, old_only[0].path);
}

TEST_F(SpeedTableTest, ADroppedFieldThatComesBackHasItsValuesAgain) {
  const std::string both = RecordSchema({{"id", "\"long\""}, {"note", "\"string\""}});
  registry_.Register(RecordSchema({{"id", "\"long\""}}));
  Produce(0, 1);
  const Json dropped = LoadJson();
  EXPECT_EQ(dropped["current-schema-id"], 1);
  EXPECT_THAT(Files(dropped["snapshots"][0])[0].path, HasSubstr("-s0-"));
  registry_.DeleteNewestVersion();
  const Json restored = LoadJson();
  EXPECT_EQ(restored["current-schema-id"], 2);
  EXPECT_EQ(restored["schemas"][2]["fields"], restored["schemas"][0]["fields"]);
  EXPECT_EQ(LoadJson(), restored);
}

TEST_F(SpeedTableTest, AnIncompatibleVersionRefusesTheTableWithTheReason) {
  Produce(0, 1);
  LoadJson();
  registry_.Register(RecordSchema({{"id", "\"string\""}, {"note", "\"string\""}}));
  const auto loaded = Load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code(), ErrorCode::kSchemaIncompatible);
  EXPECT_THAT(loaded.error().message(), HasSubstr("id"));
  registry_.DeleteNewestVersion();
  EXPECT_TRUE(Load().ok());
}

TEST_F(SpeedTableTest, R5_TheLastKnownSchemaServesWhileTheRegistryIsAway) {
  options_.registry_timeout = milliseconds(20);
  Restart();
  Produce(0, 1);
  LoadJson();
  registry_.FailWith(Error(ErrorCode::kRegistryUnavailable, "connection refused"));
  Produce(0, 2);
  EXPECT_EQ(Records(Files(LoadJson()["snapshots"][1])), 2);
  EXPECT_THAT(process_->metrics.Expose(), HasSubstr("frazil_topics_stale 1"));
  EXPECT_THAT(process_->log, HasSubstr("connection refused"));
  registry_.FailWith(std::nullopt);
  const Deadline deadline = Soon();
  const auto is_stale = [this] {
    return process_->metrics.Expose().find("frazil_topics_stale 0") == std::string::npos;
  };
  while (is_stale() && !deadline.Expired()) LoadJson();
  EXPECT_FALSE(is_stale());
}

TEST_F(SpeedTableTest, R5_AfterARestartWithoutTheRegistryAllThatWasShownIsRead) {
  Produce(0, 1);
  const auto shown = Load();
  const auto objects = Everything(*shown);
  registry_.FailWith(Error(ErrorCode::kRegistryUnavailable, "connection refused"));
  Restart();
  for (const auto& [url, hash] : objects) {
    const auto bytes = Read(url);
    ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
    EXPECT_EQ(Sha256(*bytes), hash) << url;
  }
  Produce(0, 2);
  EXPECT_EQ(Records(Files(LoadJson()["snapshots"][1])), 2);
}

TEST_F(SpeedTableTest, ARegistryThatIsAwayIsNotAskedAtEachLoad) {
  Produce(0, 1);
  LoadJson();
  registry_.FailWith(Error(ErrorCode::kRegistryUnavailable, "connection refused"));
  LoadJson();
  const int asked = registry_.asked();
  for (int i = 0; i < 10; ++i) LoadJson();
  EXPECT_EQ(registry_.asked(), asked);
}

TEST_F(SpeedTableTest, R4_FilesOfAnotherWriterVersionAreNotMadeWithThisOne) {
  Produce(0, 1);
  ASSERT_TRUE(Load().ok());
  const auto table =
      process_->ledger->FindTable((*process_->ledger->FindTopic("orders"))->key, "speed");
  const auto recorded = process_->ledger->RecordState(
      (*table)->key, 1, {.cuts = {}, .schema_version = SchemaVersion(0), .writer_version = 99});
  ASSERT_TRUE(recorded.ok()) << recorded.error().ToString();
  Restart();
  const TableIdentity orders{
      .namespace_name = "speed", .name = "orders", .topic = "orders", .uuid = (*table)->uuid};
  const auto read =
      process_->catalog.ReadObject(MetadataKey(orders, 2, recorded->state.nonce, 99), Soon(), {});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code(), ErrorCode::kPathNotReproducible);
}

TEST_F(SpeedTableTest, AWriterOutsideTheSubjectIsReadWhenItFits) {
  const auto elsewhere = registry_.RegisterElsewhere(RecordSchema({{"id", "\"int\""}}));
  kafka_.Produce(0, ValueBuilder(elsewhere).Long(7).Build());
  const Json loaded = LoadJson();
  EXPECT_EQ(Records(Files(loaded["snapshots"][0])), 1);
  EXPECT_EQ(loaded["current-schema-id"], 0);
  const auto stranger = registry_.RegisterElsewhere(RecordSchema({{"other", "\"int\""}}));
  kafka_.Produce(0, ValueBuilder(stranger).Long(7).Build());
  const auto refused = Load();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kSchemaIncompatible);
  EXPECT_THAT(refused.error().message(), HasSubstr("field other"));
  EXPECT_THAT(refused.error().message(), HasSubstr("partition 0, offset 1"));
  const auto place = process_->catalog.LoadsOf("orders").refused_record;
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->offset, Offset(1));
  EXPECT_EQ(place->schema_id, stranger);
}

TEST_F(SpeedTableTest, AnUndecodableRecordRefusesTheCutAndNamesItsPlace) {
  Produce(1, 1);
  const auto shown = Load();
  kafka_.Produce(1, Bytes{'j', 's', 'o', 'n'});
  const auto refused = Load();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kUndecodableRecord);
  EXPECT_THAT(refused.error().message(), HasSubstr("orders"));
  EXPECT_THAT(refused.error().message(), HasSubstr("1"));
  const auto place = process_->catalog.LoadsOf("orders").refused_record;
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->partition, PartitionId(1));
  EXPECT_EQ(place->offset, Offset(1));
  EXPECT_FALSE(place->schema_id.has_value());
  EXPECT_TRUE(Read(shown->metadata_location).ok()) << "what was shown still reads";
}

TEST_F(SpeedTableTest, ATopicThatCannotBeShownLeavesNothingBehind) {
  const auto absent =
      process_->catalog.LoadTable("speed", "absent", SnapshotSelection::kAll, Soon(), {});
  EXPECT_EQ(absent.error().code(), ErrorCode::kTableNotFound);
  EXPECT_FALSE((*process_->ledger->FindTopic("absent")).has_value());
  registry_.FailWith(Error(ErrorCode::kRegistryUnavailable, "away"));
  EXPECT_EQ(Load().error().code(), ErrorCode::kRegistryUnavailable);
  EXPECT_FALSE((*process_->ledger->FindTopic("orders")).has_value());
  registry_.FailWith(std::nullopt);
  EXPECT_TRUE(Load().ok());
}

TEST_F(SpeedTableTest, PathsThatWereNeverHandedOutAreNotFound) {
  Produce(0, 1);
  const auto loaded = Load();
  const std::string known(KeyOf(loaded->metadata_location));
  const std::string table = known.substr(0, known.find("/metadata/"));
  for (const std::string& key :
       {std::string(), std::string("speed"), std::string("speed/orders/x/y"), known + "x",
        table + "/data/g0-p0-00000000000000000000-00000000000000000009-f0-s0-x-all-e1.parquet",
        std::string("batch") + known.substr(5),
        "speed/orders/" + Uuid::Random().ToString() + known.substr(table.size())}) {
    EXPECT_EQ(process_->catalog.ReadObject(key, Soon(), {}).error().code(), ErrorCode::kNotFound)
        << key;
    EXPECT_EQ(process_->catalog.StatObject(key).error().code(), ErrorCode::kNotFound) << key;
  }
}

TEST_F(SpeedTableTest, StatAgreesWithReadAndReadsNoRecords) {
  Produce(0, 1);
  const auto objects = Everything(*Load());
  Restart();
  for (const auto& [url, hash] : objects) {
    const auto info = process_->catalog.StatObject(KeyOf(url));
    ASSERT_TRUE(info.ok());
    if (url.ends_with(".parquet")) {
      EXPECT_EQ(kafka_.reads(), 1);
    }
    const auto object = process_->catalog.ReadObject(KeyOf(url), Soon(), {});
    EXPECT_EQ(info->size, object->info.size);
    EXPECT_EQ(info->etag, object->info.etag);
    EXPECT_EQ(info->last_modified, object->info.last_modified);
  }
}

TEST_F(SpeedTableTest, ListingGivesTheCurrentStateInOrder) {
  Produce(0, 1);
  const auto loaded = Load();
  const std::string prefix(KeyOf(loaded->location));
  const auto all = process_->catalog.ListObjects(prefix + "/", "", 100);
  ASSERT_TRUE(all.ok());
  ASSERT_THAT(all->objects, SizeIs(4));
  EXPECT_FALSE(all->truncated);
  std::vector<std::string> keys;
  for (const ListedObject& object : all->objects) keys.push_back(object.key);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  const auto some = process_->catalog.ListObjects(prefix + "/", keys[0], 2);
  EXPECT_TRUE(some->truncated);
  EXPECT_EQ(some->objects[0].key, keys[1]);
}

TEST_F(SpeedTableTest, ReferencedSnapshotsAreTheCurrentOne) {
  Produce(0, 1);
  LoadJson();
  Produce(0, 2);
  const auto all = Load();
  const auto referenced = Load(SnapshotSelection::kReferenced);
  EXPECT_EQ(referenced->metadata_location, all->metadata_location);
  const Json metadata = Json::parse(*referenced->metadata_json);
  ASSERT_THAT(metadata["snapshots"], SizeIs(1));
  EXPECT_EQ(metadata["snapshots"][0]["snapshot-id"], metadata["current-snapshot-id"]);
}

TEST_F(SpeedTableTest, HistoryThatIsListedIsBounded) {
  // Cuts without records cost a test the least.
  constexpr std::size_t kListed = 30;
  constexpr std::size_t kCuts = 130;
  options_.history_snapshots = kListed;
  Restart();
  for (std::size_t i = 0; i < kCuts; ++i) {
    kafka_.Skip(0);
    ASSERT_TRUE(Load().ok());
  }
  Produce(0, 1);
  const Json metadata = LoadJson();
  ASSERT_THAT(metadata["snapshots"], SizeIs(kListed));
  EXPECT_THAT(metadata["metadata-log"], SizeIs(ledger::kPreviousStates));
  EXPECT_EQ(metadata["snapshots"].back()["sequence-number"], kCuts + 1);
  EXPECT_EQ(Records(Files(metadata["snapshots"].back())), 1);
}

TEST_F(SpeedTableTest, LoadsAtOnceShareCutsAndSeeWhatWasThereBefore) {
  options_.cut_interval = milliseconds(5);
  Restart();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 8; ++worker) {
    threads.emplace_back([&, worker] {
      for (int i = 0; i < 20; ++i) {
        const std::int64_t offset =
            kafka_.Produce(worker % 2, ValueBuilder(schema_id_).Long(i).Text("n").Build());
        const auto loaded = Load();
        if (!loaded.ok()) {
          ++wrong;
          continue;
        }
        // The step that holds the record is in some manifest of the current snapshot.
        const Json metadata = Json::parse(*loaded->metadata_json);
        const Json& current = metadata["snapshots"].back();
        const auto total = std::stoll(current["summary"]["total-records"].get<std::string>());
        if (total < offset + 1) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const Json metadata = LoadJson();
  EXPECT_EQ(Records(Files(metadata["snapshots"].back())), 160);
  EXPECT_LT(metadata["snapshots"].size(), 160U) << "loads share cuts";
}

}  // namespace
}  // namespace frazil::table
