// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "kafka/wire/api.h"
#include "kafka/wire/api_versions.h"
#include "kafka/wire/describe_configs.h"
#include "kafka/wire/describe_producers.h"
#include "kafka/wire/fetch.h"
#include "kafka/wire/list_offsets.h"
#include "kafka/wire/metadata.h"
#include "kafka/wire/offset_for_leader_epoch.h"
#include "kafka/wire/protocol_error.h"
#include "kafka/wire/test/golden_messages.h"

namespace frazil::kafka::wire {
namespace {

Uuid TopicId() { return *Uuid::Parse("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1"); }

template <typename Message, typename Decode>
void CompareWithGolden(const std::string& name, const Message& message, Decode decode) {
  static const nlohmann::json golden = ReadGolden(FRAZIL_TESTDATA "/messages.json");
  SCOPED_TRACE(name);
  CompareWithBodies(golden.at(name), message, decode);
}

TEST(Messages, ApiVersions) {
  CompareWithGolden("api_versions_request", ApiVersionsRequest{"frazil", "1"},
                    DecodeApiVersionsRequest);
  ApiVersionsResponse response;
  response.apis = {{1, {4, 17}}, {18, {0, 4}}};
  response.throttle_time_ms = 5;
  CompareWithGolden("api_versions_response", response, DecodeApiVersionsResponse);
  EXPECT_EQ(response.Find(ApiKey::kFetch), (VersionRange{4, 17}));
  EXPECT_EQ(response.Find(ApiKey::kMetadata), std::nullopt);
}

TEST(Messages, ARefusalOfApiVersionsIsReadAsVersion0) {
  const Bytes body = *HexDecode(
      "0023"
      "00000001"
      "0012"
      "0000"
      "0002");
  const auto response = DecodeApiVersionsResponse(body, 3);
  ASSERT_TRUE(response.ok()) << response.error().message();
  EXPECT_EQ(response->error_code, static_cast<std::int16_t>(ProtocolError::kUnsupportedVersion));
  EXPECT_EQ(response->Find(ApiKey::kApiVersions), (VersionRange{0, 2}));
}

TEST(Messages, Metadata) {
  MetadataRequest request;
  request.topics.emplace().push_back({Uuid(), "orders"});
  CompareWithGolden("metadata_request", request, DecodeMetadataRequest);
  MetadataResponse response;
  response.brokers = {{1, "broker-1", 9092, std::nullopt}, {2, "broker-2", 9093, "r2"}};
  response.cluster_id = "c-1";
  response.controller_id = 1;
  MetadataResponse::Topic& topic = response.topics.emplace_back();
  topic.name = "orders";
  topic.id = TopicId();
  topic.partitions = {{0, 0, 1, 7, {1, 2}, {1}, {2}}, {5, 1, -1, 3, {2}, {}, {}}};
  CompareWithGolden("metadata_response", response, DecodeMetadataResponse);
}

TEST(Messages, MetadataNeverAsksToCreateATopic) {
  MetadataRequest request;
  request.topics.emplace().push_back({Uuid(), "t"});
  // One topic "t", then allow_auto_topic_creation.
  EXPECT_EQ(EncodeHex(request, 4),
            "00000001"
            "000174"
            "00");
}

TEST(Messages, ListOffsets) {
  ListOffsetsRequest request;
  request.topics.push_back({"orders", {{0, 7, kLatestTimestamp}, {1, -1, kEarliestTimestamp}}});
  CompareWithGolden("list_offsets_request", request, DecodeListOffsetsRequest);
  ListOffsetsResponse response;
  response.throttle_time_ms = 1;
  response.topics.push_back({"orders", {{0, 0, -1, 1234567890123, 7}, {1, 6, -1, -1, -1}}});
  CompareWithGolden("list_offsets_response", response, DecodeListOffsetsResponse);
}

TEST(Messages, Fetch) {
  FetchRequest request;
  request.max_wait_ms = 500;
  request.min_bytes = 1;
  request.max_bytes = 8388608;
  request.topics.push_back({"orders", TopicId(), {{3, 7, 42, -1, 1048576}}});
  CompareWithGolden("fetch_request", request, DecodeFetchRequest);
  FetchResponse response;
  response.throttle_time_ms = 2;
  FetchResponse::Topic& topic = response.topics.emplace_back();
  topic.name = "orders";
  topic.id = TopicId();
  topic.partitions.push_back(
      {3, 0, 100, 90, 10, std::vector<AbortedTransaction>{{9, 50}}, -1, AsBytes("bytes")});
  topic.partitions.push_back({4, 1, -1, -1, -1, std::nullopt, -1, ByteView()});
  CompareWithGolden("fetch_response", response, DecodeFetchResponse);
}

// As librdkafka 2.16 asks for all topics: the null array has four bytes.
TEST(MessagesTest, AllTopicsInLibrdkafkasFormAreRead) {
  const auto decoded = DecodeMetadataRequest(*HexDecode("00000000010000"), 12);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message();
  EXPECT_FALSE(decoded->topics.has_value());
}

TEST(Messages, MetadataOfAllTopicsIsANullArray) {
  const MetadataRequest request;
  EXPECT_EQ(EncodeHex(request, 4),
            "ffffffff"
            "00");
  // Flexible: a null array, no creation, no authorized operations, no tags.
  EXPECT_EQ(EncodeHex(request, 12),
            "00"
            "00"
            "00"
            "00");
  const auto decoded = DecodeMetadataRequest(*HexDecode("00000000"), 12);
  ASSERT_TRUE(decoded.ok());
  EXPECT_FALSE(decoded->topics.has_value());
}

TEST(Messages, OffsetForLeaderEpoch) {
  OffsetForLeaderEpochRequest request;
  request.topics.push_back({"orders", {{2, 9, 7}}});
  CompareWithGolden("offset_for_leader_epoch_request", request, DecodeOffsetForLeaderEpochRequest);
  OffsetForLeaderEpochResponse response;
  response.throttle_time_ms = 3;
  response.topics.push_back({"orders", {{0, 2, 6, 1234567890123}, {74, 3, -1, -1}}});
  CompareWithGolden("offset_for_leader_epoch_response", response,
                    DecodeOffsetForLeaderEpochResponse);
}

TEST(Messages, OffsetForLeaderEpochIsAskedAsAConsumer) {
  OffsetForLeaderEpochRequest request;
  request.topics.push_back({"t", {{2, 9, 7}}});
  // Replica -1, one topic "t", one partition: 2, current epoch 9, asked epoch 7.
  EXPECT_EQ(EncodeHex(request, 3),
            "ffffffff"
            "00000001"
            "000174"
            "00000001"
            "00000002"
            "00000009"
            "00000007");
}

TEST(Messages, DescribeConfigs) {
  DescribeConfigsRequest request;
  request.resources = {{kTopicResource, "orders", std::nullopt},
                       {kTopicResource, "t", std::vector<std::string>{"retention.ms"}}};
  CompareWithGolden("describe_configs_request", request, DecodeDescribeConfigsRequest);
  DescribeConfigsResponse response;
  response.throttle_time_ms = 4;
  response.resources = {{0, std::nullopt, kTopicResource, "orders", {}},
                        {29, "no", kTopicResource, "t", {}}};
  response.resources[0].configs = {
      {"cleanup.policy", "compact,delete", false, 1, false, {}, 7, "d"},
      {"secret", std::nullopt, true, 4, true, {}, 9, std::nullopt}};
  response.resources[0].configs[0].synonyms = {{"log.cleanup.policy", "delete", 5}};
  CompareWithGolden("describe_configs_response", response, DecodeDescribeConfigsResponse);
}

TEST(Messages, DescribeProducers) {
  DescribeProducersRequest request;
  request.topics.push_back({"orders", {0, 3}});
  CompareWithGolden("describe_producers_request", request, DecodeDescribeProducersRequest);
  DescribeProducersResponse response;
  response.throttle_time_ms = 5;
  DescribeProducersResponse::Topic& topic = response.topics.emplace_back();
  topic.name = "orders";
  topic.partitions = {{0, 0, std::nullopt, {}}, {3, 6, "moved", {}}};
  topic.partitions[0].producers = {{4711, 2, 17, 1700000000000, 1, 42}, {4712, 0, -1, -1, -1, -1}};
  CompareWithGolden("describe_producers_response", response, DecodeDescribeProducersResponse);
}

TEST(Messages, UnknownTaggedFieldsAreSkipped) {
  // ApiVersions 3: no error, no api, no throttling, then tags 0 (3 bytes) and 200 (1 byte).
  const Bytes body = *HexDecode(
      "0000"
      "01"
      "00000000"
      "02"
      "0003aabbcc"
      "c80101ff");
  EXPECT_TRUE(DecodeApiVersionsResponse(body, 3).ok());
}

TEST(Messages, AnArrayThatClaimsMoreThanItsBytesIsRefusedAtOnce) {
  EXPECT_FALSE(DecodeApiVersionsResponse(*HexDecode("0000"
                                                    "7fffffff"),
                                         0)
                   .ok());
  EXPECT_FALSE(DecodeApiVersionsResponse(*HexDecode("0000"
                                                    "fffffffe"),
                                         0)
                   .ok());
  EXPECT_FALSE(DecodeApiVersionsResponse(*HexDecode("0000"
                                                    "ffffffff0f"),
                                         3)
                   .ok());
}

TEST(Headers, RequestHeaderHasTagsFromItsFlexibleVersionOn) {
  ListOffsetsRequest request;
  const std::string plain =
      HexEncode(EncodeRequestFrame({ApiKey::kListOffsets, 2, 9, "f"}, request));
  EXPECT_EQ(plain,
            "00000014"
            "0002"
            "0002"
            "00000009"
            "000166"
            "ffffffff"
            "01"
            "00000000");
  const std::string flexible =
      HexEncode(EncodeRequestFrame({ApiKey::kListOffsets, 6, 9, "f"}, request));
  EXPECT_EQ(flexible,
            "00000013"
            "0002"
            "0006"
            "00000009"
            "000166"
            "00"
            "ffffffff"
            "01"
            "01"
            "00");
  const Bytes frame = *HexDecode(flexible.substr(8));
  ByteView body;
  const auto header = DecodeRequestHeader(frame, body);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->api, ApiKey::kListOffsets);
  EXPECT_EQ(header->correlation_id, 9);
  EXPECT_EQ(header->client_id, "f");
  EXPECT_TRUE(DecodeListOffsetsRequest(body, 6).ok());
}

TEST(Headers, ApiVersionsResponsesNeverHaveTagsInTheirHeader) {
  const Bytes frame = EncodeResponseFrame(7, 3, ApiVersionsResponse());
  EXPECT_EQ(HexEncode(frame),
            "0000000c"
            "00000007"
            "0000"
            "01"
            "00000000"
            "00");
  const Bytes other = EncodeResponseFrame(7, 6, ListOffsetsResponse());
  EXPECT_EQ(HexEncode(other),
            "0000000b"
            "00000007"
            "00"
            "00000000"
            "01"
            "00");
  ByteView body;
  EXPECT_EQ(DecodeResponseHeader(ByteView(other).subspan(4), ApiKey::kListOffsets, 6, body).value(),
            7);
  EXPECT_EQ(body.size(), 6U);
}

TEST(Headers, TheHighestCommonVersionIsChosen) {
  EXPECT_EQ(ChooseVersion({4, 13}, {0, 11}), 11);
  EXPECT_EQ(ChooseVersion({4, 13}, {4, 18}), 13);
  EXPECT_EQ(ChooseVersion({4, 13}, {0, 3}), std::nullopt);
  EXPECT_EQ(ChooseVersion({2, 7}, {8, 11}), std::nullopt);
}

TEST(Varints, KnownValuesAndBounds) {
  const auto read32 = [](const char* hex) -> std::optional<std::uint32_t> {
    const Bytes bytes = *HexDecode(hex);
    std::uint32_t value = 0;
    const auto* after = ReadVarint32(bytes.data(), bytes.data() + bytes.size(), value);
    return after == nullptr ? std::nullopt : std::optional(value);
  };
  EXPECT_EQ(read32("00"), 0U);
  EXPECT_EQ(read32("ac02"), 300U);
  EXPECT_EQ(read32("ffffffff0f"), UINT32_MAX);
  EXPECT_EQ(read32("ffffffff1f"), std::nullopt);
  EXPECT_EQ(read32("8080"), std::nullopt);
  EXPECT_EQ(read32(""), std::nullopt);
  EXPECT_EQ(ZigZagDecode(std::uint32_t{1}), -1);
  EXPECT_EQ(ZigZagDecode(UINT32_MAX), INT32_MIN);
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
    Bytes bytes;
    AppendVarint(ZigZagEncode(value), bytes);
    std::uint64_t read = 0;
    ASSERT_NE(ReadVarint64(bytes.data(), bytes.data() + bytes.size(), read), nullptr);
    EXPECT_EQ(ZigZagDecode(read), value);
  }
}

TEST(ProtocolErrors, NamesAndWhetherToRepeat) {
  EXPECT_EQ(DescribeProtocolError(6), "NOT_LEADER_OR_FOLLOWER (6)");
  EXPECT_EQ(DescribeProtocolError(-1), "UNKNOWN_SERVER_ERROR (-1)");
  EXPECT_EQ(DescribeProtocolError(999), "unknown error (999)");
  EXPECT_TRUE(IsRetriable(74));
  EXPECT_FALSE(IsRetriable(1));
  EXPECT_FALSE(IsRetriable(29));
  EXPECT_FALSE(IsRetriable(999));
}

}  // namespace
}  // namespace frazil::kafka::wire
