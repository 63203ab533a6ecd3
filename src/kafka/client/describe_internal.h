// SPDX-License-Identifier: Apache-2.0
// One attempt of Cluster::Describe and of Cluster::OffsetsForTime.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kafka/client/cluster.h"
#include "kafka/client/cluster_state_internal.h"

namespace frazil::kafka {

// Both send each leader, on one connection and without waiting in between, ListOffsets for each
// question, then Metadata. A broker answers in that order and learns of a topic's change before it
// serves the changed log, so offsets belong to the topic id that the last answer tells; the attempt
// counts only when that is what the questions were built on.
// Errors: those of Cluster::Describe; kafka_unavailable, network and deadline_exceeded mean that
// another attempt may succeed.
Result<TopicOffsets> DescribeOnce(ClusterState& state, const std::string& topic, Deadline deadline,
                                  const std::stop_token& stop);
Result<std::vector<std::pair<PartitionId, std::optional<Offset>>>> OffsetsForTimeOnce(
    ClusterState& state, const std::string& topic, UnixMillis time, Deadline deadline,
    const std::stop_token& stop);

}  // namespace frazil::kafka
