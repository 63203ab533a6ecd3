// SPDX-License-Identifier: Apache-2.0
// One bound on the memory that pieces of work take together.
//
// A piece of work takes one lease, whole, before it begins, and gives it back, or shrinks it to
// what it leaves behind, when it is done. Nobody waits for a lease while holding one, or while
// holding a lock that the reclaimer or an owner of leases needs: so whoever holds a lease can
// finish, and whoever waits is served.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <stop_token>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"

namespace frazil {

class MemoryBudget;

// Bytes of a budget, which must outlive it. Given back when destroyed.
// Threads: one at a time; different leases are independent.
class MemoryLease {
 public:
  // Of nothing.
  MemoryLease() = default;
  MemoryLease(MemoryLease&& other) noexcept;
  MemoryLease& operator=(MemoryLease&& other) noexcept;
  ~MemoryLease();

  std::size_t bytes() const { return bytes_; }
  // Keeps at most so many bytes.
  void Shrink(std::size_t bytes);
  // Holds exactly so many, because that is what the memory has become. Does not wait: growing may
  // pass the limit. A lease of no budget stays one of nothing.
  void Resize(std::size_t bytes);
  // The same if that is within the limit, or nobody else holds anything; else false, and nothing
  // changes.
  bool TryResize(std::size_t bytes);

 private:
  friend class MemoryBudget;
  MemoryLease(MemoryBudget* budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {}

  MemoryBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

// Threads: every member may be called from several threads at once.
class MemoryBudget {
 public:
  // Drops what is held only for convenience, until `wanted` bytes are given back or on their way;
  // the leases that go with it tell how much that was. Called by threads that wait, one at a time,
  // without a lock of the budget's.
  using Reclaimer = std::function<void(std::size_t wanted)>;
  // Called with every change, under the budget's lock: quick, and calls nothing of the budget.
  using Observer = std::function<void(std::size_t held, std::size_t waiting)>;

  explicit MemoryBudget(std::size_t limit) : limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Waits until `bytes` fit. First come, first served, so that large ones do not starve. The
  // reclaimer is asked before anybody waits for others. More than the whole limit is granted when
  // nothing else is held: such work waits, it does not fail.
  // Errors: resource_exhausted when the deadline passes first; cancelled when a stop is asked for.
  Result<MemoryLease> Acquire(std::size_t bytes, Deadline deadline, const std::stop_token& stop);
  // Counts bytes that are small or there already, without waiting: may pass the limit.
  MemoryLease Charge(std::size_t bytes);

  // Each replaces the one before; an empty function is none. On return the earlier one is not
  // running and is not called again.
  void SetReclaimer(Reclaimer reclaimer);
  void SetObserver(Observer observer);

  std::size_t limit() const { return limit_; }
  std::size_t held() const;
  // Calls of Acquire that wait.
  std::size_t waiting() const;

 private:
  friend class MemoryLease;

  bool Fits(std::size_t bytes) const FRAZIL_REQUIRES(mutex_);
  void Observe() FRAZIL_REQUIRES(mutex_);
  void Change(std::size_t from, std::size_t to);
  bool TryChange(std::size_t from, std::size_t to);
  void Reclaim(std::size_t wanted) FRAZIL_EXCLUDES(mutex_);

  const std::size_t limit_;
  mutable Mutex mutex_;
  ConditionVariable changed_;
  std::size_t held_ FRAZIL_GUARDED_BY(mutex_) = 0;
  // What those who wait want, in the order in which they came.
  std::list<std::size_t> queue_ FRAZIL_GUARDED_BY(mutex_);
  Observer observer_ FRAZIL_GUARDED_BY(mutex_);
  // Taken before `mutex_`, which is taken inside by the leases that the reclaimer gives back.
  Mutex reclaimer_mutex_;
  Reclaimer reclaimer_ FRAZIL_GUARDED_BY(reclaimer_mutex_);
};

}  // namespace frazil
