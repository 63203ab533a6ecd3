// SPDX-License-Identifier: Apache-2.0
// Joins loads of one table that come close together: a load is answered by a cut that began after
// it arrived, and cuts that make a new state keep a distance (design: 25 ms) because the later load
// waits, never because it is shown the older cut.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"

namespace frazil::table {

struct LoadOutcome {
  std::int64_t state = 0;
  // Whether this cut made a new state.
  bool changed = false;
};

// Threads: Run may be called from several threads at once.
class LoadGate {
 public:
  explicit LoadGate(std::chrono::milliseconds interval) : interval_(interval) {}

  using TimePoint = std::chrono::steady_clock::time_point;
  // Takes the moment at which the first of the calls that it will answer came.
  using Load = std::function<Result<LoadOutcome>(TimePoint first_call)>;

  // Runs `load`, or waits for another caller's run that began after this call did. A run that ended
  // because its own caller left or ran out of time answers nobody else.
  Result<LoadOutcome> Run(const Load& load, Deadline deadline, const std::stop_token& stop);

 private:
  Result<LoadOutcome> RunOrWait(const Load& load, Deadline deadline, const std::stop_token& stop);

  const std::chrono::milliseconds interval_;
  Mutex mutex_;
  ConditionVariable changed_;
  bool running_ FRAZIL_GUARDED_BY(mutex_) = false;
  std::uint64_t started_ FRAZIL_GUARDED_BY(mutex_) = 0;
  std::uint64_t finished_ FRAZIL_GUARDED_BY(mutex_) = 0;
  // The last run's result; empty when it answers nobody else.
  std::optional<Result<LoadOutcome>> last_ FRAZIL_GUARDED_BY(mutex_);
  // When the calls that wait, or run, came.
  std::multiset<TimePoint> calls_ FRAZIL_GUARDED_BY(mutex_);
  Deadline next_cut_ FRAZIL_GUARDED_BY(mutex_){Deadline::TimePoint::min()};
};

}  // namespace frazil::table
