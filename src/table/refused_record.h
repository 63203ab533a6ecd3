// SPDX-License-Identifier: Apache-2.0
// Which record a refused load was about, for people: the error itself has it in words only.
#pragma once

#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/result.h"
#include "decode/block_decoder.h"

namespace frazil::table {

// Threads: every member may be called from several threads at once.
class RefusedRecord {
 public:
  void Set(const Error& error, const decode::RecordPlace& place) {
    MutexLock lock(mutex_);
    message_ = error.message();
    place_ = place;
  }

  // The record that this error is about; absent where it is about none, or a later one was set.
  std::optional<decode::RecordPlace> Of(const Error& error) const {
    MutexLock lock(mutex_);
    return error.message() == message_ ? place_ : std::nullopt;
  }

 private:
  mutable Mutex mutex_;
  std::string message_ FRAZIL_GUARDED_BY(mutex_);
  std::optional<decode::RecordPlace> place_ FRAZIL_GUARDED_BY(mutex_);
};

}  // namespace frazil::table
