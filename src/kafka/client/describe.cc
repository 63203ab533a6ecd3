// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "kafka/client/describe_internal.h"
#include "kafka/wire/list_offsets.h"
#include "kafka/wire/protocol_error.h"

namespace frazil::kafka {
namespace {

// Partitions by the broker that leads them. Ordered by address, as the pool wants it.
using PartitionsByLeader = std::map<BrokerAddress, std::vector<std::int32_t>>;

wire::ListOffsetsRequest OffsetsRequest(const std::string& topic, const TopicMetadata& metadata,
                                        const std::vector<std::int32_t>& partitions,
                                        std::int64_t timestamp) {
  wire::ListOffsetsRequest request;
  wire::ListOffsetsRequest::Topic& asked = request.topics.emplace_back();
  asked.name = topic;
  for (const std::int32_t partition : partitions) {
    const LeaderEpoch epoch = metadata.partitions[static_cast<std::size_t>(partition)].epoch;
    asked.partitions.push_back({partition, epoch.value(), timestamp});
  }
  return request;
}

// Reads the answer into `set(partition, offset)`, which each asked partition gets exactly once.
template <typename SetOffset>
Status TakeOffsets(const ResponseBody& body, const std::string& topic,
                   const std::vector<std::int32_t>& partitions, const BrokerAddress& address,
                   SetOffset set) {
  FRAZIL_ASSIGN_OR_RETURN(const wire::ListOffsetsResponse response,
                          wire::DecodeListOffsetsResponse(body.bytes, body.version));
  std::vector<std::int32_t> told;
  for (const wire::ListOffsetsResponse::Topic& answered : response.topics) {
    if (answered.name != topic) continue;
    for (const wire::ListOffsetsResponse::Partition& partition : answered.partitions) {
      if (partition.error_code != 0) {
        return PartitionError(partition.error_code, "Kafka does not tell where the log ends", topic,
                              partition.index, address);
      }
      told.push_back(partition.index);
      if (partition.offset < 0) {
        return Error(ErrorCode::kKafkaProtocol,
                     "The Kafka broker tells a negative offset: " + address.ToString() + " for " +
                         NamePartition(topic, partition.index) + ".");
      }
    }
  }
  std::ranges::sort(told);
  if (told != partitions) {
    return Error(ErrorCode::kKafkaProtocol,
                 "The Kafka broker's answer does not hold each partition once that was asked "
                 "for: topic '" +
                     Printable(topic) + "' at " + address.ToString() + ".");
  }
  for (const wire::ListOffsetsResponse::Topic& answered : response.topics) {
    if (answered.name != topic) continue;
    for (const auto& partition : answered.partitions) set(partition.index, partition.offset);
  }
  return {};
}

class Description {
 public:
  Description(ClusterState& state, const std::string& topic, Deadline deadline,
              const std::stop_token& stop)
      : state_(state), topic_(topic), deadline_(state.RequestDeadline(deadline)), stop_(stop) {}

  Result<TopicOffsets> Run() {
    FRAZIL_ASSIGN_OR_RETURN(
        metadata_, state_.Topic(topic_, state_.options().metadata_max_age, deadline_, stop_));
    FRAZIL_RETURN_IF_ERROR(GroupByLeader());
    offsets_.topic_id = metadata_.id;
    offsets_.partitions.resize(metadata_.partitions.size());
    FRAZIL_RETURN_IF_ERROR(Ask());
    for (std::size_t i = 0; i < asked_.size(); ++i) FRAZIL_RETURN_IF_ERROR(TakeAnswers(i));
    Complete();
    return std::move(offsets_);
  }

 private:
  Status GroupByLeader() {
    for (std::size_t i = 0; i < metadata_.partitions.size(); ++i) {
      const auto partition = static_cast<std::int32_t>(i);
      FRAZIL_ASSIGN_OR_RETURN(const BrokerAddress address,
                              state_.LeaderAddress(topic_, partition, metadata_.partitions[i]));
      leaders_[address].push_back(partition);
    }
    return {};
  }

  // All brokers work at the same time: every request is out before the first answer is read.
  Status Ask() {
    for (const auto& [address, partitions] : leaders_) {
      FRAZIL_ASSIGN_OR_RETURN(ConnectionPool::Lease connection,
                              state_.Lease(address, deadline_, stop_));
      FRAZIL_ASSIGN_OR_RETURN(const std::int16_t list_version,
                              connection->VersionOf(wire::ApiKey::kListOffsets));
      FRAZIL_ASSIGN_OR_RETURN(const std::int16_t metadata_version,
                              connection->VersionOf(wire::ApiKey::kMetadata));
      // The start first: it can only rise until the end is told.
      connection->Queue(OffsetsRequest(topic_, metadata_, partitions, wire::kEarliestTimestamp),
                        list_version);
      connection->Queue(OffsetsRequest(topic_, metadata_, partitions, wire::kLatestTimestamp),
                        list_version);
      connection->Queue(MetadataRequestFor(topic_), metadata_version);
      FRAZIL_RETURN_IF_ERROR(connection->Flush(deadline_, stop_));
      asked_.push_back({address, &partitions, std::move(connection)});
    }
    return {};
  }

  Status TakeAnswers(std::size_t index) {
    Asked& asked = asked_[index];
    FRAZIL_ASSIGN_OR_RETURN(const ResponseBody starts, asked.connection->Receive(deadline_, stop_));
    FRAZIL_ASSIGN_OR_RETURN(const ResponseBody ends, asked.connection->Receive(deadline_, stop_));
    FRAZIL_ASSIGN_OR_RETURN(const ResponseBody topic, asked.connection->Receive(deadline_, stop_));
    FRAZIL_RETURN_IF_ERROR(TakeOffsets(starts, topic_, *asked.partitions, asked.address,
                                       [this](std::int32_t partition, std::int64_t offset) {
                                         At(partition).start = Offset(offset);
                                       }));
    FRAZIL_RETURN_IF_ERROR(TakeOffsets(ends, topic_, *asked.partitions, asked.address,
                                       [this](std::int32_t partition, std::int64_t offset) {
                                         At(partition).end = Offset(offset);
                                       }));
    FRAZIL_ASSIGN_OR_RETURN(const TopicMetadata now,
                            state_.TakeMetadata(topic, topic_, asked.address));
    if (now == metadata_) return {};
    return Error(ErrorCode::kKafkaUnavailable, "The topic kept changing while it was looked at: '" +
                                                   Printable(topic_) + "' at Kafka broker " +
                                                   asked.address.ToString() + ".");
  }

  PartitionOffsets& At(std::int32_t partition) {
    return offsets_.partitions[static_cast<std::size_t>(partition)];
  }

  void Complete() {
    for (std::size_t i = 0; i < offsets_.partitions.size(); ++i) {
      PartitionOffsets& partition = offsets_.partitions[i];
      partition.partition = PartitionId(static_cast<std::int32_t>(i));
      partition.leader = metadata_.partitions[i].leader;
      partition.epoch = metadata_.partitions[i].epoch;
      // Records that were deleted past an open transaction: nothing is left to read.
      partition.end = std::max(partition.end, partition.start);
    }
  }

  struct Asked {
    BrokerAddress address;
    const std::vector<std::int32_t>* partitions;
    ConnectionPool::Lease connection;
  };

  ClusterState& state_;
  const std::string& topic_;
  Deadline deadline_;
  const std::stop_token& stop_;
  TopicMetadata metadata_;
  PartitionsByLeader leaders_;
  std::vector<Asked> asked_;
  TopicOffsets offsets_;
};

}  // namespace

Result<TopicOffsets> DescribeOnce(ClusterState& state, const std::string& topic, Deadline deadline,
                                  const std::stop_token& stop) {
  return Description(state, topic, deadline, stop).Run();
}

}  // namespace frazil::kafka
