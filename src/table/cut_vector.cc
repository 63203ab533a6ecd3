// SPDX-License-Identifier: Apache-2.0
#include "table/cut_vector.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace frazil::table {
namespace {

using Key = std::pair<Generation, PartitionId>;
using Entries = std::map<Key, ledger::CutPartition>;

Key KeyOf(const ledger::CutPartition& entry) { return {entry.generation, entry.partition}; }

const PartitionState* FindState(const TopicState& topic, PartitionId partition) {
  const auto found = std::lower_bound(
      topic.partitions.begin(), topic.partitions.end(), partition,
      [](const PartitionState& state, PartitionId wanted) { return state.partition < wanted; });
  return found != topic.partitions.end() && found->partition == partition ? &*found : nullptr;
}

std::vector<ledger::CutPartition> Vector(const Entries& entries) {
  std::vector<ledger::CutPartition> vector;
  vector.reserve(entries.size());
  for (const auto& [key, entry] : entries) vector.push_back(entry);
  return vector;
}

// One cut's making.
class Step {
 public:
  Step(const TopicChange& change, const std::vector<ledger::CutPartition>& last) : change_(change) {
    for (const ledger::CutPartition& entry : last) entries_[KeyOf(entry)] = entry;
  }

  CutStep Take(const TopicState& topic) {
    if (change_.recreated) CloseAll();
    for (const Divergence& divergence : change_.divergences) CloseAt(divergence);
    for (const PartitionState& state : topic.partitions) RaiseStarts(state);
    // Where nothing was shown before, what is older than the log is nothing that was lost.
    for (const PartitionState& state : topic.partitions) Join(state);
    step_.retired = Vector(entries_);
    for (const PartitionState& state : topic.partitions) Extend(state);
    step_.partitions = Vector(entries_);
    return std::move(step_);
  }

 private:
  void Lose(const ledger::CutPartition& entry, Offset start, Offset end, const char* reason) {
    if (start >= end) return;
    step_.lost.push_back({.generation = entry.generation,
                          .partition = entry.partition,
                          .start = start,
                          .end = end,
                          .reason = reason,
                          .stamp = UnixMillis(0)});
  }

  void CloseAll() {
    for (auto& [key, entry] : entries_) {
      if (entry.start < entry.end) step_.retires = true;
      Lose(entry, entry.start, entry.end, "recreated");
      entry.start = entry.end;
      entry.closed = true;
    }
  }

  // The log differs from `at` on, for every generation of the partition.
  void CloseAt(const Divergence& divergence) {
    for (auto& [key, entry] : entries_) {
      if (entry.partition != divergence.partition) continue;
      const Offset end = std::max(entry.start, std::min(entry.end, divergence.at));
      if (end < entry.end) {
        Lose(entry, end, entry.end, "diverged");
        step_.retires = true;
        entry.end = end;
      }
      entry.closed = true;
    }
  }

  void RaiseStarts(const PartitionState& state) {
    for (auto& [key, entry] : entries_) {
      if (entry.partition != state.partition || state.start <= entry.start) continue;
      const Offset start = std::min(state.start, entry.end);
      if (start > entry.start) step_.retires = true;
      Lose(entry, entry.start, start, "expired");
      // What expired before any cut held it is lost as well.
      if (!entry.closed) Lose(entry, entry.end, state.start, "expired");
      entry.start = start;
      if (!entry.closed && state.start > entry.end) entry.start = entry.end = state.start;
    }
  }

  ledger::CutPartition* Open(PartitionId partition) {
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
      if (entry->second.partition == partition && !entry->second.closed) return &entry->second;
    }
    return nullptr;
  }

  void Join(const PartitionState& state) {
    if (Open(state.partition) != nullptr) return;
    Offset from = state.start;
    for (const Divergence& divergence : change_.divergences) {
      if (divergence.partition == state.partition) from = std::max(from, divergence.at);
    }
    const ledger::CutPartition entry{.generation = change_.generation,
                                     .partition = state.partition,
                                     .epoch = state.epoch,
                                     .start = from,
                                     .end = from};
    entries_[KeyOf(entry)] = entry;
  }

  void Extend(const PartitionState& state) {
    ledger::CutPartition* entry = Open(state.partition);
    if (entry == nullptr) return;
    entry->epoch = std::max(entry->epoch, state.epoch);
    if (state.end <= entry->end) return;
    step_.ranges.push_back({.range = {.generation = entry->generation,
                                      .partition = state.partition,
                                      .start = entry->end,
                                      .end = state.end},
                            .epoch = state.epoch});
    entry->end = state.end;
  }

  const TopicChange& change_;
  Entries entries_;
  CutStep step_;
};

}  // namespace

const ledger::CutPartition* OpenEntry(const std::vector<ledger::CutPartition>& vector,
                                      PartitionId partition) {
  for (auto entry = vector.rbegin(); entry != vector.rend(); ++entry) {
    if (entry->partition == partition && !entry->closed) return &*entry;
  }
  return nullptr;
}

std::vector<PartitionId> PartitionsBehind(const std::vector<ledger::CutPartition>& last,
                                          const TopicState& topic) {
  std::vector<PartitionId> behind;
  for (const PartitionState& state : topic.partitions) {
    const ledger::CutPartition* entry = OpenEntry(last, state.partition);
    if (entry != nullptr && state.end < entry->end) behind.push_back(state.partition);
  }
  return behind;
}

std::optional<Error> LiesBehind(const std::string& topic_name,
                                const std::vector<ledger::CutPartition>& last,
                                const TopicState& topic) {
  for (const ledger::CutPartition& entry : last) {
    if (entry.closed) continue;
    const PartitionState* state = FindState(topic, entry.partition);
    if (state != nullptr && state->end >= entry.end) continue;
    const std::string now = state == nullptr
                                ? "is missing"
                                : fmt::format("ends at offset {} (high watermark {})",
                                              state->end.value(), state->high_watermark.value());
    return Error(ErrorCode::kLogTruncated,
                 fmt::format("a partition's log {} although records up to offset {} were shown; "
                             "brokers may be recovering, or a replica that lagged became leader: "
                             "topic {}, partition {}",
                             now, entry.end.value(), topic_name, entry.partition.value()));
  }
  return std::nullopt;
}

CutStep NextCut(const TopicChange& change, const std::vector<ledger::CutPartition>& last,
                const TopicState& topic) {
  return Step(change, last).Take(topic);
}

}  // namespace frazil::table
