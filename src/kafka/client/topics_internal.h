// SPDX-License-Identifier: Apache-2.0
// One attempt of Cluster::ListTopics and of Cluster::DescribeTopicConfig: what any broker can tell.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kafka/client/cluster.h"
#include "kafka/client/cluster_state_internal.h"

namespace frazil::kafka {

// Errors of both: those of the calls; kafka_unavailable, network and deadline_exceeded mean that
// another attempt may succeed.
Result<std::vector<TopicListing>> ListTopicsOnce(ClusterState& state, Deadline deadline,
                                                 const std::stop_token& stop);
Result<std::optional<TopicConfig>> DescribeTopicConfigOnce(ClusterState& state,
                                                           const std::string& topic,
                                                           Deadline deadline,
                                                           const std::stop_token& stop);

}  // namespace frazil::kafka
