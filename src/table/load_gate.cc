// SPDX-License-Identifier: Apache-2.0
#include "table/load_gate.h"

#include <algorithm>

#include "table/guarded_call.h"

namespace frazil::table {

Result<LoadOutcome> LoadGate::Run(const Load& load, Deadline deadline,
                                  const std::stop_token& stop) {
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
  }
  Result<LoadOutcome> outcome = GuardedCall(load);
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
