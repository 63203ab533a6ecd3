// SPDX-License-Identifier: Apache-2.0
// A client of a FakeCluster with waits that fit a test.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kafka/client/cluster.h"
#include "kafka/client/test/fake_cluster.h"
#include "kafka/wire/protocol_error.h"

namespace frazil::kafka {

inline std::int16_t Code(wire::ProtocolError error) { return static_cast<std::int16_t>(error); }

class ClientTest : public testing::Test {
 protected:
  ClientTest() {
    options_.bootstrap = {FakeCluster::Address(1), FakeCluster::Address(2)};
    options_.retry_backoff_min = std::chrono::milliseconds(1);
    options_.retry_backoff_max = std::chrono::milliseconds(4);
    options_.unknown_topic_grace = std::chrono::milliseconds(30);
    options_.empty_fetch_wait = std::chrono::milliseconds(50);
  }

  // The topic "orders" with its first partition empty.
  FakePartition& AddTopic() {
    FakeTopic& topic = fake_.topics["orders"];
    topic.id = FakeId(1);
    return topic.partitions.emplace_back();
  }
  FakePartition& Partition(std::size_t index = 0) {
    return fake_.topics.at("orders").partitions.at(index);
  }

  Cluster& client() {
    if (client_ == nullptr) {
      client_ = std::make_unique<Cluster>(options_, metrics_, fake_.Connector());
    }
    return *client_;
  }

  // With what options_ say now.
  void Restart() { client_.reset(); }

  static Deadline Soon() { return Deadline::After(std::chrono::milliseconds(2'000)); }
  static Deadline AtOnce() { return Deadline::After(std::chrono::milliseconds(60)); }

  Result<TopicOffsets> Describe(Deadline deadline = Soon()) {
    return client().Describe("orders", deadline, {});
  }

  ReadRequest Range(std::int64_t start, std::int64_t end) const {
    ReadRequest request;
    request.topic = "orders";
    request.topic_id = FakeId(1);
    request.start = Offset(start);
    request.end = Offset(end);
    return request;
  }

  // Reads into offsets_ and checks what holds for every read.
  Status Read(const ReadRequest& request, Deadline deadline = Soon()) {
    offsets_.clear();
    return client().ReadRange(request,
                              [this, &request](const RecordBlock& set) -> Status {
                                EXPECT_FALSE(set.records.empty());
                                for (const RecordView& record : set.records) {
                                  EXPECT_GE(record.offset, request.start.value());
                                  EXPECT_LT(record.offset, request.end.value());
                                  EXPECT_TRUE(offsets_.empty() || record.offset > offsets_.back());
                                  EXPECT_EQ(AsText(record.value.view()),
                                            "v" + std::to_string(record.offset));
                                  offsets_.push_back(record.offset);
                                }
                                return {};
                              },
                              deadline, {});
  }
  Status Read(std::int64_t start, std::int64_t end, Deadline deadline = Soon()) {
    return Read(Range(start, end), deadline);
  }

  static std::vector<std::int64_t> Numbers(std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = begin; i < end; ++i) numbers.push_back(i);
    return numbers;
  }

  template <typename Outcome>
  static void ExpectError(const Outcome& outcome, ErrorCode code,
                          const std::vector<std::string>& parts = {}) {
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(RowOf(outcome.error().code()).name, RowOf(code).name) << outcome.error().message();
    for (const std::string& part : parts) {
      EXPECT_NE(outcome.error().message().find(part), std::string::npos)
          << outcome.error().message();
    }
  }

  FakeCluster fake_;
  ClusterOptions options_;
  telemetry::Metrics metrics_;
  std::vector<std::int64_t> offsets_;

 private:
  std::unique_ptr<Cluster> client_;
};

}  // namespace frazil::kafka
