// SPDX-License-Identifier: Apache-2.0
// Virtual files that have been made, by key, within a bound on memory. A key's bytes never change,
// so an entry is never stale.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory_budget.h"
#include "base/mutex.h"
#include "base/result.h"
#include "telemetry/metrics.h"

namespace frazil::table {

using SharedBytes = std::shared_ptr<const Bytes>;

// `bytes` with the lease that they are counted by, resized to what they hold: given back when the
// last owner lets go of them, be it the cache or an answer on its way.
SharedBytes MakeShared(Bytes bytes, MemoryLease lease);

// Gives way when other work needs memory: it is the reclaimer of its budget, and tells the budget's
// state to the metrics.
// Threads: every member may be called from several threads at once.
class ObjectCache {
 public:
  // `most_makers`: costly files being made at once; further ones wait. `budget` and `metrics` must
  // outlive the cache.
  ObjectCache(std::size_t capacity_bytes, std::size_t most_makers, MemoryBudget& budget,
              telemetry::Metrics& metrics);
  ~ObjectCache();
  ObjectCache(const ObjectCache&) = delete;
  ObjectCache& operator=(const ObjectCache&) = delete;

  // Whoever makes a costly file takes its lease first, in one piece, and holds no other.
  using Maker = std::function<Result<SharedBytes>()>;
  // Files that are cheap to make (manifests) do not wait for those that are not (data).
  enum class Cost { kCheap, kHigh };

  // The bytes of `key`: from memory, also when only an answer on its way still holds them, or from
  // `make`, which runs at most once at a time for a key while others that ask for it wait. When it
  // fails because its own caller left, the next one that waits tries again.
  Result<SharedBytes> GetOrMake(const std::string& key, Cost cost, const Maker& make,
                                Deadline deadline, const std::stop_token& stop);

  std::size_t capacity() const { return capacity_; }

  // Bytes larger than the whole capacity are not kept.
  void Put(const std::string& key, SharedBytes bytes);

 private:
  using Entry = std::pair<std::string, SharedBytes>;
  using Entries = std::list<Entry>;
  // Dropped from the cache, but still held by somebody: until then found, and counted.
  struct Leaving {
    std::weak_ptr<const Bytes> bytes;
    std::size_t size;
  };

  SharedBytes Find(const std::string& key) FRAZIL_REQUIRES(mutex_);
  // What leaves goes to `dropped`, which is destroyed without the lock.
  void Insert(const std::string& key, SharedBytes bytes, Entries& dropped) FRAZIL_REQUIRES(mutex_);
  void Drop(Entries::iterator entry, Entries& dropped) FRAZIL_REQUIRES(mutex_);
  // Drops entries, the least recently used first, until the sizes add up to `wanted`.
  void DropOldest(bool in_use, std::size_t wanted, std::size_t& sum, Entries& dropped)
      FRAZIL_REQUIRES(mutex_);
  void ForgetGone() FRAZIL_REQUIRES(mutex_);
  void TellSize() FRAZIL_REQUIRES(mutex_);
  void Reclaim(std::size_t wanted) FRAZIL_EXCLUDES(mutex_);

  const std::size_t capacity_;
  const std::size_t most_makers_;
  MemoryBudget& budget_;
  telemetry::Metrics& metrics_;
  Mutex mutex_;
  ConditionVariable changed_;
  // Most recently used first.
  Entries entries_ FRAZIL_GUARDED_BY(mutex_);
  std::map<std::string, Entries::iterator, std::less<>> index_ FRAZIL_GUARDED_BY(mutex_);
  std::map<std::string, Leaving, std::less<>> leaving_ FRAZIL_GUARDED_BY(mutex_);
  std::size_t size_ FRAZIL_GUARDED_BY(mutex_) = 0;
  std::set<std::string> being_made_ FRAZIL_GUARDED_BY(mutex_);
  std::size_t costly_makers_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

}  // namespace frazil::table
