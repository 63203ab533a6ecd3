// SPDX-License-Identifier: Apache-2.0
// A map of bounded size that forgets what was used least recently.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "base/mutex.h"

namespace frazil::registry {

// Threads: every member may be called from several threads at once.
template <typename Key, typename Value>
class BoundedCache {
 public:
  BoundedCache(std::size_t most_entries, std::size_t most_bytes)
      : most_entries_(most_entries), most_bytes_(most_bytes) {}

  // Null when there is none.
  std::shared_ptr<const Value> Find(const Key& key) {
    MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second.place);
    return found->second.value;
  }

  // `bytes` is what the value counts for. Replaces what was there.
  void Insert(const Key& key, std::shared_ptr<const Value> value, std::size_t bytes) {
    MutexLock lock(mutex_);
    EraseLocked(key);
    order_.push_front(key);
    entries_.emplace(key, Entry{std::move(value), bytes, order_.begin()});
    bytes_ += bytes;
    while (!order_.empty() && (entries_.size() > most_entries_ || bytes_ > most_bytes_)) {
      EraseLocked(Key(order_.back()));
    }
  }

  void EraseIf(const std::function<bool(const Key&)>& matches) {
    MutexLock lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const Key key = (entry++)->first;
      if (matches(key)) EraseLocked(key);
    }
  }

 private:
  struct Entry {
    std::shared_ptr<const Value> value;
    std::size_t bytes;
    typename std::list<Key>::iterator place;
  };

  void EraseLocked(const Key& key) FRAZIL_REQUIRES(mutex_) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    bytes_ -= found->second.bytes;
    order_.erase(found->second.place);
    entries_.erase(found);
  }

  const std::size_t most_entries_;
  const std::size_t most_bytes_;
  Mutex mutex_;
  std::map<Key, Entry> entries_ FRAZIL_GUARDED_BY(mutex_);
  // Most recently used first.
  std::list<Key> order_ FRAZIL_GUARDED_BY(mutex_);
  std::size_t bytes_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

}  // namespace frazil::registry
