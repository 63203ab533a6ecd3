// SPDX-License-Identifier: Apache-2.0
#include "base/memory_budget.h"

#include <algorithm>
#include <string>
#include <utility>

namespace frazil {
namespace {

// How often the one whose turn it is asks the reclaimer again, and the others look.
constexpr std::chrono::milliseconds kAskAgain{20};
constexpr std::chrono::milliseconds kLookAgain{1000};

}  // namespace

MemoryLease::MemoryLease(MemoryLease&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MemoryLease& MemoryLease::operator=(MemoryLease&& other) noexcept {
  if (this != &other) {
    Resize(0);
    budget_ = std::exchange(other.budget_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

MemoryLease::~MemoryLease() { Resize(0); }

void MemoryLease::Shrink(std::size_t bytes) { Resize(std::min(bytes, bytes_)); }

void MemoryLease::Resize(std::size_t bytes) {
  if (budget_ == nullptr || bytes == bytes_) return;
  budget_->Change(std::exchange(bytes_, bytes), bytes);
}

bool MemoryLease::TryResize(std::size_t bytes) {
  if (budget_ == nullptr || bytes == bytes_) return true;
  if (!budget_->TryChange(bytes_, bytes)) return false;
  bytes_ = bytes;
  return true;
}

bool MemoryBudget::Fits(std::size_t bytes) const {
  return held_ == 0 || (held_ <= limit_ && bytes <= limit_ - held_);
}

void MemoryBudget::Observe() {
  if (observer_) observer_(held_, queue_.size());
}

void MemoryBudget::Change(std::size_t from, std::size_t to) {
  MutexLock lock(mutex_);
  held_ += to - from;
  Observe();
  if (to < from) changed_.NotifyAll();
}

bool MemoryBudget::TryChange(std::size_t from, std::size_t to) {
  MutexLock lock(mutex_);
  const std::size_t others = held_ - from;
  if (to > from && others > 0 && (others > limit_ || to > limit_ - others)) return false;
  held_ = others + to;
  Observe();
  if (to < from) changed_.NotifyAll();
  return true;
}

void MemoryBudget::Reclaim(std::size_t wanted) {
  MutexLock lock(reclaimer_mutex_);
  if (reclaimer_) reclaimer_(wanted);
}

Result<MemoryLease> MemoryBudget::Acquire(std::size_t bytes, Deadline deadline,
                                          const std::stop_token& stop) {
  std::list<std::size_t> place{bytes};
  const auto ticket = place.begin();
  mutex_.lock();
  if (queue_.empty() && Fits(bytes)) {
    held_ += bytes;
    Observe();
    mutex_.unlock();
    return MemoryLease(this, bytes);
  }
  queue_.splice(queue_.end(), place);
  Observe();
  bool granted = false;
  bool in_time = true;
  while (true) {
    const bool is_first = queue_.begin() == ticket;
    if (is_first && !Fits(bytes)) {
      const std::size_t room = limit_ - std::min(bytes, limit_);
      const std::size_t wanted = held_ - std::min(held_, room);
      mutex_.unlock();
      Reclaim(wanted);
      mutex_.lock();
    }
    granted = is_first && Fits(bytes);
    if (granted || !in_time) break;
    // What has become droppable since the reclaimer was asked notifies nobody.
    changed_.WaitUntil(mutex_, deadline.Within(is_first ? kAskAgain : kLookAgain), stop);
    in_time = !deadline.Expired() && !stop.stop_requested();
  }
  queue_.erase(ticket);
  if (granted) held_ += bytes;
  const std::size_t held = held_;
  Observe();
  // The next one is first now.
  changed_.NotifyAll();
  mutex_.unlock();
  if (granted) return MemoryLease(this, bytes);
  if (stop.stop_requested()) {
    return Error(ErrorCode::kCancelled, "the client left before there was memory for its work");
  }
  return Error(ErrorCode::kResourceExhausted,
               "other work holds the memory that this needs; send it again later, or raise "
               "memory-limit: bytes needed " +
                   std::to_string(bytes) + ", held " + std::to_string(held) + ", limit " +
                   std::to_string(limit_));
}

MemoryLease MemoryBudget::Charge(std::size_t bytes) {
  Change(0, bytes);
  return {this, bytes};
}

void MemoryBudget::SetReclaimer(Reclaimer reclaimer) {
  MutexLock lock(reclaimer_mutex_);
  reclaimer_ = std::move(reclaimer);
}

void MemoryBudget::SetObserver(Observer observer) {
  MutexLock lock(mutex_);
  observer_ = std::move(observer);
  Observe();
}

std::size_t MemoryBudget::held() const {
  MutexLock lock(mutex_);
  return held_;
}

std::size_t MemoryBudget::waiting() const {
  MutexLock lock(mutex_);
  return queue_.size();
}

}  // namespace frazil
