// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/broker/test/broker_fixture.h"

namespace frazil::kafka::broker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using wire::ProtocolError;

class RecordRequests : public BrokerFixture {
 protected:
  RecordRequests() { EXPECT_EQ(CreateTopic("t", 2), 0); }
};

TEST_F(RecordRequests, WhatIsProducedIsFetchedWithOffsets) {
  EXPECT_EQ(Produce("t", 0, Batch({"a", "b"})).base_offset, 0);
  EXPECT_EQ(Produce("t", 0, Batch({"c"})).base_offset, 2);
  EXPECT_EQ(Produce("t", 1, Batch({"d"})).base_offset, 0);
  const auto all = Fetch("t", 0);
  EXPECT_EQ(all.high_watermark, 3);
  EXPECT_EQ(all.last_stable_offset, 3);
  EXPECT_EQ(all.log_start_offset, 0);
  EXPECT_THAT(Records(all), ElementsAre(Pair(0, "a"), Pair(1, "b"), Pair(2, "c")));
  EXPECT_THAT(Records(Fetch("t", 2)), ElementsAre(Pair(2, "c")));
  EXPECT_THAT(Records(Fetch("t", 3)), IsEmpty());
}

TEST_F(RecordRequests, BatchesComeBackAsTheyWereSentButForOffsetAndEpoch) {
  const Bytes first = Batch({"a"});
  Bytes second = Batch({"b"}, 5, {.codec = wire::CompressionCodec::kLz4, .last_offset_delta = {}});
  Produce("t", 0, first);
  Produce("t", 0, second);
  const auto fetched = Fetch("t", 1);
  StoreBigEndian(std::int64_t{1}, second.data());
  StoreBigEndian(std::int32_t{0}, second.data() + 12);
  EXPECT_EQ(Bytes(fetched.records->begin(), fetched.records->end()), second);
}

TEST_F(RecordRequests, ABatchThatIsNotWholeOrNotPlainIsRefused) {
  const auto refused = [this](const Bytes& batch) { return Produce("t", 0, batch).error_code; };
  Bytes damaged = Batch({"a"});
  damaged.back() ^= 1;
  EXPECT_EQ(refused(damaged), CodeOf(ProtocolError::kCorruptMessage));
  Bytes cut = Batch({"a"});
  cut.pop_back();
  EXPECT_EQ(refused(cut), CodeOf(ProtocolError::kInvalidRecord));
  Bytes two = Batch({"a"});
  Append(Batch({"b"}), two);
  EXPECT_EQ(refused(two), CodeOf(ProtocolError::kInvalidRecord));
  EXPECT_EQ(refused({}), CodeOf(ProtocolError::kInvalidRecord));
  EXPECT_EQ(refused(Batch({"a"}, 0, {.control = true, .last_offset_delta = {}})),
            CodeOf(ProtocolError::kInvalidRecord));
  EXPECT_EQ(
      refused(Batch({"a"}, 0, {.transactional = true, .producer_id = 1, .last_offset_delta = {}})),
      CodeOf(ProtocolError::kInvalidRequest));
  EXPECT_EQ(refused(Batch({"a"}, 0, {.last_offset_delta = 5})),
            CodeOf(ProtocolError::kInvalidRecord));
  EXPECT_EQ(refused(Batch({std::string(2 << 20, 'x')})), CodeOf(ProtocolError::kMessageTooLarge));
  Bytes old = Batch({"a"});
  old[16] = 1;
  EXPECT_EQ(refused(old), CodeOf(ProtocolError::kUnsupportedForMessageFormat));
  EXPECT_THAT(Records(Fetch("t", 0)), IsEmpty());
}

TEST_F(RecordRequests, AnUnknownPartitionIsNamedAsSuch) {
  EXPECT_EQ(Produce("t", 2, Batch({"a"})).error_code,
            CodeOf(ProtocolError::kUnknownTopicOrPartition));
  EXPECT_EQ(Produce("none", 0, Batch({"a"})).error_code,
            CodeOf(ProtocolError::kUnknownTopicOrPartition));
  EXPECT_EQ(Fetch("none", 0).error_code, CodeOf(ProtocolError::kUnknownTopicId));
  wire::FetchRequest by_name = FetchOf("none", 0);
  EXPECT_EQ(Ask(by_name, wire::DecodeFetchResponse, 12).topics[0].partitions[0].error_code,
            CodeOf(ProtocolError::kUnknownTopicOrPartition));
}

TEST_F(RecordRequests, AcksDecideWhetherThereIsAnAnswer) {
  const Bytes batch = Batch({"a"});
  wire::ProduceRequest request;
  request.topics.push_back({"t", {{0, ByteView(batch)}}});
  request.acks = 0;
  EXPECT_THAT(AskRaw(request, 9).value(), IsEmpty());
  EXPECT_THAT(Records(Fetch("t", 0)), ElementsAre(Pair(0, "a")));
  request.acks = 2;
  EXPECT_EQ(Ask(request, wire::DecodeProduceResponse).topics[0].partitions[0].error_code,
            CodeOf(ProtocolError::kInvalidRequiredAcks));
}

wire::BatchProperties Sent(std::int32_t sequence, std::int16_t epoch = 0) {
  return {.producer_id = 5,
          .producer_epoch = epoch,
          .base_sequence = sequence,
          .last_offset_delta = {}};
}

TEST_F(RecordRequests, AnIdempotentProducersRepetitionIsAnsweredAndNotStoredAgain) {
  EXPECT_EQ(Produce("t", 0, Batch({"a", "b"}, 0, Sent(0))).base_offset, 0);
  EXPECT_EQ(Produce("t", 0, Batch({"c"}, 0, Sent(2))).base_offset, 2);
  const auto again = Produce("t", 0, Batch({"a", "b"}, 0, Sent(0)));
  EXPECT_EQ(again.error_code, 0);
  EXPECT_EQ(again.base_offset, 0);
  EXPECT_EQ(Records(Fetch("t", 0)).size(), 3U);
}

TEST_F(RecordRequests, AGapInTheSequenceOrAnOldEpochIsRefused) {
  Produce("t", 0, Batch({"a"}, 0, Sent(0)));
  EXPECT_EQ(Produce("t", 0, Batch({"c"}, 0, Sent(2))).error_code,
            CodeOf(ProtocolError::kOutOfOrderSequenceNumber));
  EXPECT_EQ(Produce("t", 0, Batch({"d"}, 0, Sent(1, 1))).error_code,
            CodeOf(ProtocolError::kOutOfOrderSequenceNumber));
  EXPECT_EQ(Produce("t", 0, Batch({"d"}, 0, Sent(0, 1))).base_offset, 1);
  EXPECT_EQ(Produce("t", 0, Batch({"e"}, 0, Sent(1, 0))).error_code,
            CodeOf(ProtocolError::kInvalidProducerEpoch));
}

TEST_F(RecordRequests, SequencesBeginAgainAfterTheLargest) {
  Produce("t", 0, Batch({"a", "b"}, 0, Sent(INT32_MAX - 1)));
  EXPECT_EQ(Produce("t", 0, Batch({"c"}, 0, Sent(0))).base_offset, 2);
  Produce("t", 1, Batch({"a", "b", "c"}, 0, Sent(INT32_MAX - 1)));
  EXPECT_EQ(Produce("t", 1, Batch({"d"}, 0, Sent(1))).base_offset, 3);
}

TEST_F(RecordRequests, AFetchWaitsAndIsWokenByARecord) {
  wire::FetchRequest request = FetchOf("t", 0);
  request.max_wait_ms = 30'000;
  request.min_bytes = 1;
  const auto started = std::chrono::steady_clock::now();
  std::jthread producer([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const Bytes batch = Batch({"a"});
    state_.topics.Append("t", 0, batch);
  });
  const auto response = Ask(request, wire::DecodeFetchResponse);
  EXPECT_THAT(Records(response.topics[0].partitions[0]), ElementsAre(Pair(0, "a")));
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
}

TEST_F(RecordRequests, AFetchThatWaitsEndsByItsTimeAndByAStop) {
  wire::FetchRequest request = FetchOf("t", 0);
  request.max_wait_ms = 30;
  request.min_bytes = 1;
  const auto started = std::chrono::steady_clock::now();
  EXPECT_THAT(Records(Ask(request, wire::DecodeFetchResponse).topics[0].partitions[0]), IsEmpty());
  EXPECT_GE(std::chrono::steady_clock::now() - started, std::chrono::milliseconds(30));
  request.max_wait_ms = 60'000;
  stop_.request_stop();
  EXPECT_THAT(Records(Ask(request, wire::DecodeFetchResponse).topics[0].partitions[0]), IsEmpty());
}

TEST_F(RecordRequests, AFetchKeepsToItsBytesButAlwaysGetsOneBatch) {
  Produce("t", 0, Batch({std::string(1000, 'a')}));
  Produce("t", 0, Batch({std::string(1000, 'b')}));
  wire::FetchRequest request = FetchOf("t", 0);
  request.max_bytes = 10;
  EXPECT_EQ(Records(Ask(request, wire::DecodeFetchResponse).topics[0].partitions[0]).size(), 1U);
  request.max_bytes = 1 << 20;
  request.topics[0].partitions[0].max_bytes = 1500;
  EXPECT_EQ(Records(Ask(request, wire::DecodeFetchResponse).topics[0].partitions[0]).size(), 1U);
  request.topics[0].partitions[0].max_bytes = 2500;
  EXPECT_EQ(Records(Ask(request, wire::DecodeFetchResponse).topics[0].partitions[0]).size(), 2U);
}

TEST_F(RecordRequests, AnOffsetOutsideTheLogAndANewerEpochAreErrors) {
  Produce("t", 0, Batch({"a"}));
  EXPECT_EQ(Fetch("t", 2).error_code, CodeOf(ProtocolError::kOffsetOutOfRange));
  EXPECT_EQ(Fetch("t", -1).error_code, CodeOf(ProtocolError::kOffsetOutOfRange));
  wire::FetchRequest request = FetchOf("t", 0);
  request.topics[0].partitions[0].current_leader_epoch = 1;
  EXPECT_EQ(Ask(request, wire::DecodeFetchResponse).topics[0].partitions[0].error_code,
            CodeOf(ProtocolError::kUnknownLeaderEpoch));
  EXPECT_EQ(OffsetAt("t", wire::kLatestTimestamp, 1).error_code,
            CodeOf(ProtocolError::kUnknownLeaderEpoch));
}

TEST_F(RecordRequests, AFetchSessionIsNeverOpened) {
  wire::FetchRequest request = FetchOf("t", 0);
  request.session_epoch = 0;
  EXPECT_EQ(Ask(request, wire::DecodeFetchResponse).session_id, 0);
  request.session_id = 5;
  EXPECT_EQ(Ask(request, wire::DecodeFetchResponse).error_code,
            CodeOf(ProtocolError::kFetchSessionIdNotFound));
}

TEST_F(RecordRequests, OffsetsAreFoundByTime) {
  Produce("t", 0, Batch({"a", "b"}, 100));
  Produce("t", 0, Batch({"c", "d"}, 300));
  Produce("t", 0, Batch({"e"}, 200));
  EXPECT_EQ(OffsetAt("t", wire::kEarliestTimestamp).offset, 0);
  EXPECT_EQ(OffsetAt("t", wire::kLatestTimestamp).offset, 5);
  EXPECT_EQ(OffsetAt("t", 0).offset, 0);
  EXPECT_EQ(OffsetAt("t", 101).offset, 1);
  EXPECT_EQ(OffsetAt("t", 102).offset, 2);
  EXPECT_EQ(OffsetAt("t", 102).timestamp, 300);
  EXPECT_EQ(OffsetAt("t", 302).offset, -1);
  EXPECT_EQ(OffsetAt("t", wire::kMaxTimestamp).offset, 3);
  EXPECT_EQ(OffsetAt("t", wire::kMaxTimestamp).timestamp, 301);
  EXPECT_EQ(OffsetAt("t", -5).error_code, CodeOf(ProtocolError::kInvalidRequest));
}

TEST_F(RecordRequests, TheOnlyEpochEndsWhereTheLogEnds) {
  Produce("t", 0, Batch({"a", "b"}));
  wire::OffsetForLeaderEpochRequest request;
  request.topics.push_back({"t", {{0, -1, 0}, {0, -1, 1}, {9, -1, 0}}});
  const auto response = Ask(request, wire::DecodeOffsetForLeaderEpochResponse);
  const auto& partitions = response.topics.at(0).partitions;
  EXPECT_EQ(partitions[0].end_offset, 2);
  EXPECT_EQ(partitions[0].leader_epoch, 0);
  EXPECT_EQ(partitions[1].end_offset, -1);
  EXPECT_EQ(partitions[2].error_code, CodeOf(ProtocolError::kUnknownTopicOrPartition));
}

TEST_F(RecordRequests, LogAppendTimeStampsTheBatchAndKeepsItsChecksumTrue) {
  ASSERT_EQ(CreateTopic("stamped", 1, {{"message.timestamp.type", "LogAppendTime"}}), 0);
  clock_.now = 5000;
  EXPECT_EQ(Produce("stamped", 0, Batch({"a", "b"}, 100)).log_append_time, 5000);
  EXPECT_EQ(Produce("t", 0, Batch({"a"}, 100)).log_append_time, -1);
  const auto fetched = Fetch("stamped", 0);
  EXPECT_THAT(Records(fetched), ElementsAre(Pair(0, "a"), Pair(1, "b")));
  EXPECT_EQ(OffsetAt("stamped", 5000).offset, 0);
  EXPECT_EQ(OffsetAt("stamped", 5001).offset, -1);
}

TEST_F(RecordRequests, RetentionForgetsTheOldestBatches) {
  ASSERT_EQ(CreateTopic("short", 1, {{"retention.ms", "1000"}}), 0);
  clock_.now = 1000;
  Produce("short", 0, Batch({"a"}, 900));
  Produce("short", 0, Batch({"b"}, 1000));
  clock_.now = 1950;
  EXPECT_EQ(OffsetAt("short", wire::kEarliestTimestamp).offset, 1);
  EXPECT_EQ(Fetch("short", 0).error_code, CodeOf(ProtocolError::kOffsetOutOfRange));
  clock_.now = 2001;
  EXPECT_EQ(OffsetAt("short", wire::kEarliestTimestamp).offset, 2);
  EXPECT_EQ(OffsetAt("short", wire::kLatestTimestamp).offset, 2);
}

class SmallBroker : public BrokerFixture {
 protected:
  SmallBroker()
      : BrokerFixture({.store = {.memory_bytes = 10'000, .most_topics = 3, .most_partitions = 4},
                       .most_committed_offsets = 1}) {}
};

TEST_F(SmallBroker, WhenMemoryIsFullTheOldestBatchGoesWhicheverTopicItIsIn) {
  CreateTopic("old");
  CreateTopic("new");
  Produce("old", 0, Batch({std::string(3000, 'a')}));
  Produce("new", 0, Batch({std::string(3000, 'b')}));
  Produce("new", 0, Batch({std::string(3000, 'c')}));
  EXPECT_EQ(OffsetAt("old", wire::kEarliestTimestamp).offset, 0);
  Produce("new", 0, Batch({std::string(3000, 'd')}));
  EXPECT_EQ(OffsetAt("old", wire::kEarliestTimestamp).offset, 1);
  EXPECT_EQ(OffsetAt("new", wire::kEarliestTimestamp).offset, 0);
  Produce("old", 0, Batch({std::string(3000, 'e')}));
  EXPECT_EQ(OffsetAt("new", wire::kEarliestTimestamp).offset, 1);
  EXPECT_EQ(Records(Fetch("old", 1)).size(), 1U);
}

TEST_F(SmallBroker, TopicsPartitionsAndOffsetsAreBounded) {
  EXPECT_EQ(CreateTopic("a", 5), CodeOf(ProtocolError::kPolicyViolation));
  EXPECT_EQ(CreateTopic("a", 2), 0);
  EXPECT_EQ(CreateTopic("b"), 0);
  EXPECT_EQ(CreateTopic("c"), 0);
  EXPECT_EQ(CreateTopic("d"), CodeOf(ProtocolError::kPolicyViolation));
  wire::OffsetCommitRequest request;
  request.group_id = "g";
  request.topics.push_back({"a", {{0, 1, -1, "m"}, {1, 1, -1, "m"}}});
  const auto answer = Ask(request, wire::DecodeOffsetCommitResponse).topics.at(0).partitions;
  EXPECT_EQ(answer[0].error_code, 0);
  EXPECT_EQ(answer[1].error_code, CodeOf(ProtocolError::kPolicyViolation));
}

}  // namespace
}  // namespace frazil::kafka::broker
