// SPDX-License-Identifier: Apache-2.0
// Brings what stands in the write-ahead log into the ledger's file, beside the calls: the copying
// and its syncs would make every hundredth of them slow. Internal to this module.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/result.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

// Has a thread and a connection of its own. A log that grows although it works (a disk that is too
// slow, or fails) is copied by the calls again: memory and disk stay bounded.
class LogCheckpointer {
 public:
  // Pages in the log from which on it is copied, and from which on calls do it themselves.
  struct Limits {
    int pages = 1'000;
    int pages_for_calls = 16'000;
  };

  // Watches the log of `database`, which must outlive the result and is used under the caller's
  // lock as ever. Requires: a connection that was configured. Errors: ledger.
  static Result<std::unique_ptr<LogCheckpointer>> Start(const std::string& path, Database& database,
                                                        const Limits& limits);
  ~LogCheckpointer();
  LogCheckpointer(const LogCheckpointer&) = delete;
  LogCheckpointer& operator=(const LogCheckpointer&) = delete;

  // Has the log copied, however short it is: after a write that failed, since the disk may be full
  // and the log's room is used again once it is copied. Any thread.
  void Want();

  // How often the thread has copied the log, with or without success.
  std::int64_t runs() const;

 private:
  LogCheckpointer(std::unique_ptr<Database> own, Database& watched, const Limits& limits);

  void Run();
  // In the thread of the call that has just written.
  void OnCommit(int pages);

  const std::unique_ptr<Database> own_;
  Database& watched_;
  const Limits limits_;
  mutable Mutex mutex_;
  ConditionVariable changed_;
  bool wanted_ FRAZIL_GUARDED_BY(mutex_) = false;
  bool stopping_ FRAZIL_GUARDED_BY(mutex_) = false;
  std::int64_t runs_ FRAZIL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace frazil::ledger
