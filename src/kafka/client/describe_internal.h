// SPDX-License-Identifier: Apache-2.0
// One attempt of Cluster::Describe.
#pragma once

#include <stop_token>
#include <string>

#include "kafka/client/cluster.h"
#include "kafka/client/cluster_state_internal.h"

namespace frazil::kafka {

// Sends each leader, on one connection and without waiting in between: ListOffsets for the start,
// ListOffsets for the last stable offset, Metadata. A broker answers in that order and learns of a
// topic's change before it serves the changed log, so offsets belong to the topic id that the
// last of the three tells; the attempt counts only when that is what the questions were built on.
// Errors: those of Cluster::Describe; kafka_unavailable, network and deadline_exceeded mean that
// another attempt may succeed.
Result<TopicOffsets> DescribeOnce(ClusterState& state, const std::string& topic, Deadline deadline,
                                  const std::stop_token& stop);

}  // namespace frazil::kafka
