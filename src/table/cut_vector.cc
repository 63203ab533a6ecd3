// SPDX-License-Identifier: Apache-2.0
#include "table/cut_vector.h"

#include <algorithm>

#include <fmt/format.h>

namespace frazil::table {
namespace {

const PartitionState* Find(const TopicState& topic, PartitionId partition) {
  const auto found = std::find_if(
      topic.partitions.begin(), topic.partitions.end(),
      [partition](const PartitionState& state) { return state.partition == partition; });
  return found == topic.partitions.end() ? nullptr : &*found;
}

const ledger::CutPartition* Find(const std::vector<ledger::CutPartition>& cut,
                                 PartitionId partition) {
  const auto found = std::find_if(
      cut.begin(), cut.end(),
      [partition](const ledger::CutPartition& entry) { return entry.partition == partition; });
  return found == cut.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Error> LiesBehind(const std::string& topic_name,
                                const std::vector<ledger::CutPartition>& last,
                                const TopicState& topic) {
  for (const ledger::CutPartition& entry : last) {
    const PartitionState* state = Find(topic, entry.partition);
    if (state == nullptr) {
      return Error(
          ErrorCode::kLogTruncated,
          fmt::format("a partition that was shown before is no longer told by the brokers; "
                      "if it is gone for good, start with another --data-dir: "
                      "topic {}, partition {}",
                      topic_name, entry.partition.value()));
    }
    if (state->end < entry.end) {
      return Error(
          ErrorCode::kLogTruncated,
          fmt::format("Kafka lost records that were shown before (an unclean leader "
                      "election?); to show the topic as it is now, start with another "
                      "--data-dir: topic {}, partition {} ends at {} and was shown up to "
                      "{}",
                      topic_name, entry.partition.value(), state->end.value(), entry.end.value()));
    }
  }
  return std::nullopt;
}

bool HasNewRecords(const std::vector<ledger::CutPartition>& last, const TopicState& topic) {
  return std::any_of(topic.partitions.begin(), topic.partitions.end(),
                     [&last](const PartitionState& state) {
                       const ledger::CutPartition* entry = Find(last, state.partition);
                       return entry == nullptr || state.end > entry->end;
                     });
}

CutStep NextCut(Generation generation, const std::vector<ledger::CutPartition>& last,
                const TopicState& topic) {
  CutStep step;
  for (const PartitionState& state : topic.partitions) {
    const ledger::CutPartition* before = Find(last, state.partition);
    ledger::CutPartition entry{.generation = generation,
                               .partition = state.partition,
                               .epoch = state.epoch,
                               .start = state.start,
                               .end = std::max(state.start, state.end)};
    Offset from = state.start;
    if (before != nullptr) {
      entry.start = std::max(before->start, state.start);
      entry.end = std::max(before->end, entry.end);
      entry.epoch = std::max(before->epoch, state.epoch);
      from = std::max(before->end, state.start);
      if (state.start > before->end) {
        step.lost.push_back(
            {.partition = state.partition, .start = before->end, .end = state.start});
      }
    }
    if (from < entry.end) {
      step.ranges.push_back({.range = {.generation = generation,
                                       .partition = state.partition,
                                       .start = from,
                                       .end = entry.end},
                             .epoch = state.epoch});
    }
    step.partitions.push_back(entry);
  }
  return step;
}

}  // namespace frazil::table
