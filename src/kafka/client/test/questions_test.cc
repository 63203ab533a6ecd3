// SPDX-License-Identifier: Apache-2.0
// ListTopics, DescribeTopicConfig, EndOfEpoch, OffsetsForTime, OldestOpenTransaction.
#include "kafka/client/test/client_fixture.h"

namespace frazil::kafka {
namespace {

using wire::ProtocolError;

class QuestionsTest : public ClientTest {
 protected:
  auto ListTopics(Deadline deadline = Soon()) { return client().ListTopics(deadline, {}); }
  auto Config(Deadline deadline = Soon()) {
    return client().DescribeTopicConfig("orders", deadline, {});
  }
  auto EndOfEpoch(std::int32_t wanted, Deadline deadline = Soon()) {
    return client().EndOfEpoch("orders", FakeId(1), PartitionId(0), LeaderEpoch(wanted), deadline,
                               {});
  }
  auto OffsetsForTime(std::int64_t time, Deadline deadline = Soon()) {
    return client().OffsetsForTime("orders", UnixMillis(time), deadline, {});
  }
  auto OldestOpen(Deadline deadline = Soon()) {
    return client().OldestOpenTransaction("orders", PartitionId(0), deadline, {});
  }
};

TEST_F(QuestionsTest, ListsTopicsByName) {
  AddTopic();
  AddTopic();
  fake_.topics["__consumer_offsets"] = {FakeId(2), {FakePartition()}, true, {}};
  fake_.topics["Zebra"] = {FakeId(3), {FakePartition()}, false, {}};
  const auto topics = ListTopics();
  ASSERT_TRUE(topics.ok()) << topics.error().message();
  ASSERT_EQ(topics->size(), 3U);
  EXPECT_EQ((*topics)[0].name, "Zebra");
  EXPECT_EQ((*topics)[1].name, "__consumer_offsets");
  EXPECT_TRUE((*topics)[1].internal);
  EXPECT_EQ((*topics)[2].name, "orders");
  EXPECT_EQ((*topics)[2].topic_id, FakeId(1));
  EXPECT_EQ((*topics)[2].partitions, 2);
  EXPECT_FALSE((*topics)[2].internal);
}

TEST_F(QuestionsTest, AClusterWithoutTopicsHasNone) {
  const auto topics = ListTopics();
  ASSERT_TRUE(topics.ok()) << topics.error().message();
  EXPECT_TRUE(topics->empty());
}

TEST_F(QuestionsTest, ATopicThatIsBeingDeletedIsNotListed) {
  AddTopic();
  fake_.topics["gone"];
  fake_.after_metadata = [](wire::MetadataResponse& response) {
    for (auto& topic : response.topics) {
      if (topic.name == "gone") topic.error_code = Code(ProtocolError::kUnknownTopicOrPartition);
    }
  };
  ASSERT_EQ(ListTopics()->size(), 1U);
  EXPECT_EQ((*ListTopics())[0].name, "orders");
}

TEST_F(QuestionsTest, ATopicThatIsNotDescribedIsNeverLeftOut) {
  AddTopic();
  int failures = 2;
  fake_.after_metadata = [&failures](wire::MetadataResponse& response) {
    if (failures-- > 0) {
      response.topics[0].error_code = Code(ProtocolError::kLeaderNotAvailable);
    }
  };
  const auto topics = ListTopics();
  ASSERT_TRUE(topics.ok()) << topics.error().message();
  EXPECT_EQ(topics->size(), 1U);
  failures = 1 << 20;
  ExpectError(ListTopics(AtOnce()), ErrorCode::kKafkaUnavailable,
              {"LEADER_NOT_AVAILABLE", "'orders'"});
}

TEST_F(QuestionsTest, AListingThatNoClusterCanHaveIsRefused) {
  AddTopic();
  fake_.after_metadata = [](wire::MetadataResponse& response) {
    response.topics.push_back(response.topics[0]);
  };
  ExpectError(ListTopics(), ErrorCode::kKafkaProtocol, {"twice", "'orders'"});
  fake_.after_metadata = [](wire::MetadataResponse& response) {
    response.topics[0].name = "a\nb" + std::string(300, 'x');
  };
  ExpectError(ListTopics(), ErrorCode::kKafkaProtocol, {"name"});
}

TEST_F(QuestionsTest, OneLivingBrokerIsEnough) {
  AddTopic();
  fake_.down = {1};
  EXPECT_EQ(ListTopics()->size(), 1U);
  EXPECT_TRUE(Config()->has_value());
  fake_.down = {1, 2};
  ExpectError(ListTopics(AtOnce()), ErrorCode::kKafkaUnavailable,
              {"broker-1:9092", "broker-2:9092", "check --kafka"});
}

TEST_F(QuestionsTest, TellsATopicsSettings) {
  AddTopic();
  fake_.topics["orders"].configs = {
      {"cleanup.policy", "compact", false, 1, false, {}, 7, std::nullopt},
      {"unset", std::nullopt, false, 5, false, {}, 2, std::nullopt},
      {"secret", "s", false, 1, true, {}, 9, std::nullopt}};
  const auto config = Config();
  ASSERT_TRUE(config.ok()) << config.error().message();
  ASSERT_TRUE(config->has_value());
  EXPECT_EQ((**config).values, (std::map<std::string, std::string>{{"cleanup.policy", "compact"}}));
}

TEST_F(QuestionsTest, SettingsMayBeDenied) {
  AddTopic();
  fake_.after_configs = [](wire::DescribeConfigsResponse& response) {
    response.resources[0].error_code = Code(ProtocolError::kTopicAuthorizationFailed);
  };
  const auto config = Config();
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_FALSE(config->has_value());
}

TEST_F(QuestionsTest, SettingsOfNoTopicAreNotFound) {
  ExpectError(Config(), ErrorCode::kTableNotFound, {"'orders'"});
}

TEST_F(QuestionsTest, SettingsOfAnotherTopicAreRefused) {
  AddTopic();
  fake_.after_configs = [](wire::DescribeConfigsResponse& response) {
    response.resources[0].name = "other";
  };
  ExpectError(Config(), ErrorCode::kKafkaProtocol, {"not about what was asked"});
}

TEST_F(QuestionsTest, TellsWhereAnEpochEnds) {
  AddTopic().epoch = 7;
  Partition().epoch_ends = {{2, 40}, {5, 90}, {7, 120}};
  const auto end = EndOfEpoch(6);
  ASSERT_TRUE(end.ok()) << end.error().message();
  ASSERT_TRUE(end->has_value());
  EXPECT_EQ((**end).epoch, LeaderEpoch(5));
  EXPECT_EQ((**end).end, Offset(90));
  EXPECT_EQ((**end).leader_epoch, LeaderEpoch(7));
  ASSERT_EQ(fake_.epoch_requests.size(), 1U);
  EXPECT_EQ(fake_.epoch_requests[0].topics[0].partitions[0].current_leader_epoch, 7);
  EXPECT_EQ(fake_.epoch_requests[0].topics[0].partitions[0].leader_epoch, 6);
}

TEST_F(QuestionsTest, AnEpochThatTheBrokerDoesNotKnowHasNoEnd) {
  AddTopic().epoch_ends = {{2, 40}};
  EXPECT_FALSE(EndOfEpoch(1)->has_value());
  EXPECT_FALSE(EndOfEpoch(-1)->has_value());
}

TEST_F(QuestionsTest, TheNewLeaderIsAskedWithItsEpoch) {
  AddTopic().epoch_ends = {{0, 40}};
  ASSERT_TRUE(EndOfEpoch(0)->has_value());
  Partition().leader = 2;
  Partition().epoch = 1;
  Partition().epoch_ends = {{0, 30}, {1, 35}};
  const auto end = EndOfEpoch(0);
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_EQ((**end).end, Offset(30));
  EXPECT_EQ((**end).leader_epoch, LeaderEpoch(1));
}

TEST_F(QuestionsTest, AnEpochsEndIsNeverThatOfAnotherTopic) {
  AddTopic().epoch_ends = {{0, 40}};
  fake_.after_epoch_ends = [this](wire::OffsetForLeaderEpochResponse&) {
    fake_.topics["orders"].id = FakeId(2);
  };
  ExpectError(EndOfEpoch(0), ErrorCode::kTopicRecreated, {FakeId(2).ToString()});
}

TEST_F(QuestionsTest, ALaterEpochThanAskedForIsRefused) {
  AddTopic().epoch_ends = {{0, 40}};
  fake_.after_epoch_ends = [](wire::OffsetForLeaderEpochResponse& response) {
    response.topics[0].partitions[0].leader_epoch = 3;
  };
  ExpectError(EndOfEpoch(2), ErrorCode::kKafkaProtocol, {"later epoch"});
}

TEST_F(QuestionsTest, EpochErrorsThatMayPassAreRepeated) {
  AddTopic().epoch_ends = {{0, 40}};
  for (const ProtocolError error :
       {ProtocolError::kNotLeaderOrFollower, ProtocolError::kFencedLeaderEpoch,
        ProtocolError::kUnknownLeaderEpoch, ProtocolError::kKafkaStorageError}) {
    int failures = 2;
    fake_.after_epoch_ends = [&](wire::OffsetForLeaderEpochResponse& response) {
      if (failures-- > 0) response.topics[0].partitions[0].error_code = Code(error);
    };
    const auto end = EndOfEpoch(0);
    ASSERT_TRUE(end.ok()) << end.error().message();
    EXPECT_TRUE(end->has_value());
  }
  fake_.after_epoch_ends = [](wire::OffsetForLeaderEpochResponse& response) {
    response.topics[0].partitions[0].error_code = Code(ProtocolError::kFencedLeaderEpoch);
  };
  ExpectError(EndOfEpoch(0, AtOnce()), ErrorCode::kKafkaUnavailable, {"FENCED_LEADER_EPOCH"});
}

TEST_F(QuestionsTest, TellsTheFirstOffsetOfATime) {
  AddTopic().offsets_by_time = {{1000, 0}, {2000, 10}};
  FakePartition& second = AddTopic();
  second.leader = 2;
  second.offsets_by_time = {{1500, 4}};
  const auto offsets = OffsetsForTime(1200);
  ASSERT_TRUE(offsets.ok()) << offsets.error().message();
  ASSERT_EQ(offsets->size(), 2U);
  EXPECT_EQ((*offsets)[0], std::pair(PartitionId(0), std::optional(Offset(10))));
  EXPECT_EQ((*offsets)[1], std::pair(PartitionId(1), std::optional(Offset(4))));
  EXPECT_EQ((*OffsetsForTime(1600))[1].second, std::nullopt);
}

TEST_F(QuestionsTest, ATimeBefore1970IsNoSpecialNumber) {
  AddTopic().Data(5);
  Partition().start = 2;
  Partition().offsets_by_time = {{0, 3}};
  for (const std::int64_t time : {-1, -2, -3, -100}) {
    EXPECT_EQ((*OffsetsForTime(time))[0].second, Offset(3)) << time;
  }
}

TEST_F(QuestionsTest, ANegativeOffsetIsRefused) {
  AddTopic();
  fake_.after_list_offsets = [](wire::ListOffsetsResponse& response) {
    response.topics[0].partitions[0].offset = -7;
  };
  ExpectError(OffsetsForTime(5), ErrorCode::kKafkaProtocol, {"negative"});
}

TEST_F(QuestionsTest, TellsTheOldestOpenTransaction) {
  AddTopic().producers = {
      {1, 0, 0, 0, 0, -1}, {2, 0, 0, 0, 0, 70}, {3, 0, 0, 0, 0, 50}, {4, 0, 0, 0, 0, 60}};
  const auto open = OldestOpen();
  ASSERT_TRUE(open.ok()) << open.error().message();
  ASSERT_TRUE(open->has_value());
  EXPECT_EQ((**open).producer_id, 3);
  EXPECT_EQ((**open).first_offset, Offset(50));
  Partition().producers = {{1, 0, 0, 0, 0, -1}};
  EXPECT_FALSE(OldestOpen()->has_value());
}

TEST_F(QuestionsTest, WhoWritesMayBeDenied) {
  AddTopic().producers = {{2, 0, 0, 0, 0, 70}};
  fake_.after_producers = [](wire::DescribeProducersResponse& response) {
    response.topics[0].partitions[0].error_code = Code(ProtocolError::kTopicAuthorizationFailed);
  };
  const auto open = OldestOpen();
  ASSERT_TRUE(open.ok()) << open.error().message();
  EXPECT_FALSE(open->has_value());
}

TEST_F(QuestionsTest, TheLeaderIsAskedWhoWrites) {
  AddTopic().leader = 2;
  Partition().producers = {{2, 0, 0, 0, 0, 70}};
  ASSERT_TRUE(OldestOpen()->has_value());
  Partition().leader = 1;
  Partition().epoch = 1;
  ASSERT_TRUE(OldestOpen()->has_value());
  ExpectError(client().OldestOpenTransaction("orders", PartitionId(5), AtOnce(), {}),
              ErrorCode::kKafkaUnavailable, {"partition 5"});
}

}  // namespace
}  // namespace frazil::kafka
