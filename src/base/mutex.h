// SPDX-License-Identifier: Apache-2.0
// std::mutex with the annotations that clang's -Wthread-safety checks.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "base/clock.h"

#if defined(__clang__)
#define FRAZIL_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define FRAZIL_THREAD_ANNOTATION(x)
#endif
#define FRAZIL_GUARDED_BY(x) FRAZIL_THREAD_ANNOTATION(guarded_by(x))
#define FRAZIL_REQUIRES(x) FRAZIL_THREAD_ANNOTATION(requires_capability(x))
#define FRAZIL_EXCLUDES(x) FRAZIL_THREAD_ANNOTATION(locks_excluded(x))

namespace frazil {

class FRAZIL_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() FRAZIL_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() FRAZIL_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class FRAZIL_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) FRAZIL_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() FRAZIL_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits happen in a loop around the condition, which is read under the mutex.
class ConditionVariable {
 public:
  void Wait(Mutex& mutex) FRAZIL_REQUIRES(mutex) { condition_.wait(mutex); }
  // false when the deadline passed first, or a stop was asked for.
  bool WaitUntil(Mutex& mutex, Deadline deadline, const std::stop_token& stop)
      FRAZIL_REQUIRES(mutex) {
    condition_.wait_until(mutex, stop, deadline.moment(),
                          [woken = false]() mutable { return std::exchange(woken, true); });
    return !deadline.Expired() && !stop.stop_requested();
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable_any condition_;
};

// Sleeps until the deadline has passed or a stop is asked for.
inline void PauseUntil(Deadline deadline, const std::stop_token& stop) {
  Mutex mutex;
  ConditionVariable never_notified;
  MutexLock lock(mutex);
  while (never_notified.WaitUntil(mutex, deadline, stop)) {
  }
}

}  // namespace frazil
