// SPDX-License-Identifier: Apache-2.0
// A fixed number of threads that work off a bounded queue.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace frazil {

// Threads: Submit may be called from any thread, also from a task; the pool is not destroyed by one
// of its own threads.
class ThreadPool {
 public:
  ThreadPool(std::size_t threads, std::size_t longest_queue);
  // Finishes what is queued, then joins.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // false when the queue is full or the pool is being destroyed; the task is then not run.
  bool Submit(std::function<void()> task);

 private:
  void Work();

  const std::size_t longest_queue_;
  Mutex mutex_;
  ConditionVariable wake_;
  std::deque<std::function<void()>> queue_ FRAZIL_GUARDED_BY(mutex_);
  bool closing_ FRAZIL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace frazil
