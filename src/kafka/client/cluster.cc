// SPDX-License-Identifier: Apache-2.0
#include "kafka/client/cluster.h"

#include <utility>

#include "kafka/client/cluster_state_internal.h"
#include "kafka/client/describe_internal.h"
#include "kafka/client/range_reader_internal.h"

namespace frazil::kafka {

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
  FRAZIL_RETURN_IF_ERROR(CheckTopicName(topic));
  RetryLoop retries = state_->StartRetries(deadline, stop);
  for (;;) {
    auto offsets = DescribeOnce(*state_, topic, deadline, stop);
    if (offsets.ok()) return offsets;
    state_->metadata().MarkStale(topic);
    FRAZIL_RETURN_IF_ERROR(retries.AfterFailure(offsets.error()));
  }
}

Status Cluster::ReadRange(const ReadRequest& request, const RecordSink& sink, Deadline deadline,
                          const std::stop_token& stop) {
  FRAZIL_RETURN_IF_ERROR(CheckTopicName(request.topic));
  return RangeReader(*state_, request, sink, deadline, stop).Run();
}

}  // namespace frazil::kafka
