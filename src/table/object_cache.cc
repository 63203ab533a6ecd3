// SPDX-License-Identifier: Apache-2.0
#include "table/object_cache.h"

#include "table/guarded_call.h"

namespace frazil::table {

using telemetry::Metric;

ObjectCache::ObjectCache(std::size_t capacity_bytes, std::size_t most_makers,
                         telemetry::Metrics& metrics)
    : capacity_(capacity_bytes), most_makers_(most_makers), metrics_(metrics) {}

SharedBytes ObjectCache::Find(const std::string& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->second;
}

void ObjectCache::Insert(const std::string& key, SharedBytes bytes) {
  if (bytes->size() > capacity_ || index_.contains(key)) return;
  size_ += bytes->size();
  entries_.emplace_front(key, std::move(bytes));
  index_[key] = entries_.begin();
  while (size_ > capacity_) {
    size_ -= entries_.back().second->size();
    index_.erase(entries_.back().first);
    entries_.pop_back();
  }
  metrics_.Set(Metric::kObjectCacheBytes, static_cast<double>(size_));
}

void ObjectCache::Put(const std::string& key, SharedBytes bytes) {
  MutexLock lock(mutex_);
  Insert(key, std::move(bytes));
}

Result<SharedBytes> ObjectCache::GetOrMake(const std::string& key, Cost cost, const Maker& make,
                                           Deadline deadline, const std::stop_token& stop) {
  {
    MutexLock lock(mutex_);
    while (true) {
      if (SharedBytes bytes = Find(key)) {
        metrics_.Increment(Metric::kObjectCacheRequestsTotal, {"hit"});
        return bytes;
      }
      const bool has_turn = cost == Cost::kCheap || costly_makers_ < most_makers_;
      if (has_turn && !being_made_.contains(key)) break;
      if (!changed_.WaitUntil(mutex_, deadline, stop)) {
        if (stop.stop_requested()) {
          return Error(ErrorCode::kCancelled, "the client left before the file was ready: " + key);
        }
        return Error(
            ErrorCode::kDeadlineExceeded,
            "too many files are being made at once; this one did not get its turn: " + key);
      }
    }
    being_made_.insert(key);
    if (cost == Cost::kHigh) ++costly_makers_;
  }
  metrics_.Increment(Metric::kObjectCacheRequestsTotal, {"miss"});
  Result<SharedBytes> made = GuardedCall(make);
  MutexLock lock(mutex_);
  being_made_.erase(key);
  if (cost == Cost::kHigh) --costly_makers_;
  if (made.ok()) Insert(key, *made);
  changed_.NotifyAll();
  return made;
}

}  // namespace frazil::table
