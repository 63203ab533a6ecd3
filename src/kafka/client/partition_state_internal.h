// SPDX-License-Identifier: Apache-2.0
// One attempt of Cluster::EndOfEpoch and of Cluster::OldestOpenTransaction: what only a partition's
// leader can tell.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "kafka/client/cluster.h"
#include "kafka/client/cluster_state_internal.h"

namespace frazil::kafka {

struct PartitionName {
  const std::string& topic;
  // Zero: not checked.
  Uuid topic_id;
  PartitionId partition;
};

// Errors of both: those of the calls; kafka_unavailable, network and deadline_exceeded mean that
// another attempt may succeed.
//
// The question and a Metadata request go out on one connection; the answer counts only when the
// topic still is what the question was built on.
Result<std::optional<EpochEnd>> EndOfEpochOnce(ClusterState& state, const PartitionName& partition,
                                               LeaderEpoch wanted, Deadline deadline,
                                               const std::stop_token& stop);
Result<std::optional<OpenTransaction>> OldestOpenTransactionOnce(ClusterState& state,
                                                                 const PartitionName& partition,
                                                                 Deadline deadline,
                                                                 const std::stop_token& stop);

}  // namespace frazil::kafka
