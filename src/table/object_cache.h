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

#include "base/bytes.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "telemetry/metrics.h"

namespace frazil::table {

using SharedBytes = std::shared_ptr<const Bytes>;

// Threads: every member may be called from several threads at once.
class ObjectCache {
 public:
  // `most_makers`: costly files being made at once; further ones wait. `metrics` must outlive the
  // cache.
  ObjectCache(std::size_t capacity_bytes, std::size_t most_makers, telemetry::Metrics& metrics);

  using Maker = std::function<Result<SharedBytes>()>;
  // Files that are cheap to make (manifests) do not wait for those that are not (data).
  enum class Cost { kCheap, kHigh };

  // The bytes of `key`: from memory, or from `make`, which runs at most once at a time for a key
  // while others that ask for it wait. When it fails because its own caller left, the next one that
  // waits tries again.
  Result<SharedBytes> GetOrMake(const std::string& key, Cost cost, const Maker& make,
                                Deadline deadline, const std::stop_token& stop);

  // Bytes larger than the whole capacity are not kept.
  void Put(const std::string& key, SharedBytes bytes);

 private:
  using Entry = std::pair<std::string, SharedBytes>;

  SharedBytes Find(const std::string& key) FRAZIL_REQUIRES(mutex_);
  void Insert(const std::string& key, SharedBytes bytes) FRAZIL_REQUIRES(mutex_);

  const std::size_t capacity_;
  const std::size_t most_makers_;
  telemetry::Metrics& metrics_;
  Mutex mutex_;
  ConditionVariable changed_;
  // Most recently used first.
  std::list<Entry> entries_ FRAZIL_GUARDED_BY(mutex_);
  std::map<std::string, std::list<Entry>::iterator, std::less<>> index_ FRAZIL_GUARDED_BY(mutex_);
  std::size_t size_ FRAZIL_GUARDED_BY(mutex_) = 0;
  std::set<std::string> being_made_ FRAZIL_GUARDED_BY(mutex_);
  std::size_t costly_makers_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

}  // namespace frazil::table
