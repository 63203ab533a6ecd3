// SPDX-License-Identifier: Apache-2.0
#include "table/topic_observer.h"

#include <algorithm>

#include "base/mutex.h"

namespace frazil::table {
namespace {

constexpr std::chrono::milliseconds kPause{100};

bool Knows(const Uuid& id) { return id != Uuid(); }

}  // namespace

std::optional<Divergence> TopicObserver::LookTwice(const PartitionState& state,
                                                   const ledger::CutPartition& entry) {
  if (state.high_watermark >= entry.end || state.epoch < entry.epoch) {
    first_look_.erase(state.partition);
    return std::nullopt;
  }
  const TimePoint now = std::chrono::steady_clock::now();
  const TimePoint first = first_look_.try_emplace(state.partition, now).first->second;
  if (now - first < options_.second_look) return std::nullopt;
  return Divergence{.partition = state.partition, .at = state.high_watermark};
}

Result<std::optional<Divergence>> TopicObserver::FindDivergence(const PartitionState& state,
                                                                const ledger::CutPartition& entry,
                                                                const Uuid& topic_id,
                                                                Deadline deadline,
                                                                const std::stop_token& stop) {
  const bool behind = state.end < entry.end;
  const auto proven = proven_.find(state.partition);
  const bool new_leader =
      state.epoch > entry.epoch && (proven == proven_.end() || proven->second != state.epoch);
  if (!behind && !new_leader) {
    first_look_.erase(state.partition);
    return std::optional<Divergence>();
  }
  // A leader older than the cut's knows less than the cut.
  if (state.epoch < entry.epoch) return std::optional<Divergence>();
  std::optional<EpochEnd> end;
  if (entry.epoch.value() >= 0) {
    FRAZIL_ASSIGN_OR_RETURN(
        end, source_.EndOfEpoch(topic_, topic_id, state.partition, entry.epoch, deadline, stop));
  }
  if (!end) return LookTwice(state, entry);
  if (end->leader_epoch < entry.epoch) return std::optional<Divergence>();
  if (end->end < entry.end) {
    return std::optional<Divergence>({.partition = state.partition, .at = end->end});
  }
  if (!behind) proven_[state.partition] = state.epoch;
  return std::optional<Divergence>();
}

Result<ObservedTopic> TopicObserver::Observe(const std::vector<ledger::GenerationRow>& generations,
                                             const std::vector<ledger::CutPartition>& last,
                                             Deadline deadline, const std::stop_token& stop) {
  const Deadline limit = deadline.Within(options_.timeout);
  const ledger::GenerationRow& current = generations.back();
  while (true) {
    ObservedTopic observed;
    FRAZIL_ASSIGN_OR_RETURN(observed.state, source_.Describe(topic_, limit, stop));
    const Uuid& id = observed.state.topic_id;
    observed.change.generation = current.generation;
    const bool other = Knows(current.topic_id) && Knows(id) && id != current.topic_id;
    // A broker that has not heard of a deletion still tells the id of an earlier life.
    const bool earlier = other && std::any_of(generations.begin(), generations.end(),
                                              [&](const auto& row) { return row.topic_id == id; });
    if (other && !earlier) {
      observed.change.recreated = true;
      observed.change.generation = current.generation + 1;
      proven_.clear();
      first_look_.clear();
      return observed;
    }
    std::optional<Error> behind;
    if (!earlier) {
      TopicState unexplained = observed.state;
      for (PartitionState& state : unexplained.partitions) {
        const ledger::CutPartition* entry = OpenEntry(last, state.partition);
        if (entry == nullptr) continue;
        FRAZIL_ASSIGN_OR_RETURN(const auto divergence,
                                FindDivergence(state, *entry, id, limit, stop));
        if (!divergence) continue;
        observed.change.divergences.push_back(*divergence);
        state.end = std::max(state.end, entry->end);
      }
      behind = LiesBehind(topic_, last, unexplained);
      if (!behind) {
        if (!observed.change.divergences.empty()) {
          observed.change.generation = current.generation + 1;
        }
        return observed;
      }
    } else {
      behind = Error(ErrorCode::kLogTruncated,
                     "the brokers do not agree yet on which life of the topic this is: " + topic_);
    }
    // That alone proves nothing: a leader that is just elected may tell a lower end for a moment.
    if (limit.Remaining() <= kPause) return *behind;
    PauseUntil(Deadline::After(kPause), stop);
    if (stop.stop_requested()) {
      return Error(ErrorCode::kCancelled, "the client left before the table was loaded");
    }
  }
}

}  // namespace frazil::table
