// SPDX-License-Identifier: Apache-2.0
// A Kafka cluster inside the test: brokers answer from a small model of topics, and tests change
// the model or single answers. Time does not pass in it: what a broker would wait for, it answers
// at once.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/uuid.h"
#include "kafka/client/cluster.h"
#include "kafka/wire/api_versions.h"
#include "kafka/wire/describe_configs.h"
#include "kafka/wire/describe_producers.h"
#include "kafka/wire/fetch.h"
#include "kafka/wire/list_offsets.h"
#include "kafka/wire/metadata.h"
#include "kafka/wire/offset_for_leader_epoch.h"
#include "kafka/wire/record_batch_writer.h"

namespace frazil::kafka {

struct FakePartition {
  std::int32_t leader = 1;
  std::int32_t epoch = 0;
  std::int64_t start = 0;
  // The last stable offset.
  std::int64_t end = 0;
  // Each batch's base offset, last offset and bytes.
  struct Batch {
    std::int64_t base;
    std::int64_t last;
    Bytes bytes;
  };
  std::vector<Batch> batches;
  // Aborted transactions: their first record's offset and their marker's.
  struct Aborted {
    std::int64_t producer;
    std::int64_t first;
    std::int64_t last;
  };
  std::vector<Aborted> aborted;
  // The end where there is none.
  std::optional<std::int64_t> high_watermark;
  // Offsets by the time from which on they are the first.
  std::map<std::int64_t, std::int64_t> offsets_by_time;
  // Ends by epoch.
  std::map<std::int32_t, std::int64_t> epoch_ends;
  std::vector<wire::DescribeProducersResponse::Producer> producers;

  // A batch of `count` records with the values "v<offset>".
  FakePartition& Data(int count, std::int64_t producer = -1,
                      wire::CompressionCodec codec = wire::CompressionCodec::kNone);
  FakePartition& Marker(std::int64_t producer, wire::ControlType type);
  // What compaction leaves of a marker that was a producer's last batch: no record.
  FakePartition& EmptyMarker(std::int64_t producer);
  // Offsets without records or batch.
  FakePartition& Hole(int count);
};

struct FakeTopic {
  Uuid id;
  std::vector<FakePartition> partitions;
  bool internal = false;
  std::vector<wire::DescribeConfigsResponse::Config> configs;
};

Uuid FakeId(std::uint8_t number);

class FakeCluster {
 public:
  FakeCluster();

  ConnectFunction Connector();
  // Brokers broker-1:9092 (id 1) and broker-2:9092 (id 2).
  static BrokerAddress Address(std::int32_t id);

  // The model. Tests with several threads change it before they start them.
  std::map<std::string, FakeTopic> topics;
  std::map<wire::ApiKey, wire::VersionRange> versions;
  // Brokers that refuse connections.
  std::set<std::int32_t> down;
  // Where bytes are missing, whether nothing comes until the reader gives up; else the connection
  // is closed.
  std::atomic<bool> silent{false};
  // What each piece of an answer takes.
  std::chrono::milliseconds piece_delay{0};
  int max_fetch_batches = 1 << 20;

  // Called before an answer is made from the model; may change the model, or give the answer.
  std::function<std::optional<wire::FetchResponse>(const wire::FetchRequest&)> on_fetch;
  std::function<std::optional<wire::ListOffsetsResponse>(const wire::ListOffsetsRequest&)>
      on_list_offsets;
  std::function<std::optional<wire::MetadataResponse>(const wire::MetadataRequest&)> on_metadata;
  // Called after an answer was made from the model.
  std::function<void(wire::MetadataResponse&)> after_metadata;
  std::function<void(wire::ListOffsetsResponse&)> after_list_offsets;
  std::function<void(wire::OffsetForLeaderEpochResponse&)> after_epoch_ends;
  std::function<void(wire::DescribeConfigsResponse&)> after_configs;
  std::function<void(wire::DescribeProducersResponse&)> after_producers;
  std::function<void(wire::FetchResponse&)> after_fetch;
  // The bytes that go over the connection; nullopt breaks it.
  std::function<std::optional<Bytes>(wire::ApiKey api, Bytes frame)> on_frame;

  // What was asked.
  std::vector<wire::FetchRequest> fetches;
  std::vector<std::int32_t> fetched_brokers;
  std::vector<wire::ListOffsetsRequest> list_offsets;
  std::vector<std::int16_t> fetch_versions;
  std::vector<wire::OffsetForLeaderEpochRequest> epoch_requests;
  int metadata_requests = 0;
  int connections = 0;
  int open = 0;
  int most_open = 0;

  // One partition's answer with nothing in it, to change.
  static wire::FetchResponse EmptyFetch(const wire::FetchRequest& request, std::int16_t error,
                                        std::int64_t last_stable_offset);

 private:
  class Stream;

  std::optional<Bytes> Answer(std::int32_t broker, ByteView frame);
  // The answer's frame; nullopt for a request that no broker here takes.
  std::optional<Bytes> AnswerTo(std::int32_t broker, const wire::RequestHeader& header,
                                ByteView body);
  Bytes AnswerVersions(const wire::RequestHeader& header);
  // nullptr when the model has no such partition.
  const FakePartition* FindPartition(const std::string& topic, std::int32_t index) const;
  wire::OffsetForLeaderEpochResponse EpochEnds(
      std::int32_t broker, const wire::OffsetForLeaderEpochRequest& request) const;
  wire::DescribeConfigsResponse Configs(const wire::DescribeConfigsRequest& request) const;
  wire::DescribeProducersResponse Producers(std::int32_t broker,
                                            const wire::DescribeProducersRequest& request) const;
  wire::ApiVersionsResponse Versions() const;
  wire::MetadataResponse Metadata(const wire::MetadataRequest& request) const;
  wire::ListOffsetsResponse ListOffsets(std::int32_t broker,
                                        const wire::ListOffsetsRequest& request) const;
  wire::FetchResponse Fetch(std::int32_t broker, std::int16_t version,
                            const wire::FetchRequest& request);
  wire::FetchResponse::Partition FetchPartition(const FakePartition& partition,
                                                const wire::FetchRequest::Partition& asked);

  // Of all brokers: one request is answered at a time.
  Mutex mutex_;
  // Keeps the records of answers alive until they are encoded.
  Bytes records_;
};

}  // namespace frazil::kafka
