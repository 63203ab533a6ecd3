// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <utility>

namespace frazil {

ThreadPool::ThreadPool(std::size_t threads, std::size_t longest_queue)
    : longest_queue_(longest_queue) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

ThreadPool::~ThreadPool() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
  }
  wake_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

bool ThreadPool::Submit(std::function<void()> task) {
  {
    MutexLock lock(mutex_);
    if (closing_ || queue_.size() >= longest_queue_) return false;
    queue_.push_back(std::move(task));
  }
  wake_.NotifyOne();
  return true;
}

void ThreadPool::Work() {
  while (true) {
    std::function<void()> task;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !closing_) wake_.Wait(mutex_);
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace frazil
