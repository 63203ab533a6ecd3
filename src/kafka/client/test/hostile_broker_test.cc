// SPDX-License-Identifier: Apache-2.0
// Brokers that answer garbage, too much, too little or not at all: a clear error within the limits,
// and no connection left behind.
#include <chrono>

#include "kafka/client/test/client_fixture.h"

namespace frazil::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class HostileBrokerTest : public ClientTest {
 protected:
  HostileBrokerTest() {
    options_.request_timeout = milliseconds(60);
    options_.stall_timeout = milliseconds(100);
    AddTopic().Data(2).Data(2, -1, wire::CompressionCodec::kLz4);
  }

  // What `change` makes of the Fetch answers' frames.
  void ChangeFetches(std::function<std::optional<Bytes>(Bytes)> change) {
    fake_.on_frame = [change = std::move(change)](wire::ApiKey api,
                                                  Bytes frame) -> std::optional<Bytes> {
      return api == wire::ApiKey::kFetch ? change(std::move(frame)) : std::move(frame);
    };
  }

  static Deadline MuchLater() { return Deadline::After(std::chrono::minutes(10)); }
};

TEST_F(HostileBrokerTest, AReadThatStallsEndsLongBeforeItsDeadline) {
  fake_.silent = true;
  ChangeFetches([](const Bytes&) { return Bytes(); });
  const auto begin = steady_clock::now();
  ExpectError(Read(0, 4, MuchLater()), ErrorCode::kKafkaUnavailable,
              {"sent nothing", "100 ms", "partition 0 of topic 'orders'", "broker-1:9092"});
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(100));
  Restart();
  EXPECT_EQ(fake_.open, 0);
}

TEST_F(HostileBrokerTest, AReadThatStallsInTheMiddleOfAnAnswerEnds) {
  fake_.silent = true;
  ChangeFetches([](Bytes frame) {
    frame.resize(frame.size() / 2);
    return frame;
  });
  ExpectError(Read(0, 4, MuchLater()), ErrorCode::kKafkaUnavailable, {"sent nothing", "broker-1"});
  EXPECT_TRUE(offsets_.empty());
}

TEST_F(HostileBrokerTest, APartitionWithoutLeaderStallsToo) {
  Partition().leader = -1;
  ExpectError(Read(0, 4, MuchLater()), ErrorCode::kKafkaUnavailable,
              {"sent nothing", "no leader at the moment"});
}

TEST_F(HostileBrokerTest, BrokersThatAreAllAwayStallToo) {
  fake_.down = {1, 2};
  ExpectError(Read(0, 4, MuchLater()), ErrorCode::kKafkaUnavailable,
              {"sent nothing", "refused", "broker-2:9092"});
}

TEST_F(HostileBrokerTest, ASlowAnswerThatKeepsComingIsNoStall) {
  Partition().Data(60'000);
  options_.request_timeout = milliseconds(300);
  options_.stall_timeout = milliseconds(400);
  fake_.piece_delay = milliseconds(50);
  const auto begin = steady_clock::now();
  const Status status = Read(4, 60'004, MuchLater());
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(offsets_.size(), 60'000U);
  EXPECT_GT(steady_clock::now() - begin, options_.stall_timeout) << "or it shows nothing";
  EXPECT_EQ(fake_.fetches.size(), 1U);
}

TEST_F(HostileBrokerTest, AnswersWithoutRecordsAreNoStall) {
  // A hole at the log's end: two answers that each take most of the stall timeout.
  Partition().Hole(3);
  options_.empty_fetch_wait = milliseconds(250);
  options_.stall_timeout = milliseconds(400);
  fake_.on_fetch = [](const wire::FetchRequest& request) -> std::optional<wire::FetchResponse> {
    PauseUntil(Deadline::After(milliseconds(request.max_wait_ms)), {});
    return std::nullopt;
  };
  const auto begin = steady_clock::now();
  ASSERT_TRUE(Read(0, 7, MuchLater()).ok());
  EXPECT_EQ(offsets_, Numbers(0, 4));
  EXPECT_GT(steady_clock::now() - begin, options_.stall_timeout);
}

TEST_F(HostileBrokerTest, ASlowSinkIsNoStall) {
  fake_.max_fetch_batches = 1;
  const Status status = client().ReadRange(Range(0, 4),
                                           [](const RecordBlock&) -> Status {
                                             PauseUntil(Deadline::After(milliseconds(120)), {});
                                             return {};
                                           },
                                           MuchLater(), {});
  EXPECT_TRUE(status.ok());
}

TEST_F(HostileBrokerTest, ALeaderThatGoesAwayAndComesBackCostsNothing) {
  fake_.max_fetch_batches = 1;
  fake_.after_fetch = [this](wire::FetchResponse&) {
    if (fake_.fetches.size() == 1) fake_.down = {1};
  };
  fake_.on_metadata =
      [this](const wire::MetadataRequest&) -> std::optional<wire::MetadataResponse> {
    if (fake_.metadata_requests > 4) fake_.down.clear();
    return std::nullopt;
  };
  ASSERT_TRUE(Read(0, 4).ok());
  EXPECT_EQ(offsets_, Numbers(0, 4));
}

TEST_F(HostileBrokerTest, HostileLengthsAreRefusedBeforeTheyAreAllocated) {
  for (const std::int32_t length : {-1, 0, 3, INT32_MIN, INT32_MAX}) {
    ChangeFetches([length](Bytes frame) {
      StoreBigEndian(length, frame.data());
      return frame;
    });
    ExpectError(Read(0, 4), ErrorCode::kKafkaProtocol, {"length is out of bounds", "broker-1"});
  }
}

TEST_F(HostileBrokerTest, ALengthThatPromisesMoreThanComesIsALostConnection) {
  ChangeFetches([](Bytes frame) {
    StoreBigEndian(std::int32_t{200 << 20}, frame.data());
    return frame;
  });
  ExpectError(Read(0, 4, AtOnce()), ErrorCode::kKafkaUnavailable, {"closed", "broker-1"});
}

TEST_F(HostileBrokerTest, AnAnswerToAnotherRequestIsRefused) {
  ChangeFetches([](Bytes frame) {
    frame[7] ^= 1;
    return frame;
  });
  ExpectError(Read(0, 4), ErrorCode::kKafkaProtocol, {"another request", "broker-1"});
}

TEST_F(HostileBrokerTest, AnAnswerInAnotherProtocolIsNamed) {
  const std::string text = "HTTP/1.1 400 Bad Request\r\n\r\n";
  fake_.on_frame = [&text](wire::ApiKey, const Bytes&) {
    return std::optional<Bytes>({text.begin(), text.end()});
  };
  ExpectError(Read(0, 4), ErrorCode::kKafkaProtocol, {"is this a Kafka broker's", "9092"});
}

TEST_F(HostileBrokerTest, EachTruncationAndFlipOfAnAnswerGivesAnErrorOrRecords) {
  std::size_t size = 1;
  for (std::size_t i = 0; i < 2 * size; ++i) {
    ChangeFetches([&size, i](Bytes frame) {
      size = frame.size();
      if (i < size) {
        frame.resize(i);
        if (i >= 4) StoreBigEndian(static_cast<std::int32_t>(i - 4), frame.data());
      } else {
        frame[i - size] ^= 0x41;
      }
      return frame;
    });
    // Whatever comes out: it ends, and what is handed over lies in the range.
    const Status status = client().ReadRange(Range(0, 4),
                                             [](const RecordBlock& set) -> Status {
                                               for (const RecordView& record : set.records) {
                                                 EXPECT_GE(record.offset, 0);
                                                 EXPECT_LT(record.offset, 4);
                                               }
                                               return {};
                                             },
                                             Deadline::After(milliseconds(5)), {});
    EXPECT_TRUE(status.ok() || !status.error().message().empty());
  }
  EXPECT_GT(size, 100U);
  Restart();
  EXPECT_EQ(fake_.open, 0);
}

TEST_F(HostileBrokerTest, SmallRecordsDoNotPileUp) {
  // Payload of a few bytes each: blocks are bounded by their number and by what was uncompressed.
  fake_.topics.clear();
  AddTopic();
  for (int i = 0; i < 3; ++i) Partition().Data(100'000, -1, wire::CompressionCodec::kZstd);
  std::size_t largest = 0;
  std::int64_t next = 0;
  std::size_t marks = 0;
  const Status status = client().ReadRange(Range(0, 300'000),
                                           [&](const RecordBlock& set) -> Status {
                                             marks += set.batches.size();
                                             largest = std::max(largest, set.records.size());
                                             EXPECT_EQ(set.records.front().offset, next);
                                             next = set.records.back().offset + 1;
                                             return {};
                                           },
                                           MuchLater(), {});
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(next, 300'000);
  EXPECT_LE(largest, 1U << 14);
  EXPECT_EQ(marks, 3U) << "each batch is handed over in several blocks";
}

}  // namespace
}  // namespace frazil::kafka
