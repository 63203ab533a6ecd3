// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/encoding.h"
#include "kafka/client/partition_state_internal.h"
#include "kafka/wire/describe_producers.h"
#include "kafka/wire/offset_for_leader_epoch.h"
#include "kafka/wire/protocol_error.h"

namespace frazil::kafka {
namespace {

using wire::ProtocolError;

// A partition's leader, and a connection to it.
struct LeaderConnection {
  PartitionLeader leader;
  TopicMetadata metadata;
  ConnectionPool::Lease connection;
};

Result<LeaderConnection> ConnectToLeader(ClusterState& state, const PartitionName& partition,
                                         Deadline deadline, const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(
      TopicMetadata metadata,
      state.CheckedTopic(partition.topic, partition.topic_id, partition.partition,
                         state.options().metadata_max_age, deadline, stop));
  const std::int32_t index = partition.partition.value();
  const PartitionLeader leader = metadata.partitions[static_cast<std::size_t>(index)];
  FRAZIL_ASSIGN_OR_RETURN(const BrokerAddress address,
                          state.LeaderAddress(partition.topic, index, leader));
  FRAZIL_ASSIGN_OR_RETURN(ConnectionPool::Lease connection, state.Lease(address, deadline, stop));
  return LeaderConnection{leader, std::move(metadata), std::move(connection)};
}

Error NotAsked(const PartitionName& partition, const BrokerAddress& address) {
  return Error(ErrorCode::kKafkaProtocol,
               "The Kafka broker's answer is not about what was asked for: " +
                   NamePartition(partition.topic, partition.partition.value()) + " at " +
                   address.ToString() + ".");
}

// The one partition of a response that is about `partition`; nullptr when it holds anything else.
template <typename Response>
const typename Response::Partition* OnlyPartition(const Response& response,
                                                  const PartitionName& partition) {
  const bool fits = response.topics.size() == 1 && response.topics[0].name == partition.topic &&
                    response.topics[0].partitions.size() == 1 &&
                    response.topics[0].partitions[0].index == partition.partition.value();
  return fits ? &response.topics[0].partitions[0] : nullptr;
}

Result<std::optional<EpochEnd>> EpochEndOf(const wire::OffsetForLeaderEpochResponse& response,
                                           const PartitionName& partition, LeaderEpoch wanted,
                                           LeaderEpoch leader_epoch, const BrokerAddress& address) {
  const auto* told = OnlyPartition(response, partition);
  if (told == nullptr) return NotAsked(partition, address);
  switch (static_cast<ProtocolError>(told->error_code)) {
    case ProtocolError::kNone:
      break;
    // Brokers below version 3 of the request tell it only to each other.
    case ProtocolError::kClusterAuthorizationFailed:
    case ProtocolError::kUnsupportedVersion:
    case ProtocolError::kUnsupportedForMessageFormat:
      return std::optional<EpochEnd>();
    default:
      return PartitionError(told->error_code, "Kafka does not tell where an epoch ends",
                            partition.topic, partition.partition.value(), address);
  }
  if (told->leader_epoch < 0 || told->end_offset < 0) return std::optional<EpochEnd>();
  if (told->leader_epoch > wanted.value()) {
    return Error(
        ErrorCode::kKafkaProtocol,
        "The Kafka broker tells about a later epoch than it was asked for: " + address.ToString() +
            " for " + NamePartition(partition.topic, partition.partition.value()) + ".");
  }
  return std::optional<EpochEnd>(
      {LeaderEpoch(told->leader_epoch), Offset(told->end_offset), leader_epoch});
}

}  // namespace

Result<std::optional<EpochEnd>> EndOfEpochOnce(ClusterState& state, const PartitionName& partition,
                                               LeaderEpoch wanted, Deadline caller_deadline,
                                               const std::stop_token& stop) {
  const Deadline deadline = state.RequestDeadline(caller_deadline);
  FRAZIL_ASSIGN_OR_RETURN(LeaderConnection to, ConnectToLeader(state, partition, deadline, stop));
  ConnectionPool::Lease& connection = to.connection;
  const auto version = connection->VersionOf(wire::ApiKey::kOffsetForLeaderEpoch);
  if (!version.ok()) return std::optional<EpochEnd>();
  FRAZIL_ASSIGN_OR_RETURN(const std::int16_t metadata_version,
                          connection->VersionOf(wire::ApiKey::kMetadata));
  wire::OffsetForLeaderEpochRequest request;
  request.topics.push_back(
      {partition.topic, {{partition.partition.value(), to.leader.epoch.value(), wanted.value()}}});
  connection->Queue(request, *version);
  connection->Queue(MetadataRequestFor(partition.topic), metadata_version);
  FRAZIL_RETURN_IF_ERROR(connection->Flush(deadline, stop));
  FRAZIL_ASSIGN_OR_RETURN(const ResponseBody body, connection->Receive(deadline, stop));
  FRAZIL_ASSIGN_OR_RETURN(const ResponseBody topic, connection->Receive(deadline, stop));
  const BrokerAddress& address = connection->address();
  FRAZIL_ASSIGN_OR_RETURN(const wire::OffsetForLeaderEpochResponse response,
                          wire::DecodeOffsetForLeaderEpochResponse(body.bytes, body.version));
  FRAZIL_ASSIGN_OR_RETURN(const std::optional<EpochEnd> end,
                          EpochEndOf(response, partition, wanted, to.leader.epoch, address));
  FRAZIL_ASSIGN_OR_RETURN(const TopicMetadata now,
                          state.TakeMetadata(topic, partition.topic, address));
  if (now == to.metadata) return end;
  return Error(ErrorCode::kKafkaUnavailable, "The topic kept changing while it was looked at: '" +
                                                 Printable(partition.topic) + "' at Kafka broker " +
                                                 address.ToString() + ".");
}

Result<std::optional<OpenTransaction>> OldestOpenTransactionOnce(ClusterState& state,
                                                                 const PartitionName& partition,
                                                                 Deadline caller_deadline,
                                                                 const std::stop_token& stop) {
  const Deadline deadline = state.RequestDeadline(caller_deadline);
  FRAZIL_ASSIGN_OR_RETURN(LeaderConnection to, ConnectToLeader(state, partition, deadline, stop));
  ConnectionPool::Lease& connection = to.connection;
  const auto version = connection->VersionOf(wire::ApiKey::kDescribeProducers);
  if (!version.ok()) return std::optional<OpenTransaction>();
  wire::DescribeProducersRequest request;
  request.topics.push_back({partition.topic, {partition.partition.value()}});
  FRAZIL_ASSIGN_OR_RETURN(const ResponseBody body,
                          connection->Ask(request, *version, deadline, stop));
  FRAZIL_ASSIGN_OR_RETURN(const wire::DescribeProducersResponse response,
                          wire::DecodeDescribeProducersResponse(body.bytes, body.version));
  const auto* told = OnlyPartition(response, partition);
  if (told == nullptr) return NotAsked(partition, connection->address());
  const auto code = static_cast<ProtocolError>(told->error_code);
  if (code == ProtocolError::kTopicAuthorizationFailed ||
      code == ProtocolError::kClusterAuthorizationFailed ||
      code == ProtocolError::kUnsupportedVersion) {
    return std::optional<OpenTransaction>();
  }
  if (told->error_code != 0) {
    return PartitionError(told->error_code, "Kafka does not tell who writes", partition.topic,
                          partition.partition.value(), connection->address());
  }
  std::optional<OpenTransaction> oldest;
  for (const wire::DescribeProducersResponse::Producer& producer : told->producers) {
    if (producer.transaction_start < 0) continue;
    if (oldest.has_value() && oldest->first_offset.value() <= producer.transaction_start) continue;
    oldest = {producer.id, Offset(producer.transaction_start)};
  }
  return oldest;
}

}  // namespace frazil::kafka
