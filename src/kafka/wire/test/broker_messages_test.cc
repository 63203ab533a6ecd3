// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "kafka/wire/group_offsets.h"
#include "kafka/wire/init_producer_id.h"
#include "kafka/wire/produce.h"
#include "kafka/wire/test/golden_messages.h"
#include "kafka/wire/topic_changes.h"

namespace frazil::kafka::wire {
namespace {

Uuid TopicId() { return *Uuid::Parse("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1"); }

template <typename Message, typename Decode>
void CompareWithGolden(const std::string& name, const Message& message, Decode decode) {
  static const nlohmann::json golden = ReadGolden(FRAZIL_TESTDATA "/broker_messages.json");
  SCOPED_TRACE(name);
  CompareWithBodies(golden.at(name), message, decode);
}

TEST(BrokerMessages, Produce) {
  ProduceRequest request;
  request.transactional_id = "tx";
  request.timeout_ms = 30000;
  request.topics.push_back({"orders", {{3, AsBytes("bytes")}, {4, std::nullopt}}});
  CompareWithGolden("produce_request", request, DecodeProduceRequest);
  ProduceResponse response;
  response.throttle_time_ms = 3;
  response.topics.push_back(
      {"orders",
       {{3, 0, 41, -1, 7, {}, std::nullopt}, {4, 87, -1, -1, -1, {{1, "no"}}, "broken"}}});
  CompareWithGolden("produce_response", response, DecodeProduceResponse);
}

TEST(BrokerMessages, ProduceOfVersion3ByHand) {
  const Bytes body = *HexDecode(
      "ffff"      // no transactional id
      "0001"      // acks
      "000003e8"  // time-out
      "00000001"  // one topic
      "000174"    // "t"
      "00000001"  // one partition
      "00000002"  // its index
      "00000003"  // three bytes of records
      "010203");
  const auto request = DecodeProduceRequest(body, 3);
  ASSERT_TRUE(request.ok()) << request.error().message();
  EXPECT_EQ(request->transactional_id, std::nullopt);
  EXPECT_EQ(request->acks, 1);
  EXPECT_EQ(request->timeout_ms, 1000);
  ASSERT_EQ(request->topics.size(), 1U);
  EXPECT_EQ(request->topics[0].name, "t");
  ASSERT_EQ(request->topics[0].partitions.size(), 1U);
  EXPECT_EQ(request->topics[0].partitions[0].index, 2);
  EXPECT_EQ(HexEncode(*request->topics[0].partitions[0].records), "010203");
}

TEST(BrokerMessages, InitProducerId) {
  CompareWithGolden("init_producer_id_request", InitProducerIdRequest{std::nullopt, 60000, 9, 2},
                    DecodeInitProducerIdRequest);
  CompareWithGolden("init_producer_id_response", InitProducerIdResponse{1, 0, 4711, 3},
                    DecodeInitProducerIdResponse);
}

TEST(BrokerMessages, InitProducerIdOfVersion2ByHand) {
  const Bytes body = *HexDecode(
      "00"        // no transactional id
      "0000ea60"  // 60 s
      "00");      // no tagged fields
  const auto request = DecodeInitProducerIdRequest(body, 2);
  ASSERT_TRUE(request.ok()) << request.error().message();
  EXPECT_EQ(request->transactional_id, std::nullopt);
  EXPECT_EQ(request->transaction_timeout_ms, 60000);
}

TEST(BrokerMessages, CreateTopics) {
  CreateTopicsRequest request;
  request.timeout_ms = 30000;
  request.validate_only = true;
  request.topics.push_back({"orders", 3, 1, {}, {{"retention.ms", "1000"}, {"x", std::nullopt}}});
  request.topics.push_back({"placed", -1, -1, {{0, {1, 2}}}, {}});
  CompareWithGolden("create_topics_request", request, DecodeCreateTopicsRequest);
  CreateTopicsResponse response;
  response.throttle_time_ms = 2;
  response.topics.push_back(
      {"orders", TopicId(), 0, std::nullopt, 3, 1,
       std::vector<CreateTopicsResponse::Config>{{"retention.ms", "1000", false, 1, false}}});
  response.topics.push_back({"placed", Uuid(), 39, "no", -1, -1, std::nullopt});
  CompareWithGolden("create_topics_response", response, DecodeCreateTopicsResponse);
}

TEST(BrokerMessages, DeleteTopics) {
  DeleteTopicsRequest request;
  request.timeout_ms = 9;
  request.topics = {{"orders", Uuid()}, {"placed", TopicId()}};
  CompareWithGolden("delete_topics_request", request, DecodeDeleteTopicsRequest);
  DeleteTopicsResponse response;
  response.throttle_time_ms = 2;
  response.topics = {{"orders", TopicId(), 0, std::nullopt}, {"placed", Uuid(), 3, "no"}};
  CompareWithGolden("delete_topics_response", response, DecodeDeleteTopicsResponse);
}

TEST(BrokerMessages, CreatePartitions) {
  CreatePartitionsRequest request;
  request.timeout_ms = 9;
  request.topics.push_back({"orders", 5, std::nullopt});
  request.topics.push_back({"placed", 2, std::vector<CreatePartitionsRequest::Assignment>{{{1}}}});
  CompareWithGolden("create_partitions_request", request, DecodeCreatePartitionsRequest);
  CreatePartitionsResponse response;
  response.throttle_time_ms = 2;
  response.topics = {{"orders", 0, std::nullopt}, {"placed", 37, "no"}};
  CompareWithGolden("create_partitions_response", response, DecodeCreatePartitionsResponse);
}

TEST(BrokerMessages, DeleteRecords) {
  DeleteRecordsRequest request;
  request.timeout_ms = 9;
  request.topics.push_back({"orders", {{1, 1234567890123}, {2, -1}}});
  CompareWithGolden("delete_records_request", request, DecodeDeleteRecordsRequest);
  DeleteRecordsResponse response;
  response.throttle_time_ms = 2;
  response.topics.push_back({"orders", {{1, 77, 0}}});
  CompareWithGolden("delete_records_response", response, DecodeDeleteRecordsResponse);
}

TEST(BrokerMessages, FindCoordinator) {
  CompareWithGolden("find_coordinator_request", FindCoordinatorRequest{"g", 1},
                    DecodeFindCoordinatorRequest);
  CompareWithGolden("find_coordinator_response",
                    FindCoordinatorResponse{2, 0, "none", 1, "broker", 9092},
                    DecodeFindCoordinatorResponse);
}

TEST(BrokerMessages, OffsetCommit) {
  OffsetCommitRequest request;
  request.group_id = "g";
  request.topics.push_back({"orders", {{1, 50, 4, "m"}, {2, 60, -1, std::nullopt}}});
  CompareWithGolden("offset_commit_request", request, DecodeOffsetCommitRequest);
  OffsetCommitResponse response;
  response.throttle_time_ms = 2;
  response.topics.push_back({"orders", {{1, 3}}});
  CompareWithGolden("offset_commit_response", response, DecodeOffsetCommitResponse);
}

TEST(BrokerMessages, OffsetFetch) {
  OffsetFetchRequest request;
  request.group_id = "g";
  request.require_stable = true;
  request.topics.emplace().push_back({"orders", {1, 2}});
  CompareWithGolden("offset_fetch_request", request, DecodeOffsetFetchRequest);
  OffsetFetchResponse response;
  response.throttle_time_ms = 2;
  response.topics.push_back({"orders", {{1, 50, 4, "m", 0}, {2, -1, -1, std::nullopt, 0}}});
  CompareWithGolden("offset_fetch_response", response, DecodeOffsetFetchResponse);
}

TEST(BrokerMessages, OffsetFetchOfAllIsToldFromOffsetFetchOfNothing) {
  OffsetFetchRequest request;
  request.group_id = "g";
  EXPECT_EQ(EncodeHex(request, 2), "000167ffffffff");
  request.topics.emplace();
  EXPECT_EQ(EncodeHex(request, 2), "00016700000000");
}

}  // namespace
}  // namespace frazil::kafka::wire
