// SPDX-License-Identifier: Apache-2.0
// Wall clock as an interface, and deadlines on the steady clock. Not for pure modules.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/ids.h"

namespace frazil {

// Threads: implementations may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual UnixMillis Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  UnixMillis Now() const override {
    return UnixMillis(std::chrono::duration_cast<std::chrono::milliseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count());
  }
};

// A moment on the steady clock by which a call must have come back.
class Deadline {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit Deadline(TimePoint moment) : moment_(moment) {}
  static Deadline After(std::chrono::milliseconds wait) {
    return Deadline(std::chrono::steady_clock::now() + wait);
  }

  TimePoint moment() const { return moment_; }
  bool Expired() const { return std::chrono::steady_clock::now() >= moment_; }
  // Never negative.
  std::chrono::milliseconds Remaining() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        moment_ - std::chrono::steady_clock::now());
    return std::max(left, std::chrono::milliseconds(0));
  }
  // The earlier of this one and `wait` from now.
  Deadline Within(std::chrono::milliseconds wait) const {
    return Deadline(std::min(moment_, std::chrono::steady_clock::now() + wait));
  }

 private:
  TimePoint moment_;
};

}  // namespace frazil
