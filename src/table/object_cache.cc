// SPDX-License-Identifier: Apache-2.0
#include "table/object_cache.h"

#include <iterator>
#include <utility>

#include "table/guarded_call.h"

namespace frazil::table {

using telemetry::Metric;

SharedBytes MakeShared(Bytes bytes, MemoryLease lease) {
  struct Counted {
    MemoryLease lease;
    Bytes bytes;  // goes first
  };
  lease.Resize(bytes.capacity());
  const auto counted = std::make_shared<const Counted>(std::move(lease), std::move(bytes));
  return {counted, &counted->bytes};
}

ObjectCache::ObjectCache(std::size_t capacity_bytes, std::size_t most_makers, MemoryBudget& budget,
                         telemetry::Metrics& metrics)
    : capacity_(capacity_bytes), most_makers_(most_makers), budget_(budget), metrics_(metrics) {
  budget_.SetReclaimer([this](std::size_t wanted) { Reclaim(wanted); });
  budget_.SetObserver([&metrics](std::size_t held, std::size_t waiting) {
    metrics.Set(Metric::kMemoryHeldBytes, static_cast<double>(held));
    metrics.Set(Metric::kMemoryWaiters, static_cast<double>(waiting));
  });
}

ObjectCache::~ObjectCache() {
  budget_.SetReclaimer({});
  budget_.SetObserver({});
}

SharedBytes ObjectCache::Find(const std::string& key) {
  if (const auto found = index_.find(key); found != index_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }
  const auto leaving = leaving_.find(key);
  return leaving == leaving_.end() ? nullptr : leaving->second.bytes.lock();
}

void ObjectCache::Insert(const std::string& key, SharedBytes bytes, Entries& dropped) {
  if (index_.contains(key)) return;
  const std::size_t size = bytes->size();
  size_ += size;
  entries_.emplace_front(key, std::move(bytes));
  index_[key] = entries_.begin();
  leaving_.erase(key);
  if (size > capacity_) Drop(entries_.begin(), dropped);
  while (size_ > capacity_) Drop(std::prev(entries_.end()), dropped);
  ForgetGone();
  TellSize();
}

void ObjectCache::Drop(Entries::iterator entry, Entries& dropped) {
  const std::size_t size = entry->second->size();
  leaving_[entry->first] = {.bytes = entry->second, .size = size};
  index_.erase(entry->first);
  dropped.splice(dropped.end(), entries_, entry);
  size_ -= size;
}

void ObjectCache::ForgetGone() {
  std::erase_if(leaving_, [](const auto& entry) { return entry.second.bytes.expired(); });
}

void ObjectCache::TellSize() {
  metrics_.Set(Metric::kObjectCacheBytes, static_cast<double>(size_));
}

void ObjectCache::DropOldest(bool in_use, std::size_t wanted, std::size_t& sum, Entries& dropped) {
  for (auto entry = entries_.end(); entry != entries_.begin() && sum < wanted;) {
    --entry;
    if ((entry->second.use_count() > 1) != in_use) continue;
    sum += entry->second->size();
    const auto next = std::next(entry);
    Drop(entry, dropped);
    entry = next;
  }
}

void ObjectCache::Reclaim(std::size_t wanted) {
  Entries dropped;
  MutexLock lock(mutex_);
  ForgetGone();
  std::size_t on_their_way = 0;
  for (const auto& [key, leaving] : leaving_) on_their_way += leaving.size;
  // First those that nobody else holds: their memory is free at once. New holders come through
  // Find only, so none comes meanwhile.
  std::size_t sum = 0;
  DropOldest(/*in_use=*/false, wanted, sum, dropped);
  // Then those that become free with their answers, like the ones that left before.
  sum += on_their_way;
  DropOldest(/*in_use=*/true, wanted, sum, dropped);
  TellSize();
}

void ObjectCache::Put(const std::string& key, SharedBytes bytes) {
  Entries dropped;
  MutexLock lock(mutex_);
  Insert(key, std::move(bytes), dropped);
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
  Entries dropped;
  MutexLock lock(mutex_);
  being_made_.erase(key);
  if (cost == Cost::kHigh) --costly_makers_;
  if (made.ok()) Insert(key, *made, dropped);
  changed_.NotifyAll();
  return made;
}

}  // namespace frazil::table
