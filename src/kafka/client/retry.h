// SPDX-License-Identifier: Apache-2.0
// Repeats of what a broker refused for a passing reason.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "telemetry/metrics.h"

namespace frazil::kafka {

struct RetryOptions {
  std::chrono::milliseconds backoff_min;
  std::chrono::milliseconds backoff_max;
  // How long an absent or re-created topic is looked at again: brokers learn of a change one after
  // the other.
  std::chrono::milliseconds topic_grace;
};

// Sleeps. Errors: deadline_exceeded when the deadline comes first, cancelled.
Status WaitFor(std::chrono::milliseconds wait, Deadline deadline, const std::stop_token& stop);

// Decides for one call what happens after each failed attempt.
// network, deadline_exceeded and kafka_unavailable are passing reasons until the deadline, as is
// log_truncated; table_not_found and topic_recreated for the grace; all else is final.
// Threads: one.
class RetryLoop {
 public:
  RetryLoop(RetryOptions options, Deadline deadline, const std::stop_token& stop,
            telemetry::Metrics& metrics);

  // Waits until the next attempt is due: not at all before the first repeat, since most failures
  // are a stale connection or stale metadata, then ever longer. An error is the call's result.
  Status AfterFailure(const Error& error);
  // An attempt moved the work forward: waits begin anew.
  void Progress();
  // kafka_unavailable with `why` before the last failure's cause.
  // Requires: AfterFailure was called, and no Progress since.
  Error GiveUp(const std::string& why) const;

 private:
  Error Final(const Error& error) const;

  RetryOptions options_;
  Deadline deadline_;
  std::stop_token stop_;
  telemetry::Metrics& metrics_;
  int failures_ = 0;
  std::chrono::milliseconds backoff_;
  std::optional<Deadline> grace_;
  // The last error that was not the deadline's own.
  std::optional<Error> cause_;
};

}  // namespace frazil::kafka
