// SPDX-License-Identifier: Apache-2.0
// A broker without sockets that is asked in messages.
#pragma once

#include <atomic>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kafka/broker/requests_internal.h"
#include "kafka/wire/record_batch_writer.h"

namespace frazil::kafka::broker {

class SettableClock final : public Clock {
 public:
  UnixMillis Now() const override { return UnixMillis(now); }
  std::atomic<std::int64_t> now = 1'000'000;
};

class BrokerFixture : public testing::Test {
 protected:
  explicit BrokerFixture(const StateOptions& options = {})
      : state_(options, clock_, "cluster", 1000) {}

  // The answer as it would go over a connection.
  template <typename Request>
  Result<Bytes> AskRaw(const Request& request, std::int16_t version) {
    const Bytes frame = wire::EncodeRequestFrame(
        {.api = Request::kApi, .version = version, .correlation_id = 7, .client_id = "test"},
        request);
    return AnswerRequest(ByteView(frame).subspan(4), state_, endpoint_, stop_.get_token());
  }

  // The newest version without another one. Views in the answer live until the next call.
  template <typename Request, typename Decode>
  auto Ask(const Request& request, Decode decode, std::optional<std::int16_t> version = {}) {
    const std::int16_t chosen = version.value_or(wire::SupportedVersions(Request::kApi).last);
    answer_ = AskRaw(request, chosen).value();
    EXPECT_EQ(LoadBigEndian<std::int32_t>(answer_.data()),
              static_cast<std::int32_t>(answer_.size() - 4));
    ByteView body;
    EXPECT_EQ(wire::DecodeResponseHeader(ByteView(answer_).subspan(4), Request::kApi, chosen, body)
                  .value(),
              7);
    return decode(body, chosen).value();
  }

  std::int16_t CreateTopic(const std::string& name, std::int32_t partitions = 1,
                           std::vector<wire::CreateTopicsRequest::Config> configs = {}) {
    wire::CreateTopicsRequest request;
    request.topics.push_back({name, partitions, 1, {}, std::move(configs)});
    return Ask(request, wire::DecodeCreateTopicsResponse).topics.at(0).error_code;
  }

  // One batch; record i has the time first_time + i.
  static Bytes Batch(const std::vector<std::string>& values, std::int64_t first_time = 100,
                     wire::BatchProperties properties = {}) {
    std::vector<wire::RecordToWrite> records;
    for (std::size_t i = 0; i < values.size(); ++i) {
      records.push_back({.offset_delta = static_cast<std::int32_t>(i),
                         .timestamp = first_time + static_cast<std::int64_t>(i),
                         .key = std::nullopt,
                         .value = values[i],
                         .headers = {}});
    }
    Bytes batch;
    wire::AppendRecordBatch(properties, records, batch);
    return batch;
  }

  wire::ProduceResponse::Partition Produce(const std::string& topic, std::int32_t partition,
                                           const Bytes& batch) {
    wire::ProduceRequest request;
    request.topics.push_back({topic, {{partition, ByteView(batch)}}});
    return Ask(request, wire::DecodeProduceResponse).topics.at(0).partitions.at(0);
  }

  wire::FetchRequest FetchOf(const std::string& topic, std::int64_t offset) {
    wire::FetchRequest request;
    request.max_bytes = 1 << 20;
    request.topics.push_back({topic, state_.topics.Find({topic, {}}).value_or(TopicInfo()).id, {}});
    request.topics.back().partitions.push_back({.fetch_offset = offset, .max_bytes = 1 << 20});
    return request;
  }

  wire::FetchResponse::Partition Fetch(const std::string& topic, std::int64_t offset) {
    return Ask(FetchOf(topic, offset), wire::DecodeFetchResponse).topics.at(0).partitions.at(0);
  }

  // The values of all records in a partition's answer, with their offsets.
  static std::vector<std::pair<std::int64_t, std::string>> Records(
      const wire::FetchResponse::Partition& partition) {
    std::vector<std::pair<std::int64_t, std::string>> records;
    ByteView rest = partition.records.value_or(ByteView());
    while (!rest.empty()) {
      const auto batch = wire::TakeRecordBatch(rest, {}).value().value();
      EXPECT_TRUE(wire::VerifyChecksum(batch).ok());
      RecordBlock set;
      EXPECT_TRUE(wire::AppendRecords(batch, {}, 0, INT64_MAX, set).ok());
      for (const RecordView& record : set.records) {
        records.emplace_back(record.offset, AsText(record.value.view()));
      }
    }
    return records;
  }

  wire::ListOffsetsResponse::Partition OffsetAt(const std::string& topic, std::int64_t timestamp,
                                                std::int32_t epoch = -1) {
    wire::ListOffsetsRequest request;
    request.topics.push_back({topic, {{0, epoch, timestamp}}});
    return Ask(request, wire::DecodeListOffsetsResponse).topics.at(0).partitions.at(0);
  }

  SettableClock clock_;
  BrokerState state_;
  const Endpoint endpoint_{"127.0.0.1", 9092};
  std::stop_source stop_;
  Bytes answer_;
};

}  // namespace frazil::kafka::broker
