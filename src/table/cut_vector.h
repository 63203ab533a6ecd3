// SPDX-License-Identifier: Apache-2.0
// From the last cut's vector and the topic's state to the next cut's vector, the ranges of its step
// and what leaves (R1, R9, R10). No I/O.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "ledger/ledger.h"
#include "table/object_names.h"
#include "table/record_source.h"

namespace frazil::table {

// A range of records that a cut adds.
struct StepRange {
  ChunkRange range;
  LeaderEpoch epoch{-1};
};

// A partition whose log is another one from this offset on (R1).
struct Divergence {
  PartitionId partition;
  Offset at;
};

// What became of the topic since the last cut.
struct TopicChange {
  // The current generation, or the one that opens now.
  Generation generation;
  // The topic was deleted and created again: all earlier generations are over.
  bool recreated = false;
  std::vector<Divergence> divergences{};

  bool opens_generation() const { return recreated || !divergences.empty(); }
};

struct CutStep {
  // The vector after what is gone has left: starts have risen, generations are closed, new ones
  // are open and empty. Ascending by (generation, partition).
  std::vector<ledger::CutPartition> retired;
  // The whole vector after the step.
  std::vector<ledger::CutPartition> partitions;
  // What the step adds; no empty range.
  std::vector<StepRange> ranges;
  // Records that are gone before they were moved: shown ones, and ones that no cut held.
  std::vector<ledger::LostRange> lost;
  // Whether `retired` shows less than the last cut did.
  bool retires = false;

  // Whether there is anything to record. A partition that joins without records can wait.
  bool changes() const { return retires || !lost.empty() || !ranges.empty(); }
};

// The open entry of the partition: the one that further records join; null when there is none.
const ledger::CutPartition* OpenEntry(const std::vector<ledger::CutPartition>& vector,
                                      PartitionId partition);

// The partitions whose log ends below the last cut. Empty: `topic` may follow it.
std::vector<PartitionId> PartitionsBehind(const std::vector<ledger::CutPartition>& last,
                                          const TopicState& topic);

// log_truncated, naming partition and offsets: what to say when a partition stays behind, or is
// missing; nothing when none is.
std::optional<Error> LiesBehind(const std::string& topic_name,
                                const std::vector<ledger::CutPartition>& last,
                                const TopicState& topic);

// Requires: !LiesBehind(...), beside the partitions of `change.divergences`.
CutStep NextCut(const TopicChange& change, const std::vector<ledger::CutPartition>& last,
                const TopicState& topic);

}  // namespace frazil::table
