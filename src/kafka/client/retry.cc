// SPDX-License-Identifier: Apache-2.0
#include "kafka/client/retry.h"

#include <algorithm>

namespace frazil::kafka {
namespace {

bool IsPassing(ErrorCode code) {
  return code == ErrorCode::kNetwork || code == ErrorCode::kDeadlineExceeded ||
         code == ErrorCode::kKafkaUnavailable || code == ErrorCode::kLogTruncated;
}

bool MayBeLag(ErrorCode code) {
  return code == ErrorCode::kTableNotFound || code == ErrorCode::kTopicRecreated;
}

}  // namespace

Status WaitFor(std::chrono::milliseconds wait, Deadline deadline, const std::stop_token& stop) {
  PauseUntil(deadline.Within(wait), stop);
  if (stop.stop_requested()) return Error(ErrorCode::kCancelled, "The read was stopped.");
  if (deadline.Expired()) {
    return Error(ErrorCode::kDeadlineExceeded, "Kafka did not answer in time.");
  }
  return {};
}

RetryLoop::RetryLoop(RetryOptions options, Deadline deadline, const std::stop_token& stop,
                     telemetry::Metrics& metrics)
    : options_(options),
      deadline_(deadline),
      stop_(stop),
      metrics_(metrics),
      backoff_(options.backoff_min) {}

Status RetryLoop::AfterFailure(const Error& error) {
  if (stop_.stop_requested()) return Error(ErrorCode::kCancelled, "The read was stopped.");
  if (MayBeLag(error.code())) {
    if (!grace_.has_value()) grace_ = deadline_.Within(options_.topic_grace);
    if (grace_->Expired()) return error;
  } else if (!IsPassing(error.code())) {
    return error;
  } else {
    grace_.reset();
  }
  if (error.code() != ErrorCode::kDeadlineExceeded || !cause_.has_value()) cause_ = error;
  if (deadline_.Expired()) return Final(*cause_);
  if (failures_++ > 0) {
    const Status waited = WaitFor(backoff_, deadline_, stop_);
    if (!waited.ok()) {
      return waited.error().code() == ErrorCode::kCancelled ? waited.error() : Final(*cause_);
    }
    backoff_ = std::min(backoff_ * 2, options_.backoff_max);
  }
  metrics_.Increment(telemetry::Metric::kKafkaRetriesTotal);
  return {};
}

void RetryLoop::Progress() {
  failures_ = 0;
  backoff_ = options_.backoff_min;
  grace_.reset();
  cause_.reset();
}

Error RetryLoop::GiveUp(const std::string& why) const {
  return Error(ErrorCode::kKafkaUnavailable, why + cause_.value().message());
}

Error RetryLoop::Final(const Error& error) const {
  if (error.code() == ErrorCode::kLogTruncated || MayBeLag(error.code())) return error;
  return Error(ErrorCode::kKafkaUnavailable, error.message());
}

}  // namespace frazil::kafka
