// SPDX-License-Identifier: Apache-2.0
// From the last cut's vector and the topic's state to the next cut's vector and the ranges of its
// step (R10). No I/O.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "ledger/ledger.h"
#include "table/record_source.h"
#include "table/step_indexer.h"

namespace frazil::table {

// Records that Kafka deleted before any cut held them.
struct LostRange {
  PartitionId partition;
  Offset start;
  Offset end;
};

struct CutStep {
  // The whole vector, ascending by (generation, partition): starts and ends only rise.
  std::vector<ledger::CutPartition> partitions;
  // What the step adds; no empty range.
  std::vector<StepRange> ranges;
  std::vector<LostRange> lost;
};

// log_truncated, naming partition and offsets, when `topic` ends before the last cut somewhere or
// lacks one of its partitions; nothing when it does not.
std::optional<Error> LiesBehind(const std::string& topic_name,
                                const std::vector<ledger::CutPartition>& last,
                                const TopicState& topic);

// Whether a partition has offsets beyond the last cut, or is new.
bool HasNewRecords(const std::vector<ledger::CutPartition>& last, const TopicState& topic);

// Requires: !LiesBehind(...).
CutStep NextCut(Generation generation, const std::vector<ledger::CutPartition>& last,
                const TopicState& topic);

}  // namespace frazil::table
