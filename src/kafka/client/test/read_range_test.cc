// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "kafka/client/test/client_fixture.h"
#include "kafka/wire/crc32c.h"

namespace frazil::kafka {
namespace {

using wire::CompressionCodec;
using wire::ControlType;
using wire::FetchRequest;
using wire::FetchResponse;
using wire::ProtocolError;

using ReadRangeTest = ClientTest;

TEST_F(ReadRangeTest, HandsOverExactlyTheRange) {
  AddTopic().Data(5).Data(5, -1, CompressionCodec::kLz4).Data(5);
  for (const int batches : {1, 2, 100}) {
    fake_.max_fetch_batches = batches;
    ASSERT_TRUE(Read(0, 15).ok());
    EXPECT_EQ(offsets_, Numbers(0, 15));
    ASSERT_TRUE(Read(3, 12).ok());
    EXPECT_EQ(offsets_, Numbers(3, 12));
    ASSERT_TRUE(Read(6, 7).ok());
    EXPECT_EQ(offsets_, Numbers(6, 7));
  }
  ASSERT_TRUE(Read(4, 4).ok());
  EXPECT_TRUE(offsets_.empty());
}

TEST_F(ReadRangeTest, AsksForCommittedRecordsWithoutSessionOrWait) {
  AddTopic().Data(5);
  Partition().epoch = 3;
  ASSERT_TRUE(Read(0, 5).ok());
  ASSERT_EQ(fake_.fetches.size(), 1U);
  const FetchRequest& fetch = fake_.fetches[0];
  EXPECT_EQ(fetch.isolation_level, 1);
  EXPECT_EQ(fetch.session_id, 0);
  EXPECT_EQ(fetch.session_epoch, -1);
  EXPECT_EQ(fetch.max_wait_ms, 0);
  EXPECT_EQ(fetch.topics[0].partitions[0].current_leader_epoch, 3);
  EXPECT_EQ(fetch.topics[0].partitions[0].last_fetched_epoch, -1);
  EXPECT_EQ(fake_.fetch_versions[0], 13);
}

TEST_F(ReadRangeTest, LeavesOutMarkersAndAbortedRecords) {
  // B057: committed, aborted, plain, committed.
  AddTopic().Data(1, 1).Marker(1, ControlType::kCommit).Data(1, 1).Marker(1, ControlType::kAbort);
  Partition().Data(1).Data(1, 1).Marker(1, ControlType::kCommit);
  Partition().aborted = {{1, 2, 3}};
  ASSERT_TRUE(Read(0, 7).ok());
  EXPECT_EQ(offsets_, (std::vector<std::int64_t>{0, 4, 5}));
  EXPECT_EQ(fake_.fetches.size(), 1U) << "markers at the end complete the range";
}

TEST_F(ReadRangeTest, ALaterBatchShowsThatAHoleIsOne) {
  AddTopic().Data(2).Hole(10).Data(1);
  ASSERT_TRUE(Read(0, 8).ok());
  EXPECT_EQ(offsets_, Numbers(0, 2));
  EXPECT_EQ(fake_.fetches.size(), 1U);
}

TEST_F(ReadRangeTest, R6_AHoleAtTheLogsEndTakesTwoPatientAnswers) {
  AddTopic().Data(2).Hole(3);
  ASSERT_TRUE(Read(0, 5).ok());
  EXPECT_EQ(offsets_, Numbers(0, 2));
  std::vector<std::int32_t> waits;
  waits.reserve(fake_.fetches.size());
  for (const FetchRequest& fetch : fake_.fetches) waits.push_back(fetch.max_wait_ms);
  EXPECT_EQ(waits, (std::vector<std::int32_t>{0, 0, 50, 50}));
}

TEST_F(ReadRangeTest, R6_EmptyAnswersAreNoEnd) {
  AddTopic().Data(4);
  fake_.on_fetch = [this](const FetchRequest& request) -> std::optional<FetchResponse> {
    // Empty at once, then after waiting, then throttled: data lay elsewhere all the time.
    if (fake_.fetches.size() > 4) return std::nullopt;
    FetchResponse response = FakeCluster::EmptyFetch(request, 0, 4);
    if (fake_.fetches.size() >= 3) response.throttle_time_ms = 1;
    return response;
  };
  ASSERT_TRUE(Read(0, 4).ok());
  EXPECT_EQ(offsets_, Numbers(0, 4));
}

TEST_F(ReadRangeTest, R6_ABrokerThatPointsToAFollowerIsAskedAsLeader) {
  AddTopic().Data(4);
  fake_.on_fetch = [this](const FetchRequest& request) -> std::optional<FetchResponse> {
    if (fake_.fetch_versions.back() <= 10) return std::nullopt;
    FetchResponse response = FakeCluster::EmptyFetch(request, 0, 4);
    response.topics[0].partitions[0].preferred_read_replica = 2;
    return response;
  };
  ASSERT_TRUE(Read(0, 4).ok());
  EXPECT_EQ(offsets_, Numbers(0, 4));
  EXPECT_EQ(fake_.fetches.size(), 2U);
}

TEST_F(ReadRangeTest, R6_EmptyAnswersWithoutALastStableOffsetProveNothing) {
  AddTopic().Data(4);
  fake_.on_fetch = [](const FetchRequest& request) {
    return FakeCluster::EmptyFetch(request, 0, -1);
  };
  ExpectError(Read(0, 4, Deadline::After(std::chrono::milliseconds(300))),
              ErrorCode::kKafkaUnavailable, {"does not show that there are none", "broker-1"});
}

TEST_F(ReadRangeTest, R6_AThrottledAnswerThatLeavesAllOutIsNoEnd) {
  AddTopic().Data(2);
  fake_.on_fetch = [this](const FetchRequest&) -> std::optional<FetchResponse> {
    if (fake_.fetches.size() > 6) return std::nullopt;
    FetchResponse response;
    response.throttle_time_ms = 1;
    return response;
  };
  ASSERT_TRUE(Read(0, 2).ok());
  EXPECT_EQ(offsets_, Numbers(0, 2));
}

TEST_F(ReadRangeTest, ALowerEndIsLookedAtUntilTheDeadline) {
  AddTopic().Data(3);
  ExpectError(Read(0, 5, AtOnce()), ErrorCode::kLogTruncated, {"partition 0", "from 3 on"});
  EXPECT_EQ(offsets_, Numbers(0, 3));
  EXPECT_GT(fake_.fetches.size(), 4U);
  // A leader that only lagged.
  fake_.after_fetch = [this](FetchResponse&) {
    if (Partition().end == 3 && fake_.metadata_requests > 8) Partition().Data(2);
  };
  ASSERT_TRUE(Read(0, 5).ok());
  EXPECT_EQ(offsets_, Numbers(0, 5));
}

TEST_F(ReadRangeTest, AnEndBelowTheStartIsTruncationToo) {
  AddTopic().Data(3);
  ExpectError(Read(4, 6, AtOnce()), ErrorCode::kLogTruncated);
}

TEST_F(ReadRangeTest, RecordsBelowTheLogsStartAreGone) {
  AddTopic().Data(5).Data(5);
  Partition().start = 5;
  ExpectError(Read(2, 10), ErrorCode::kRecordsGone, {"partition 0", "from offset 2", "at 5"});
  EXPECT_TRUE(offsets_.empty());
}

TEST_F(ReadRangeTest, ATopicWithAnotherIdIsNotRead) {
  AddTopic().Data(5);
  fake_.topics["orders"].id = FakeId(2);
  ExpectError(Read(0, 5), ErrorCode::kTopicRecreated, {"'orders'", FakeId(2).ToString()});
  EXPECT_TRUE(fake_.fetches.empty());
}

TEST_F(ReadRangeTest, ATopicThatIsRecreatedBetweenFetchesIsNoticed) {
  AddTopic().Data(2).Data(2);
  fake_.max_fetch_batches = 1;
  fake_.after_fetch = [this](FetchResponse&) { fake_.topics["orders"].id = FakeId(2); };
  ExpectError(Read(0, 4), ErrorCode::kTopicRecreated);
}

TEST_F(ReadRangeTest, WhereTopicsAreFetchedByNameTheIdIsCheckedAtTheEnd) {
  AddTopic().Data(4);
  fake_.versions[wire::ApiKey::kFetch] = {0, 12};
  ASSERT_TRUE(Read(0, 4).ok());
  EXPECT_EQ(offsets_, Numbers(0, 4));
  fake_.after_fetch = [this](FetchResponse&) { fake_.topics["orders"].id = FakeId(2); };
  ExpectError(Read(0, 4), ErrorCode::kTopicRecreated);
}

TEST_F(ReadRangeTest, ADeletedTopicIsNotFound) {
  AddTopic().Data(2).Data(2);
  fake_.max_fetch_batches = 1;
  fake_.after_fetch = [this](FetchResponse&) { fake_.topics.clear(); };
  ExpectError(Read(0, 4), ErrorCode::kTableNotFound);
}

TEST_F(ReadRangeTest, DamagedRecordsAreNamed) {
  AddTopic().Data(2).Data(2);
  Partition().batches[1].bytes.back() ^= 1;
  ExpectError(Read(0, 4), ErrorCode::kCorruptData,
              {"partition 0 of topic 'orders'", "offset 2", "checksum"});
  ASSERT_TRUE(Read(0, 2).ok()) << "a batch that is not wanted is not minded";
}

TEST_F(ReadRangeTest, BatchesOutOfOrderAreDamage) {
  AddTopic().Data(2).Data(2).Data(2);
  std::swap(Partition().batches[0], Partition().batches[1]);
  ExpectError(Read(0, 6), ErrorCode::kCorruptData, {"order"});
}

TEST_F(ReadRangeTest, ReadsEveryCodecInOnePartition) {
  AddTopic();
  for (const auto codec :
       {CompressionCodec::kNone, CompressionCodec::kGzip, CompressionCodec::kSnappy,
        CompressionCodec::kLz4, CompressionCodec::kZstd}) {
    Partition().Data(7, -1, codec);
  }
  ASSERT_TRUE(Read(0, 35).ok());
  EXPECT_EQ(offsets_, Numbers(0, 35));
  ASSERT_TRUE(Read(10, 25).ok());
  EXPECT_EQ(offsets_, Numbers(10, 25));
}

TEST_F(ReadRangeTest, DamagedCompressionIsNamed) {
  AddTopic().Data(2);
  Bytes& batch = Partition().batches[0].bytes;
  batch[22] = 4;
  StoreBigEndian(wire::Crc32c(ByteView(batch).subspan(21)), batch.data() + 17);
  ExpectError(Read(0, 2), ErrorCode::kCorruptData,
              {"zstd", "partition 0 of topic 'orders'", "offset 0"});
}

TEST_F(ReadRangeTest, OldMessageFormatsAreNamed) {
  for (const std::uint8_t magic : {0, 1}) {
    fake_.topics.clear();
    AddTopic().Data(2);
    Partition().batches[0].bytes[16] = magic;
    ExpectError(Read(0, 2), ErrorCode::kUnsupported,
                {"before Kafka 0.11", "partition 0 of topic 'orders'"});
  }
}

TEST_F(ReadRangeTest, ARecordOrBatchAboveTheLimitsIsNamed) {
  AddTopic().Data(2).Data(2, -1, CompressionCodec::kZstd);
  options_.batch_limits.max_record_bytes = 7;
  ExpectError(Read(0, 4), ErrorCode::kUnsupported,
              {"limit of 7 bytes", "offset 0", "partition 0 of topic 'orders'"});
  options_.batch_limits = {};
  options_.batch_limits.max_uncompressed_bytes = 10;
  Restart();
  ExpectError(Read(0, 4), ErrorCode::kResourceExhausted,
              {"limit of 10 bytes", "offset 2", "partition 0 of topic 'orders'"});
  ASSERT_TRUE(Read(0, 2).ok()) << "only what is wanted counts";
}

TEST_F(ReadRangeTest, ALostConnectionCostsNothing) {
  AddTopic().Data(2).Data(2).Data(2);
  fake_.max_fetch_batches = 1;
  int frames = 0;
  fake_.on_frame = [&frames](wire::ApiKey api, Bytes frame) -> std::optional<Bytes> {
    if (api == wire::ApiKey::kFetch && ++frames % 2 == 0) return std::nullopt;
    return frame;
  };
  ASSERT_TRUE(Read(0, 6).ok());
  EXPECT_EQ(offsets_, Numbers(0, 6));
}

TEST_F(ReadRangeTest, FollowsAMovedLeader) {
  AddTopic().Data(2).Data(2);
  fake_.max_fetch_batches = 1;
  fake_.after_fetch = [this](FetchResponse&) {
    Partition().leader = 2;
    Partition().epoch = 1;
  };
  ASSERT_TRUE(Read(0, 4).ok());
  EXPECT_EQ(offsets_, Numbers(0, 4));
  EXPECT_EQ(fake_.fetched_brokers.front(), 1);
  EXPECT_EQ(fake_.fetched_brokers.back(), 2);
}

TEST_F(ReadRangeTest, ALeaderOfAnOlderEpochIsNotRead) {
  AddTopic().Data(2);
  Partition().epoch = 3;
  ReadRequest request = Range(0, 2);
  request.epoch = LeaderEpoch(4);
  ExpectError(Read(request, AtOnce()), ErrorCode::kKafkaUnavailable, {"UNKNOWN_LEADER_EPOCH"});
  EXPECT_TRUE(offsets_.empty());
  request.epoch = LeaderEpoch(2);
  EXPECT_TRUE(Read(request).ok());
}

TEST_F(ReadRangeTest, RepeatsErrorsThatMayPass) {
  AddTopic().Data(2);
  int passing = 0;
  // All that Kafka's own clients repeat, but for damage, and the broker's own unknown error.
  for (std::int16_t code = -1; code < 140; ++code) {
    if (!wire::IsRetriable(code) && code != Code(ProtocolError::kUnknownServerError)) continue;
    if (code == Code(ProtocolError::kCorruptMessage)) continue;
    ++passing;
    int failures = 2;
    fake_.on_fetch = [&](const FetchRequest& request) -> std::optional<FetchResponse> {
      if (failures-- <= 0) return std::nullopt;
      return FakeCluster::EmptyFetch(request, code, -1);
    };
    ASSERT_TRUE(Read(0, 2).ok()) << code;
    EXPECT_EQ(offsets_, Numbers(0, 2));
  }
  EXPECT_GT(passing, 20);
  for (const ProtocolError error :
       {ProtocolError::kNotLeaderOrFollower, ProtocolError::kFencedLeaderEpoch,
        ProtocolError::kUnknownLeaderEpoch, ProtocolError::kLeaderNotAvailable,
        ProtocolError::kOffsetNotAvailable, ProtocolError::kKafkaStorageError,
        ProtocolError::kUnknownTopicOrPartition, ProtocolError::kUnknownTopicId,
        ProtocolError::kInconsistentTopicId}) {
    EXPECT_TRUE(wire::IsRetriable(Code(error))) << Code(error);
  }
}

TEST_F(ReadRangeTest, OtherErrorsAreFinal) {
  AddTopic().Data(2);
  fake_.on_fetch = [](const FetchRequest& request) {
    return FakeCluster::EmptyFetch(request, Code(ProtocolError::kTopicAuthorizationFailed), -1);
  };
  ExpectError(Read(0, 2), ErrorCode::kKafkaProtocol, {"TOPIC_AUTHORIZATION_FAILED"});
  EXPECT_EQ(fake_.fetches.size(), 1U);
  fake_.on_fetch = [](const FetchRequest& request) {
    return FakeCluster::EmptyFetch(request, Code(ProtocolError::kCorruptMessage), -1);
  };
  ExpectError(Read(0, 2), ErrorCode::kCorruptData, {"'orders'"});
}

TEST_F(ReadRangeTest, AnAnswerAboutAnotherPartitionIsRefused) {
  AddTopic().Data(2);
  fake_.after_fetch = [](FetchResponse& response) { response.topics[0].partitions[0].index = 1; };
  ExpectError(Read(0, 2), ErrorCode::kKafkaProtocol, {"not about what was asked"});
}

TEST_F(ReadRangeTest, ABatchThatIsNeverWholeIsDamage) {
  AddTopic().Data(2);
  Bytes cut = Partition().batches[0].bytes;
  cut.pop_back();
  fake_.after_fetch = [&cut](FetchResponse& response) {
    response.topics[0].partitions[0].records = ByteView(cut);
  };
  ExpectError(Read(0, 2), ErrorCode::kCorruptData, {"no whole record batch"});
}

TEST_F(ReadRangeTest, ACutOffLastBatchIsFetchedAgain) {
  AddTopic().Data(2).Data(2);
  Bytes cut;
  fake_.after_fetch = [&cut, this](FetchResponse& response) {
    FetchResponse::Partition& partition = response.topics[0].partitions[0];
    if (fake_.fetches.size() > 1) return;
    cut.assign(partition.records->begin(), partition.records->end() - 1);
    partition.records = ByteView(cut);
  };
  ASSERT_TRUE(Read(0, 4).ok());
  EXPECT_EQ(offsets_, Numbers(0, 4));
  EXPECT_EQ(fake_.fetches.size(), 2U);
}

TEST_F(ReadRangeTest, TheSinksErrorEndsTheReadWhateverItsCode) {
  AddTopic().Data(2).Data(2);
  fake_.max_fetch_batches = 1;
  int calls = 0;
  const Status status = client().ReadRange(Range(0, 4),
                                           [&calls](const RecordBlock&) -> Status {
                                             ++calls;
                                             return Error(ErrorCode::kNetwork, "the sink's own");
                                           },
                                           Soon(), {});
  ExpectError(status, ErrorCode::kNetwork, {"the sink's own"});
  EXPECT_EQ(calls, 1);
}

TEST_F(ReadRangeTest, LargeAnswersReachTheSinkInPieces) {
  AddTopic();
  for (int i = 0; i < 10; ++i) Partition().Data(10);
  options_.block_payload_bytes = 50;
  int calls = 0;
  std::vector<RecordBlock> kept;
  const Status status = client().ReadRange(Range(0, 100),
                                           [&](RecordBlock set) -> Status {
                                             ++calls;
                                             EXPECT_GT(set.held_bytes, set.payload_bytes);
                                             kept.push_back(std::move(set));
                                             return {};
                                           },
                                           Soon(), {});
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(calls, 5);
  // The views outlive the read.
  std::int64_t offset = 0;
  for (const RecordBlock& set : kept) {
    for (const RecordView& record : set.records) {
      EXPECT_EQ(AsText(record.value.view()), "v" + std::to_string(offset++));
    }
  }
  EXPECT_EQ(offset, 100);
}

TEST_F(ReadRangeTest, EachBatchThatRecordsCameFromIsMarkedOnce) {
  // Offsets: data 0..3, data of a transaction 4..5 and its abort at 6, data 7..10, a hole, data
  // 13..15.
  FakePartition& partition = AddTopic().Data(4).Data(2, 9).Marker(9, wire::ControlType::kAbort);
  partition.aborted = {{9, 4, 6}};
  partition.Data(4).Hole(2).Data(3);
  options_.block_payload_bytes = 1;
  fake_.max_fetch_batches = 2;
  std::vector<BatchMark> marks;
  std::size_t blocks = 0;
  const Status status =
      client().ReadRange(Range(2, 14),
                         [&](const RecordBlock& block) -> Status {
                           ++blocks;
                           marks.insert(marks.end(), block.batches.begin(), block.batches.end());
                           return {};
                         },
                         Soon(), {});
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(blocks, 3U);
  const auto mark_of = [&partition](std::size_t index) {
    ByteView rest = partition.batches[index].bytes;
    return wire::TakeRecordBatch(rest, {}).value().value().mark();
  };
  EXPECT_EQ(marks, (std::vector<BatchMark>{mark_of(0), mark_of(3), mark_of(4)}));
  EXPECT_EQ(marks.back().base_offset, 13);
  EXPECT_EQ(marks.back().last_offset, 15);
  EXPECT_EQ(marks.back().record_count, 3);
}

TEST_F(ReadRangeTest, ThreadsShareABoundedNumberOfConnections) {
  for (int i = 0; i < 4; ++i) AddTopic();
  for (int i = 0; i < 4; ++i) {
    FakePartition& partition = Partition(static_cast<std::size_t>(i));
    partition.leader = 1 + i % 2;
    for (int k = 0; k < 20; ++k) partition.Data(5);
  }
  fake_.max_fetch_batches = 1;
  options_.max_connections_per_broker = 2;
  Cluster& cluster = client();
  std::atomic<int> records{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        ReadRequest request = Range(0, 100);
        request.partition = PartitionId(i % 4);
        EXPECT_TRUE(cluster.Describe("orders", Soon(), {}).ok());
        const Status status = cluster.ReadRange(request,
                                                [&records](const RecordBlock& set) -> Status {
                                                  records += static_cast<int>(set.records.size());
                                                  return {};
                                                },
                                                Soon(), {});
        EXPECT_TRUE(status.ok());
      });
    }
  }
  EXPECT_EQ(records, 800);
  EXPECT_LE(fake_.most_open, 4);
}

}  // namespace
}  // namespace frazil::kafka
