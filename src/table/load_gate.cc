// SPDX-License-Identifier: Apache-2.0
#include "table/load_gate.h"

#include <algorithm>

#include "table/guarded_call.h"

namespace frazil::table {

Result<LoadOutcome> LoadGate::Run(const Load& load, Deadline deadline,
                                  const std::stop_token& stop) {
  const TimePoint came = std::chrono::steady_clock::now();
  {
    MutexLock lock(mutex_);
    calls_.insert(came);
  }
  const auto outcome = RunOrWait(load, deadline, stop);
  MutexLock lock(mutex_);
  calls_.erase(calls_.find(came));
  return outcome;
}

Result<LoadOutcome> LoadGate::RunOrWait(const Load& load, Deadline deadline,
                                        const std::stop_token& stop) {
  TimePoint first_call;
  {
    MutexLock lock(mutex_);
    std::uint64_t ticket = started_ + 1;
    while (true) {
      if (finished_ >= ticket) {
        if (last_) return *last_;
        ticket = started_ + 1;
      }
      if (!running_ && next_cut_.Expired()) break;
      const Deadline wait(running_ ? deadline.moment()
                                   : std::min(deadline.moment(), next_cut_.moment()));
      changed_.WaitUntil(mutex_, wait, stop);
      if (stop.stop_requested()) {
        return Error(ErrorCode::kCancelled, "the client left before the table was loaded");
      }
      if (deadline.Expired()) {
        return Error(ErrorCode::kDeadlineExceeded,
                     "another load of the same table did not finish in time");
      }
    }
    running_ = true;
    ++started_;
    first_call = *calls_.begin();
  }
  Result<LoadOutcome> outcome = GuardedCall([&] { return load(first_call); });
  MutexLock lock(mutex_);
  running_ = false;
  finished_ = started_;
  const bool own_end = !outcome.ok() && (outcome.error().code() == ErrorCode::kCancelled ||
                                         outcome.error().code() == ErrorCode::kDeadlineExceeded);
  last_.reset();
  if (!own_end) last_.emplace(outcome);
  if (outcome.ok() && outcome->changed) next_cut_ = Deadline::After(interval_);
  changed_.NotifyAll();
  return outcome;
}

}  // namespace frazil::table
