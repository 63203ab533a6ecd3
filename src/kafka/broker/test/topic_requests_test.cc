// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/broker/test/broker_fixture.h"

namespace frazil::kafka::broker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using wire::ApiKey;
using wire::ProtocolError;

class TopicRequests : public BrokerFixture {
 protected:
  wire::MetadataResponse Metadata(const std::string& name, bool create) {
    wire::MetadataRequest request;
    request.topics.emplace().push_back({Uuid(), name});
    request.allow_auto_topic_creation = create;
    return Ask(request, wire::DecodeMetadataResponse);
  }
};

TEST_F(TopicRequests, EveryRequestThatIsOfferedIsAnsweredInEveryVersion) {
  const auto offered = Ask(wire::ApiVersionsRequest{"test", "1"}, wire::DecodeApiVersionsResponse);
  EXPECT_EQ(offered.apis.size(), OfferedRequests().size());
  for (const auto& api : offered.apis) {
    for (std::int16_t version = api.versions.first; version <= api.versions.last; ++version) {
      const auto key = static_cast<ApiKey>(api.key);
      Bytes frame(4);
      wire::AppendRequestHeader({key, version, 1, "c"}, frame);
      // Without a body it is refused as unreadable, not as unknown.
      const auto answer =
          AnswerRequest(ByteView(frame).subspan(4), state_, endpoint_, stop_.get_token());
      const bool reads_nothing = key == ApiKey::kApiVersions && version < 3;
      EXPECT_EQ(answer.ok(), reads_nothing) << wire::NameOf(key) << version;
      if (answer.ok()) continue;
      EXPECT_EQ(answer.error().code(), ErrorCode::kKafkaProtocol);
    }
  }
}

TEST_F(TopicRequests, WhatIsNotOfferedEndsTheConnection) {
  Bytes frame(4);
  wire::AppendRequestHeader({ApiKey::kDescribeProducers, 0, 1, "c"}, frame);
  EXPECT_EQ(AnswerRequest(ByteView(frame).subspan(4), state_, endpoint_, stop_.get_token())
                .error()
                .code(),
            ErrorCode::kUnsupported);
  EXPECT_EQ(AskRaw(wire::FindCoordinatorRequest{"g", 0}, 4).error().code(),
            ErrorCode::kUnsupported);
}

TEST_F(TopicRequests, ANewerApiVersionsIsAnsweredAsVersion0) {
  const auto answer = AskRaw(wire::ApiVersionsRequest{"test", "1"}, 4);
  ASSERT_TRUE(answer.ok());
  const auto response = wire::DecodeApiVersionsResponse(ByteView(*answer).subspan(8), 0).value();
  EXPECT_EQ(response.error_code, CodeOf(ProtocolError::kUnsupportedVersion));
  EXPECT_TRUE(response.Find(ApiKey::kApiVersions).has_value());
}

TEST_F(TopicRequests, MetadataTellsTopicsAndTheOnlyBroker) {
  CreateTopic("b", 2);
  CreateTopic("a");
  const auto response = Ask(wire::MetadataRequest{}, wire::DecodeMetadataResponse);
  ASSERT_EQ(response.brokers.size(), 1U);
  EXPECT_EQ(response.brokers[0].host, "127.0.0.1");
  EXPECT_EQ(response.brokers[0].port, 9092);
  ASSERT_EQ(response.topics.size(), 2U);
  EXPECT_EQ(response.topics[0].name, "a");
  EXPECT_EQ(response.topics[1].partitions.size(), 2U);
  EXPECT_EQ(response.topics[1].partitions[1].leader_id, response.brokers[0].id);
  EXPECT_FALSE(response.topics[1].id.IsZero());
  wire::MetadataRequest by_id;
  by_id.topics.emplace().push_back({response.topics[1].id, std::nullopt});
  by_id.topics->push_back({Uuid::Random(), std::nullopt});
  const auto found = Ask(by_id, wire::DecodeMetadataResponse);
  EXPECT_EQ(found.topics[0].name, "b");
  EXPECT_EQ(found.topics[1].error_code, CodeOf(ProtocolError::kUnknownTopicId));
}

TEST_F(TopicRequests, ATopicIsCreatedByItsNameOnlyWhereTheClientAsks) {
  EXPECT_EQ(Metadata("t", false).topics[0].error_code,
            CodeOf(ProtocolError::kUnknownTopicOrPartition));
  EXPECT_EQ(Metadata("t", true).topics[0].partitions.size(), 1U);
  EXPECT_EQ(Metadata("t", false).topics[0].error_code, 0);
  EXPECT_EQ(Metadata("no/name", true).topics[0].error_code, CodeOf(ProtocolError::kInvalidTopic));
}

class StrictBroker : public TopicRequests {
 protected:
  StrictBroker() : strict_({.store = {}, .auto_create_topics = false}, clock_, "cluster", 1) {}
  BrokerState strict_;
};

TEST_F(StrictBroker, NoTopicIsCreatedByItsNameWhereTheBrokerForbidsIt) {
  wire::MetadataRequest request;
  request.topics.emplace().push_back({Uuid(), "t"});
  request.allow_auto_topic_creation = true;
  const auto response = AnswerMetadata(request, {strict_, endpoint_, 12, stop_.get_token()});
  EXPECT_EQ(response.topics[0].error_code, CodeOf(ProtocolError::kUnknownTopicOrPartition));
}

TEST_F(TopicRequests, CreationIsRefusedWithItsReason) {
  const auto create = [this](wire::CreateTopicsRequest::Topic topic) {
    wire::CreateTopicsRequest request;
    request.topics.push_back(std::move(topic));
    return Ask(request, wire::DecodeCreateTopicsResponse).topics.at(0);
  };
  EXPECT_EQ(create({"t", 1, 3, {}, {}}).error_code,
            CodeOf(ProtocolError::kInvalidReplicationFactor));
  EXPECT_EQ(create({"t", 0, 1, {}, {}}).error_code, CodeOf(ProtocolError::kInvalidPartitions));
  EXPECT_EQ(create({"", 1, 1, {}, {}}).error_code, CodeOf(ProtocolError::kInvalidTopic));
  EXPECT_EQ(create({"..", 1, 1, {}, {}}).error_code, CodeOf(ProtocolError::kInvalidTopic));
  EXPECT_EQ(create({"t", -1, -1, {{0, {1}}, {2, {1}}}, {}}).error_code,
            CodeOf(ProtocolError::kInvalidReplicaAssignment));
  EXPECT_EQ(create({"t", -1, -1, {{0, {2}}}, {}}).error_code,
            CodeOf(ProtocolError::kInvalidReplicaAssignment));
  const auto compacted = create({"t", 1, 1, {}, {{"cleanup.policy", "compact"}}});
  EXPECT_EQ(compacted.error_code, CodeOf(ProtocolError::kInvalidConfig));
  EXPECT_THAT(*compacted.error_message, HasSubstr("compact"));
  EXPECT_THAT(*create({"t", 1, 1, {}, {{"retention.ms", "soon"}}}).error_message,
              HasSubstr("retention.ms"));
  EXPECT_THAT(*create({"t", 1, 1, {}, {{"no.such", "1"}}}).error_message, HasSubstr("no.such"));
  EXPECT_EQ(create({"t", -1, -1, {{1, {1}}, {0, {1}}}, {}}).partitions, 2);
  EXPECT_EQ(create({"t", 1, 1, {}, {}}).error_code, CodeOf(ProtocolError::kTopicAlreadyExists));
}

TEST_F(TopicRequests, ValidationCreatesNothing) {
  wire::CreateTopicsRequest request;
  request.validate_only = true;
  request.topics.push_back({"t", 3, 1, {}, {}});
  EXPECT_EQ(Ask(request, wire::DecodeCreateTopicsResponse).topics.at(0).error_code, 0);
  EXPECT_FALSE(state_.topics.Find({"t", {}}).has_value());
}

TEST_F(TopicRequests, ATopicThatIsMadeAgainHasAnotherIdAndNoRecords) {
  CreateTopic("t");
  Produce("t", 0, Batch({"a"}));
  const Uuid first = state_.topics.Find({"t", {}})->id;
  wire::DeleteTopicsRequest request;
  request.topics = {{"t", Uuid()}};
  EXPECT_EQ(Ask(request, wire::DecodeDeleteTopicsResponse).topics.at(0).error_code, 0);
  EXPECT_EQ(Ask(request, wire::DecodeDeleteTopicsResponse).topics.at(0).error_code,
            CodeOf(ProtocolError::kUnknownTopicOrPartition));
  CreateTopic("t");
  EXPECT_NE(state_.topics.Find({"t", {}})->id, first);
  EXPECT_THAT(Records(Fetch("t", 0)), IsEmpty());
  EXPECT_FALSE(state_.topics.Find({"", first}).has_value());
}

TEST_F(TopicRequests, PartitionsOnlyBecomeMore) {
  CreateTopic("t", 2);
  wire::CreatePartitionsRequest request;
  request.topics = {{"t", 4, std::nullopt}, {"t", 4, std::nullopt}, {"none", 4, std::nullopt}};
  const auto answers = Ask(request, wire::DecodeCreatePartitionsResponse).topics;
  EXPECT_EQ(answers[0].error_code, 0);
  EXPECT_EQ(answers[1].error_code, CodeOf(ProtocolError::kInvalidPartitions));
  EXPECT_EQ(answers[2].error_code, CodeOf(ProtocolError::kUnknownTopicOrPartition));
  EXPECT_EQ(Produce("t", 3, Batch({"a"})).base_offset, 0);
}

TEST_F(TopicRequests, RecordsThatAreDeletedRaiseTheLogStart) {
  CreateTopic("t");
  Produce("t", 0, Batch({"a", "b"}));
  Produce("t", 0, Batch({"c"}));
  const auto remove = [this](std::int64_t offset) {
    wire::DeleteRecordsRequest request;
    request.topics.push_back({"t", {{0, offset}}});
    return Ask(request, wire::DecodeDeleteRecordsResponse).topics.at(0).partitions.at(0);
  };
  EXPECT_EQ(remove(1).low_watermark, 1);
  EXPECT_EQ(Fetch("t", 0).error_code, CodeOf(ProtocolError::kOffsetOutOfRange));
  // A batch is given whole, as Apache Kafka does; readers skip what lies before.
  EXPECT_EQ(Records(Fetch("t", 1)).size(), 3U);
  EXPECT_EQ(OffsetAt("t", 0).offset, 1);
  EXPECT_EQ(remove(2).low_watermark, 2);
  EXPECT_THAT(Records(Fetch("t", 2)), ElementsAre(Pair(2, "c")));
  EXPECT_EQ(remove(1).low_watermark, 2);
  EXPECT_EQ(remove(9).error_code, CodeOf(ProtocolError::kOffsetOutOfRange));
  EXPECT_EQ(remove(-1).low_watermark, 3);
  EXPECT_EQ(Produce("t", 0, Batch({"d"})).base_offset, 3);
}

TEST_F(TopicRequests, SettingsAreDescribedWithWhereTheyComeFrom) {
  CreateTopic("t", 1, {{"retention.ms", "5"}});
  wire::DescribeConfigsRequest request;
  request.resources.push_back(
      {wire::kTopicResource, "t", std::vector<std::string>{"retention.ms", "cleanup.policy"}});
  request.resources.push_back({wire::kTopicResource, "none", std::nullopt});
  const auto answers = Ask(request, wire::DecodeDescribeConfigsResponse).resources;
  ASSERT_EQ(answers[0].configs.size(), 2U);
  EXPECT_EQ(answers[0].configs[0].name, "cleanup.policy");
  EXPECT_EQ(answers[0].configs[0].value, "delete");
  EXPECT_EQ(answers[0].configs[0].source, 5);
  EXPECT_EQ(answers[0].configs[1].value, "5");
  EXPECT_EQ(answers[0].configs[1].source, 1);
  EXPECT_EQ(answers[1].error_code, CodeOf(ProtocolError::kUnknownTopicOrPartition));
}

TEST_F(TopicRequests, CommittedOffsetsAreKept) {
  CreateTopic("t", 2);
  wire::OffsetCommitRequest commit;
  commit.group_id = "g";
  commit.topics.push_back({"t", {{0, 41, 0, "m"}, {7, 1, -1, "m"}}});
  const auto committed = Ask(commit, wire::DecodeOffsetCommitResponse).topics.at(0).partitions;
  EXPECT_EQ(committed[0].error_code, 0);
  EXPECT_EQ(committed[1].error_code, CodeOf(ProtocolError::kUnknownTopicOrPartition));
  wire::OffsetFetchRequest fetch;
  fetch.group_id = "g";
  fetch.topics.emplace().push_back({"t", {0, 1}});
  const auto fetched = Ask(fetch, wire::DecodeOffsetFetchResponse).topics.at(0).partitions;
  EXPECT_EQ(fetched[0].offset, 41);
  EXPECT_EQ(fetched[0].metadata, "m");
  EXPECT_EQ(fetched[1].offset, -1);
  fetch.topics.reset();
  EXPECT_EQ(Ask(fetch, wire::DecodeOffsetFetchResponse).topics.at(0).partitions.size(), 1U);
  commit.generation_id = 3;
  EXPECT_EQ(Ask(commit, wire::DecodeOffsetCommitResponse).topics.at(0).partitions[0].error_code,
            CodeOf(ProtocolError::kUnknownMemberId));
}

TEST_F(TopicRequests, ProducersGetNumbersAndTransactionsAreRefused) {
  wire::InitProducerIdRequest request;
  const auto first = Ask(request, wire::DecodeInitProducerIdResponse);
  EXPECT_EQ(first.error_code, 0);
  EXPECT_NE(Ask(request, wire::DecodeInitProducerIdResponse).producer_id, first.producer_id);
  request.transactional_id = "tx";
  EXPECT_EQ(Ask(request, wire::DecodeInitProducerIdResponse).error_code,
            CodeOf(ProtocolError::kTransactionalIdAuthorizationFailed));
  EXPECT_EQ(
      Ask(wire::FindCoordinatorRequest{"tx", 1}, wire::DecodeFindCoordinatorResponse).error_code,
      CodeOf(ProtocolError::kTransactionalIdAuthorizationFailed));
  EXPECT_EQ(Ask(wire::FindCoordinatorRequest{"g", 0}, wire::DecodeFindCoordinatorResponse).port,
            9092);
}

}  // namespace
}  // namespace frazil::kafka::broker
