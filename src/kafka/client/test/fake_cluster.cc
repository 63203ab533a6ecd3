// SPDX-License-Identifier: Apache-2.0
#include "kafka/client/test/fake_cluster.h"

#include <algorithm>
#include <cstring>

#include "kafka/wire/protocol_error.h"

namespace frazil::kafka {
namespace {

using wire::ApiKey;
using wire::ProtocolError;

std::int16_t Code(ProtocolError error) { return static_cast<std::int16_t>(error); }

// Why the broker does not answer for the partition; 0 when it does.
std::int16_t CheckLeader(const FakePartition& partition, std::int32_t broker, std::int32_t epoch) {
  if (partition.leader != broker) return Code(ProtocolError::kNotLeaderOrFollower);
  if (epoch >= 0 && epoch < partition.epoch) return Code(ProtocolError::kFencedLeaderEpoch);
  if (epoch > partition.epoch) return Code(ProtocolError::kUnknownLeaderEpoch);
  return 0;
}

std::int64_t OffsetFor(const FakePartition& partition, std::int64_t timestamp,
                       std::int8_t isolation_level) {
  if (timestamp == wire::kEarliestTimestamp) return partition.start;
  if (timestamp == wire::kLatestTimestamp) {
    return isolation_level == 1 ? partition.end : partition.high_watermark.value_or(partition.end);
  }
  const auto found = partition.offsets_by_time.lower_bound(timestamp);
  return found == partition.offsets_by_time.end() ? -1 : found->second;
}

}  // namespace

Uuid FakeId(std::uint8_t number) {
  Uuid id;
  id.bytes[15] = number;
  return id;
}

FakePartition& FakePartition::Data(int count, std::int64_t producer, wire::CompressionCodec codec) {
  std::vector<std::string> values;
  for (int i = 0; i < count; ++i) values.push_back("v" + std::to_string(end + i));
  std::vector<wire::RecordToWrite> records(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].offset_delta = static_cast<std::int32_t>(i);
    records[i].value = values[i];
  }
  wire::BatchProperties properties;
  properties.base_offset = end;
  properties.codec = codec;
  properties.producer_id = producer;
  properties.transactional = producer >= 0;
  Bytes bytes;
  wire::AppendRecordBatch(properties, records, bytes);
  batches.push_back({end, end + count - 1, std::move(bytes)});
  end += count;
  return *this;
}

FakePartition& FakePartition::Marker(std::int64_t producer, wire::ControlType type) {
  wire::BatchProperties properties;
  properties.base_offset = end;
  properties.producer_id = producer;
  Bytes bytes;
  wire::AppendTransactionMarker(properties, type, 0, bytes);
  batches.push_back({end, end, std::move(bytes)});
  ++end;
  return *this;
}

FakePartition& FakePartition::EmptyMarker(std::int64_t producer) {
  wire::BatchProperties properties;
  properties.base_offset = end;
  properties.producer_id = producer;
  properties.transactional = true;
  properties.control = true;
  Bytes bytes;
  wire::AppendRecordBatch(properties, {}, bytes);
  batches.push_back({end, end, std::move(bytes)});
  ++end;
  return *this;
}

FakePartition& FakePartition::Hole(int count) {
  end += count;
  return *this;
}

class FakeCluster::Stream final : public net::TcpStream {
 public:
  Stream(FakeCluster& cluster, std::int32_t broker) : cluster_(cluster), broker_(broker) {}
  ~Stream() override {
    const MutexLock lock(cluster_.mutex_);
    --cluster_.open;
  }

  Status WriteAll(ByteView data, Deadline deadline, const std::stop_token& stop) override {
    FRAZIL_RETURN_IF_ERROR(Check(deadline, stop));
    Append(data, incoming_);
    while (incoming_.size() >= 4) {
      const auto size = LoadBigEndian<std::uint32_t>(incoming_.data());
      if (incoming_.size() < 4 + size) break;
      const MutexLock lock(cluster_.mutex_);
      const auto answer = cluster_.Answer(broker_, ByteView(incoming_).subspan(4, size));
      incoming_.erase(incoming_.begin(), incoming_.begin() + 4 + size);
      broken_ = broken_ || !answer.has_value();
      if (!broken_) Append(*answer, outgoing_);
    }
    return {};
  }

  Status ReadExact(std::span<std::uint8_t> into, Deadline deadline,
                   const std::stop_token& stop) override {
    FRAZIL_RETURN_IF_ERROR(Check(deadline, stop));
    if (outgoing_.size() < into.size()) {
      if (cluster_.silent) {
        PauseUntil(deadline, stop);
        return Check(deadline, stop);
      }
      return Error(ErrorCode::kNetwork, "The connection was closed by the other side");
    }
    if (cluster_.piece_delay.count() > 0 && into.size() > 4) {
      PauseUntil(deadline.Within(cluster_.piece_delay), stop);
      FRAZIL_RETURN_IF_ERROR(Check(deadline, stop));
    }
    std::memcpy(into.data(), outgoing_.data(), into.size());
    outgoing_.erase(outgoing_.begin(),
                    outgoing_.begin() + static_cast<std::ptrdiff_t>(into.size()));
    return {};
  }

 private:
  static Status Check(Deadline deadline, const std::stop_token& stop) {
    if (stop.stop_requested()) return Error(ErrorCode::kCancelled, "stopped");
    if (deadline.Expired()) return Error(ErrorCode::kDeadlineExceeded, "No answer came in time");
    return {};
  }

  FakeCluster& cluster_;
  std::int32_t broker_;
  Bytes incoming_;
  Bytes outgoing_;
  bool broken_ = false;
};

FakeCluster::FakeCluster() {
  versions = {{ApiKey::kApiVersions, {0, 4}},          {ApiKey::kMetadata, {0, 13}},
              {ApiKey::kListOffsets, {1, 11}},         {ApiKey::kFetch, {4, 18}},
              {ApiKey::kOffsetForLeaderEpoch, {2, 4}}, {ApiKey::kDescribeConfigs, {1, 4}},
              {ApiKey::kDescribeProducers, {0, 0}}};
}

BrokerAddress FakeCluster::Address(std::int32_t id) {
  return {"broker-" + std::to_string(id), 9092};
}

ConnectFunction FakeCluster::Connector() {
  return [this](const BrokerAddress& address, Deadline,
                const std::stop_token&) -> Result<std::unique_ptr<net::TcpStream>> {
    const MutexLock lock(mutex_);
    for (const std::int32_t id : {1, 2}) {
      if (address != Address(id) || down.contains(id)) continue;
      ++connections;
      most_open = std::max(most_open, ++open);
      return std::unique_ptr<net::TcpStream>(std::make_unique<Stream>(*this, id));
    }
    return Error(ErrorCode::kNetwork, "Connection refused");
  };
}

std::optional<Bytes> FakeCluster::Answer(std::int32_t broker, ByteView frame) {
  if (down.contains(broker)) return std::nullopt;
  ByteView body;
  const wire::RequestHeader header = wire::DecodeRequestHeader(frame, body).value();
  std::optional<Bytes> answer = AnswerTo(broker, header, body);
  if (!answer.has_value()) return std::nullopt;
  return on_frame ? on_frame(header.api, std::move(*answer)) : std::move(answer);
}

std::optional<Bytes> FakeCluster::AnswerTo(std::int32_t broker, const wire::RequestHeader& header,
                                           ByteView body) {
  const std::int16_t version = header.version;
  // Changes the answer as the test wants it, and encodes it.
  const auto finish = [&header](auto response, const auto& after) {
    if (after) after(response);
    return wire::EncodeResponseFrame(header.correlation_id, header.version, response);
  };
  switch (header.api) {
    case ApiKey::kApiVersions:
      return AnswerVersions(header);
    case ApiKey::kMetadata: {
      ++metadata_requests;
      const auto request = wire::DecodeMetadataRequest(body, version).value();
      std::optional<wire::MetadataResponse> response;
      if (on_metadata) response = on_metadata(request);
      return finish(response.has_value() ? *response : Metadata(request), after_metadata);
    }
    case ApiKey::kListOffsets: {
      const auto request = wire::DecodeListOffsetsRequest(body, version).value();
      list_offsets.push_back(request);
      std::optional<wire::ListOffsetsResponse> response;
      if (on_list_offsets) response = on_list_offsets(request);
      if (!response.has_value()) response = ListOffsets(broker, request);
      return finish(std::move(*response), after_list_offsets);
    }
    case ApiKey::kFetch: {
      const auto request = wire::DecodeFetchRequest(body, version).value();
      fetches.push_back(request);
      fetched_brokers.push_back(broker);
      fetch_versions.push_back(version);
      std::optional<wire::FetchResponse> response;
      if (on_fetch) response = on_fetch(request);
      if (!response.has_value()) response = Fetch(broker, version, request);
      return finish(std::move(*response), after_fetch);
    }
    case ApiKey::kOffsetForLeaderEpoch: {
      const auto request = wire::DecodeOffsetForLeaderEpochRequest(body, version).value();
      epoch_requests.push_back(request);
      return finish(EpochEnds(broker, request), after_epoch_ends);
    }
    case ApiKey::kDescribeConfigs:
      return finish(Configs(wire::DecodeDescribeConfigsRequest(body, version).value()),
                    after_configs);
    case ApiKey::kDescribeProducers:
      return finish(Producers(broker, wire::DecodeDescribeProducersRequest(body, version).value()),
                    after_producers);
    default:
      return std::nullopt;
  }
}

Bytes FakeCluster::AnswerVersions(const wire::RequestHeader& header) {
  wire::ApiVersionsResponse response = Versions();
  if (header.version <= versions[ApiKey::kApiVersions].last) {
    return wire::EncodeResponseFrame(header.correlation_id, header.version, response);
  }
  response.error_code = Code(ProtocolError::kUnsupportedVersion);
  return wire::EncodeResponseFrame(header.correlation_id, 0, response);
}

const FakePartition* FakeCluster::FindPartition(const std::string& topic,
                                                std::int32_t index) const {
  const auto found = topics.find(topic);
  if (found == topics.end() || index < 0 ||
      static_cast<std::size_t>(index) >= found->second.partitions.size()) {
    return nullptr;
  }
  return &found->second.partitions[static_cast<std::size_t>(index)];
}

wire::OffsetForLeaderEpochResponse FakeCluster::EpochEnds(
    std::int32_t broker, const wire::OffsetForLeaderEpochRequest& request) const {
  wire::OffsetForLeaderEpochResponse response;
  const auto& asked = request.topics.at(0).partitions.at(0);
  response.topics.push_back({request.topics[0].name, {{0, asked.index, -1, -1}}});
  auto& told = response.topics[0].partitions[0];
  const FakePartition* held = FindPartition(request.topics[0].name, asked.index);
  if (held == nullptr) {
    told.error_code = Code(ProtocolError::kUnknownTopicOrPartition);
    return response;
  }
  told.error_code = CheckLeader(*held, broker, asked.current_leader_epoch);
  if (told.error_code != 0) return response;
  const auto after = held->epoch_ends.upper_bound(asked.leader_epoch);
  if (after == held->epoch_ends.begin()) return response;
  told.leader_epoch = std::prev(after)->first;
  told.end_offset = std::prev(after)->second;
  return response;
}

wire::DescribeConfigsResponse FakeCluster::Configs(
    const wire::DescribeConfigsRequest& request) const {
  wire::DescribeConfigsResponse response;
  for (const auto& asked : request.resources) {
    auto& told = response.resources.emplace_back();
    told.type = asked.type;
    told.name = asked.name;
    const auto found = topics.find(asked.name);
    if (found == topics.end()) {
      told.error_code = Code(ProtocolError::kUnknownTopicOrPartition);
    } else {
      told.configs = found->second.configs;
    }
  }
  return response;
}

wire::DescribeProducersResponse FakeCluster::Producers(
    std::int32_t broker, const wire::DescribeProducersRequest& request) const {
  wire::DescribeProducersResponse response;
  const std::int32_t index = request.topics.at(0).partitions.at(0);
  response.topics.push_back({request.topics[0].name, {{index, 0, std::nullopt, {}}}});
  auto& told = response.topics[0].partitions[0];
  const FakePartition* held = FindPartition(request.topics[0].name, index);
  told.error_code = held == nullptr ? Code(ProtocolError::kUnknownTopicOrPartition)
                                    : CheckLeader(*held, broker, -1);
  if (told.error_code == 0) told.producers = held->producers;
  return response;
}

wire::ApiVersionsResponse FakeCluster::Versions() const {
  wire::ApiVersionsResponse response;
  for (const auto& [api, range] : versions) {
    response.apis.push_back({static_cast<std::int16_t>(api), range});
  }
  return response;
}

wire::MetadataResponse FakeCluster::Metadata(const wire::MetadataRequest& request) const {
  wire::MetadataResponse response;
  for (const std::int32_t id : {1, 2}) {
    response.brokers.push_back({id, Address(id).host, Address(id).port, std::nullopt});
  }
  std::vector<std::string> names;
  if (request.topics.has_value()) {
    for (const wire::MetadataRequest::Topic& asked : *request.topics) names.push_back(*asked.name);
  } else {
    for (const auto& [name, topic] : topics) names.push_back(name);
  }
  for (const std::string& name : names) {
    wire::MetadataResponse::Topic& topic = response.topics.emplace_back();
    topic.name = name;
    const auto found = topics.find(name);
    if (found == topics.end()) {
      topic.error_code = Code(ProtocolError::kUnknownTopicOrPartition);
      continue;
    }
    topic.id = found->second.id;
    topic.is_internal = found->second.internal;
    for (std::size_t i = 0; i < found->second.partitions.size(); ++i) {
      const FakePartition& partition = found->second.partitions[i];
      wire::MetadataResponse::Partition& told = topic.partitions.emplace_back();
      told.index = static_cast<std::int32_t>(i);
      told.leader_id = partition.leader;
      told.leader_epoch = partition.epoch;
    }
  }
  return response;
}

wire::ListOffsetsResponse FakeCluster::ListOffsets(std::int32_t broker,
                                                   const wire::ListOffsetsRequest& request) const {
  wire::ListOffsetsResponse response;
  for (const wire::ListOffsetsRequest::Topic& asked : request.topics) {
    wire::ListOffsetsResponse::Topic& topic = response.topics.emplace_back();
    topic.name = asked.name;
    for (const wire::ListOffsetsRequest::Partition& partition : asked.partitions) {
      wire::ListOffsetsResponse::Partition& told = topic.partitions.emplace_back();
      told.index = partition.index;
      const FakePartition* held = FindPartition(asked.name, partition.index);
      if (held == nullptr) {
        told.error_code = Code(ProtocolError::kUnknownTopicOrPartition);
        continue;
      }
      told.error_code = CheckLeader(*held, broker, partition.current_leader_epoch);
      if (told.error_code != 0) continue;
      told.offset = OffsetFor(*held, partition.timestamp, request.isolation_level);
      told.leader_epoch = held->epoch;
    }
  }
  return response;
}

wire::FetchResponse FakeCluster::EmptyFetch(const wire::FetchRequest& request, std::int16_t error,
                                            std::int64_t last_stable_offset) {
  wire::FetchResponse response;
  wire::FetchResponse::Topic& topic = response.topics.emplace_back();
  topic.name = request.topics[0].name;
  topic.id = request.topics[0].id;
  wire::FetchResponse::Partition& partition = topic.partitions.emplace_back();
  partition.index = request.topics[0].partitions[0].index;
  partition.error_code = error;
  partition.last_stable_offset = last_stable_offset;
  return response;
}

wire::FetchResponse FakeCluster::Fetch(std::int32_t broker, std::int16_t version,
                                       const wire::FetchRequest& request) {
  const wire::FetchRequest::Topic& asked = request.topics[0];
  const wire::FetchRequest::Partition& partition = asked.partitions[0];
  const auto found = std::ranges::find_if(topics, [&](const auto& entry) {
    return version < wire::kFetchByTopicId ? entry.first == asked.name
                                           : entry.second.id == asked.id;
  });
  if (found == topics.end()) {
    return EmptyFetch(request,
                      Code(version < wire::kFetchByTopicId ? ProtocolError::kUnknownTopicOrPartition
                                                           : ProtocolError::kUnknownTopicId),
                      -1);
  }
  const FakePartition& held = found->second.partitions[static_cast<std::size_t>(partition.index)];
  std::int16_t error = CheckLeader(held, broker, partition.current_leader_epoch);
  if (error == 0 && (partition.fetch_offset < held.start || partition.fetch_offset > held.end)) {
    error = Code(ProtocolError::kOffsetOutOfRange);
  }
  wire::FetchResponse response = EmptyFetch(request, error, -1);
  if (error == 0) response.topics[0].partitions[0] = FetchPartition(held, partition);
  return response;
}

wire::FetchResponse::Partition FakeCluster::FetchPartition(
    const FakePartition& partition, const wire::FetchRequest::Partition& asked) {
  wire::FetchResponse::Partition told;
  told.index = asked.index;
  told.high_watermark = partition.end;
  told.last_stable_offset = partition.end;
  told.log_start_offset = partition.start;
  records_.clear();
  int count = 0;
  std::int64_t last = -1;
  for (const FakePartition::Batch& batch : partition.batches) {
    if (batch.last < asked.fetch_offset || batch.base >= partition.end) continue;
    if (count++ == max_fetch_batches) break;
    Append(batch.bytes, records_);
    last = batch.last;
  }
  told.aborted_transactions.emplace();
  for (const FakePartition::Aborted& aborted : partition.aborted) {
    if (aborted.last < asked.fetch_offset || aborted.first > last) continue;
    told.aborted_transactions->push_back({aborted.producer, aborted.first});
  }
  told.records = ByteView(records_);
  return told;
}

}  // namespace frazil::kafka
