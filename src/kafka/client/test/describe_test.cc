// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "kafka/client/test/client_fixture.h"

namespace frazil::kafka {
namespace {

using wire::ProtocolError;

using DescribeTest = ClientTest;

TEST_F(DescribeTest, TellsWhatTheLeadersTell) {
  AddTopic().Data(3);
  Partition().start = 1;
  FakePartition& second = AddTopic();
  second.leader = 2;
  second.epoch = 5;
  second.Data(4);
  const auto offsets = Describe();
  ASSERT_TRUE(offsets.ok()) << offsets.error().message();
  EXPECT_EQ(offsets->topic_id, FakeId(1));
  ASSERT_EQ(offsets->partitions.size(), 2U);
  EXPECT_EQ(offsets->partitions[0].start, Offset(1));
  EXPECT_EQ(offsets->partitions[0].end, Offset(3));
  EXPECT_EQ(offsets->partitions[1].partition, PartitionId(1));
  EXPECT_EQ(offsets->partitions[1].leader, BrokerId(2));
  EXPECT_EQ(offsets->partitions[1].epoch, LeaderEpoch(5));
  EXPECT_EQ(offsets->partitions[1].end, Offset(4));
  // Three questions to each leader, with its epoch; only the last is about all records.
  ASSERT_EQ(fake_.list_offsets.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(fake_.list_offsets[i].isolation_level, i % 3 == 2 ? 0 : 1);
    EXPECT_GE(fake_.list_offsets[i].topics[0].partitions[0].current_leader_epoch, 0);
  }
}

TEST_F(DescribeTest, R7_TellsHowFarOpenTransactionsHoldBackTheEnd) {
  AddTopic().Data(3);
  Partition().high_watermark = 9;
  const auto offsets = Describe();
  ASSERT_TRUE(offsets.ok()) << offsets.error().message();
  EXPECT_EQ(offsets->partitions[0].end, Offset(3));
  EXPECT_EQ(offsets->partitions[0].high_watermark, Offset(9));
  // A broker that lags behind itself does not break what is promised.
  Partition().high_watermark = 1;
  EXPECT_EQ(Describe()->partitions[0].high_watermark, Offset(3));
}

TEST_F(DescribeTest, SeesPartitionsThatWereAddedSinceTheLastCall) {
  AddTopic().Data(1);
  ASSERT_TRUE(Describe().ok());
  AddTopic().Data(7);
  const auto offsets = Describe();
  ASSERT_TRUE(offsets.ok());
  ASSERT_EQ(offsets->partitions.size(), 2U);
  EXPECT_EQ(offsets->partitions[1].end, Offset(7));
}

TEST_F(DescribeTest, NeverPutsANewTopicsOffsetsUnderTheOldId) {
  AddTopic().Data(9);
  ASSERT_TRUE(Describe().ok());
  fake_.topics.erase("orders");
  AddTopic().Data(2);
  fake_.topics["orders"].id = FakeId(2);
  const auto offsets = Describe();
  ASSERT_TRUE(offsets.ok());
  EXPECT_EQ(offsets->topic_id, FakeId(2));
  EXPECT_EQ(offsets->partitions[0].end, Offset(2));
}

TEST_F(DescribeTest, LooksAgainWhenTheTopicIsRecreatedWhileItIsDescribed) {
  AddTopic().Data(9);
  bool recreated = false;
  fake_.after_list_offsets = [&](wire::ListOffsetsResponse& response) {
    if (recreated || response.topics[0].partitions[0].offset != 9) return;
    recreated = true;
    fake_.topics["orders"] = {FakeId(2), {FakePartition().Data(1)}, false, {}};
  };
  const auto offsets = Describe();
  ASSERT_TRUE(offsets.ok());
  EXPECT_EQ(offsets->topic_id, FakeId(2));
  EXPECT_EQ(offsets->partitions[0].end, Offset(1));
}

TEST_F(DescribeTest, FollowsAMovedLeader) {
  AddTopic().Data(3);
  ASSERT_TRUE(Describe().ok());
  Partition().leader = 2;
  Partition().epoch = 1;
  const auto offsets = Describe();
  ASSERT_TRUE(offsets.ok()) << offsets.error().message();
  EXPECT_EQ(offsets->partitions[0].leader, BrokerId(2));
}

TEST_F(DescribeTest, DoesNotGoBackToAnOlderLeaderThatALaggingBrokerTells) {
  AddTopic().Data(3);
  Partition().leader = 2;
  Partition().epoch = 4;
  ASSERT_TRUE(Describe().ok());
  int lagging = 2;
  fake_.on_metadata = [&](const wire::MetadataRequest&) -> std::optional<wire::MetadataResponse> {
    if (lagging-- <= 0) return std::nullopt;
    wire::MetadataResponse response;
    wire::MetadataResponse::Topic& topic = response.topics.emplace_back();
    topic.name = "orders";
    topic.id = FakeId(1);
    topic.partitions.push_back({0, 0, 1, 3, {}, {}, {}});
    return response;
  };
  const auto offsets = Describe();
  ASSERT_TRUE(offsets.ok()) << offsets.error().message();
  EXPECT_EQ(offsets->partitions[0].epoch, LeaderEpoch(4));
}

TEST_F(DescribeTest, RepeatsWhatMayPass) {
  AddTopic().Data(3);
  int failures = 3;
  fake_.after_list_offsets = [&](wire::ListOffsetsResponse& response) {
    if (failures-- > 0) {
      response.topics[0].partitions[0].error_code = Code(ProtocolError::kOffsetNotAvailable);
    }
  };
  EXPECT_TRUE(Describe().ok());
  EXPECT_NE(metrics_.Expose().find("frazil_kafka_retries_total"), std::string::npos);
}

TEST_F(DescribeTest, NamesBrokerAndCauseWhenTimeIsUp) {
  AddTopic().Data(3);
  fake_.after_list_offsets = [](wire::ListOffsetsResponse& response) {
    response.topics[0].partitions[0].error_code = Code(ProtocolError::kKafkaStorageError);
  };
  ExpectError(Describe(AtOnce()), ErrorCode::kKafkaUnavailable,
              {"KAFKA_STORAGE_ERROR", "broker-1:9092", "partition 0 of topic 'orders'"});
}

TEST_F(DescribeTest, WaitsForAPartitionWithoutLeader) {
  AddTopic().leader = -1;
  ExpectError(Describe(AtOnce()), ErrorCode::kKafkaUnavailable, {"no leader", "partition 0"});
}

TEST_F(DescribeTest, AnUnknownTopicIsLookedForOnlyBriefly) {
  const auto missing = Describe();
  ExpectError(missing, ErrorCode::kTableNotFound, {"'orders'", ":9092"});
  EXPECT_GT(fake_.metadata_requests, 2);
}

TEST_F(DescribeTest, ATopicMayBecomeKnownALittleLater) {
  fake_.on_metadata =
      [this](const wire::MetadataRequest&) -> std::optional<wire::MetadataResponse> {
    if (fake_.metadata_requests == 3) AddTopic().Data(1);
    return std::nullopt;
  };
  EXPECT_TRUE(Describe().ok());
}

TEST_F(DescribeTest, ANameThatNoTopicCanHaveIsNotAskedFor) {
  ExpectError(client().Describe("", Soon(), {}), ErrorCode::kTableNotFound);
  ExpectError(client().Describe(std::string(40'000, 'x'), Soon(), {}), ErrorCode::kTableNotFound);
  EXPECT_EQ(fake_.connections, 0);
}

TEST_F(DescribeTest, NamesEachBrokerThatCouldNotBeReached) {
  fake_.down = {1, 2};
  ExpectError(Describe(AtOnce()), ErrorCode::kKafkaUnavailable,
              {"broker-1:9092", "broker-2:9092", "refused", "check --kafka"});
}

TEST_F(DescribeTest, OneLivingBrokerIsEnough) {
  AddTopic().Data(1);
  Partition().leader = 2;
  fake_.down = {1};
  EXPECT_TRUE(Describe().ok());
}

TEST_F(DescribeTest, DeniedAccessIsFinal) {
  fake_.on_metadata = [](const wire::MetadataRequest&) -> std::optional<wire::MetadataResponse> {
    wire::MetadataResponse response;
    wire::MetadataResponse::Topic& topic = response.topics.emplace_back();
    topic.name = "orders";
    topic.error_code = Code(ProtocolError::kTopicAuthorizationFailed);
    return response;
  };
  ExpectError(Describe(), ErrorCode::kKafkaProtocol, {"TOPIC_AUTHORIZATION_FAILED", "DESCRIBE"});
  EXPECT_EQ(fake_.metadata_requests, 1);
}

TEST_F(DescribeTest, AStopEndsIt) {
  std::stop_source stop;
  fake_.down = {1, 2};
  std::jthread later([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    stop.request_stop();
  });
  ExpectError(
      client().Describe("orders", Deadline::After(std::chrono::minutes(1)), stop.get_token()),
      ErrorCode::kCancelled);
}

TEST_F(DescribeTest, SpeaksWithOldBrokers) {
  fake_.versions = {{wire::ApiKey::kApiVersions, {0, 0}},
                    {wire::ApiKey::kMetadata, {0, 4}},
                    {wire::ApiKey::kListOffsets, {0, 2}},
                    {wire::ApiKey::kFetch, {0, 5}}};
  AddTopic().Data(3);
  const auto end =
      client().EndOfEpoch("orders", FakeId(1), PartitionId(0), LeaderEpoch(3), Soon(), {});
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_FALSE(end->has_value());
  const auto transaction = client().OldestOpenTransaction("orders", PartitionId(0), Soon(), {});
  ASSERT_TRUE(transaction.ok()) << transaction.error().message();
  EXPECT_FALSE(transaction->has_value());
  const auto config = client().DescribeTopicConfig("orders", Soon(), {});
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_FALSE(config->has_value());
  const auto offsets = Describe();
  ASSERT_TRUE(offsets.ok()) << offsets.error().message();
  EXPECT_TRUE(offsets->topic_id.IsZero());
  EXPECT_EQ(offsets->partitions[0].epoch, LeaderEpoch(-1));
  EXPECT_EQ(offsets->partitions[0].end, Offset(3));
  ASSERT_TRUE(Read(0, 3).ok());
  EXPECT_EQ(offsets_, Numbers(0, 3));
}

TEST_F(DescribeTest, SaysWhenABrokerIsTooOld) {
  fake_.versions[wire::ApiKey::kListOffsets] = {0, 1};
  AddTopic();
  ExpectError(Describe(), ErrorCode::kUnsupported, {"ListOffsets", "broker-1:9092"});
}

TEST_F(DescribeTest, AHostileLengthIsRefusedBeforeItIsAllocated) {
  AddTopic();
  for (const std::int32_t length : {-1, 3, INT32_MAX}) {
    fake_.on_frame = [length](wire::ApiKey api, Bytes frame) -> std::optional<Bytes> {
      if (api == wire::ApiKey::kListOffsets) StoreBigEndian(length, frame.data());
      return frame;
    };
    ExpectError(Describe(), ErrorCode::kKafkaProtocol, {"length is out of bounds", "broker-1"});
  }
}

TEST_F(DescribeTest, AnAnswerToAnotherRequestIsRefused) {
  AddTopic();
  fake_.on_frame = [](wire::ApiKey api, Bytes frame) -> std::optional<Bytes> {
    if (api == wire::ApiKey::kMetadata) frame[7] ^= 1;
    return frame;
  };
  ExpectError(Describe(), ErrorCode::kKafkaProtocol, {"another request"});
}

TEST_F(DescribeTest, ABrokenConnectionIsReplaced) {
  AddTopic().Data(2);
  ASSERT_TRUE(Describe().ok());
  const int before = fake_.connections;
  int broken = 1;
  fake_.on_frame = [&broken](wire::ApiKey api, Bytes frame) -> std::optional<Bytes> {
    if (api == wire::ApiKey::kListOffsets && broken-- > 0) return std::nullopt;
    return frame;
  };
  EXPECT_TRUE(Describe().ok());
  EXPECT_GT(fake_.connections, before);
  EXPECT_LE(fake_.open, 2);
}

TEST(BrokerAddress, ParsesHostAndPort) {
  EXPECT_EQ(BrokerAddress::Parse("kafka:9092").value(), (BrokerAddress{"kafka", 9092}));
  EXPECT_EQ(BrokerAddress::Parse("[::1]:1").value(), (BrokerAddress{"::1", 1}));
  EXPECT_EQ((BrokerAddress{"::1", 1}).ToString(), "[::1]:1");
  for (const char* bad : {"", "kafka", ":9092", "kafka:", "kafka:0", "kafka:70000", "kafka:9x",
                          "http://kafka:9092", "::1:9092"}) {
    EXPECT_FALSE(BrokerAddress::Parse(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace frazil::kafka
