// SPDX-License-Identifier: Apache-2.0
// What became of a topic since the last cut: followed, deleted and created again, or diverged (R1).
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/uuid.h"
#include "ledger/ledger.h"
#include "table/cut_vector.h"
#include "table/record_source.h"

namespace frazil::table {

struct ObservedTopic {
  TopicState state;
  TopicChange change;
};

// Threads: one call at a time.
class TopicObserver {
 public:
  struct Options {
    // How long a log that ends too early may take to come back.
    std::chrono::milliseconds timeout{10000};
    // Between the two looks that stand for a proof where brokers cannot give one.
    std::chrono::milliseconds second_look{5000};
  };

  TopicObserver(std::string topic, RecordSource& source, const Options& options)
      : topic_(std::move(topic)), source_(source), options_(options) {}

  // The topic's state, which may follow `last` with the change that is told with it. `generations`:
  // all that the topic had; ascending.
  // Errors: log_truncated when a log stays behind the last cut without a proof that it diverged;
  // those of RecordSource::Describe.
  Result<ObservedTopic> Observe(const std::vector<ledger::GenerationRow>& generations,
                                const std::vector<ledger::CutPartition>& last, Deadline deadline,
                                const std::stop_token& stop);

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Where the partition's log is another one; nullopt where that is not shown.
  Result<std::optional<Divergence>> FindDivergence(const PartitionState& state,
                                                   const ledger::CutPartition& entry,
                                                   const Uuid& topic_id, Deadline deadline,
                                                   const std::stop_token& stop);
  // For brokers that cannot tell where an epoch ends.
  std::optional<Divergence> LookTwice(const PartitionState& state,
                                      const ledger::CutPartition& entry);

  const std::string topic_;
  RecordSource& source_;
  const Options options_;
  // The leader's epoch under which a partition's log was found to hold the last cut.
  std::map<PartitionId, LeaderEpoch> proven_;
  std::map<PartitionId, TimePoint> first_look_;
};

}  // namespace frazil::table
