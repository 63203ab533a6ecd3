// SPDX-License-Identifier: Apache-2.0
#include "kafka/client/cluster.h"

#include <utility>

#include "kafka/client/cluster_state_internal.h"
#include "kafka/client/describe_internal.h"
#include "kafka/client/partition_state_internal.h"
#include "kafka/client/range_reader_internal.h"
#include "kafka/client/topics_internal.h"

namespace frazil::kafka {
namespace {

// Repeats `attempt` until it succeeds or its failure is final.
template <typename Attempt>
auto Repeat(ClusterState& state, const std::string& topic, Deadline deadline,
            const std::stop_token& stop, Attempt attempt) -> decltype(attempt()) {
  FRAZIL_RETURN_IF_ERROR(CheckTopicName(topic));
  RetryLoop retries = state.StartRetries(deadline, stop);
  for (;;) {
    auto outcome = attempt();
    if (outcome.ok()) return outcome;
    state.metadata().MarkStale(topic);
    FRAZIL_RETURN_IF_ERROR(retries.AfterFailure(outcome.error()));
  }
}

}  // namespace

Cluster::Cluster(ClusterOptions options, telemetry::Metrics& metrics)
    : Cluster(std::move(options), metrics,
              [](const BrokerAddress& address, Deadline deadline, const std::stop_token& stop) {
                return net::ConnectTcp(address.host, address.port, deadline, stop);
              }) {}

Cluster::Cluster(ClusterOptions options, telemetry::Metrics& metrics, ConnectFunction connect)
    : state_(std::make_unique<ClusterState>(std::move(options), metrics, std::move(connect))) {}

Cluster::~Cluster() = default;

Result<TopicOffsets> Cluster::Describe(const std::string& topic, Deadline deadline,
                                       const std::stop_token& stop) {
  return Repeat(*state_, topic, deadline, stop,
                [&] { return DescribeOnce(*state_, topic, deadline, stop); });
}

Result<std::vector<TopicListing>> Cluster::ListTopics(Deadline deadline,
                                                      const std::stop_token& stop) {
  RetryLoop retries = state_->StartRetries(deadline, stop);
  for (;;) {
    auto topics = ListTopicsOnce(*state_, deadline, stop);
    if (topics.ok()) return topics;
    FRAZIL_RETURN_IF_ERROR(retries.AfterFailure(topics.error()));
  }
}

Result<std::optional<TopicConfig>> Cluster::DescribeTopicConfig(const std::string& topic,
                                                                Deadline deadline,
                                                                const std::stop_token& stop) {
  return Repeat(*state_, topic, deadline, stop,
                [&] { return DescribeTopicConfigOnce(*state_, topic, deadline, stop); });
}

Result<std::optional<EpochEnd>> Cluster::EndOfEpoch(const std::string& topic, const Uuid& topic_id,
                                                    PartitionId partition, LeaderEpoch wanted,
                                                    Deadline deadline,
                                                    const std::stop_token& stop) {
  if (wanted.value() < 0) return std::optional<EpochEnd>();
  return Repeat(*state_, topic, deadline, stop, [&] {
    return EndOfEpochOnce(*state_, {topic, topic_id, partition}, wanted, deadline, stop);
  });
}

Result<std::vector<std::pair<PartitionId, std::optional<Offset>>>> Cluster::OffsetsForTime(
    const std::string& topic, UnixMillis time, Deadline deadline, const std::stop_token& stop) {
  return Repeat(*state_, topic, deadline, stop,
                [&] { return OffsetsForTimeOnce(*state_, topic, time, deadline, stop); });
}

Result<std::optional<OpenTransaction>> Cluster::OldestOpenTransaction(const std::string& topic,
                                                                      PartitionId partition,
                                                                      Deadline deadline,
                                                                      const std::stop_token& stop) {
  return Repeat(*state_, topic, deadline, stop, [&] {
    return OldestOpenTransactionOnce(*state_, {topic, Uuid(), partition}, deadline, stop);
  });
}

Status Cluster::ReadRange(const ReadRequest& request, const RecordSink& sink, Deadline deadline,
                          const std::stop_token& stop) {
  FRAZIL_RETURN_IF_ERROR(CheckTopicName(request.topic));
  return RangeReader(*state_, request, sink, deadline, stop).Run();
}

}  // namespace frazil::kafka
