// SPDX-License-Identifier: Apache-2.0
#include "ledger/log_checkpointer.h"

#include <system_error>
#include <utility>

#include "ledger/ledger_tables.h"

namespace frazil::ledger {

LogCheckpointer::LogCheckpointer(std::unique_ptr<Database> own, Database& watched,
                                 const Limits& limits)
    : own_(std::move(own)), watched_(watched), limits_(limits) {}

Result<std::unique_ptr<LogCheckpointer>> LogCheckpointer::Start(const std::string& path,
                                                                Database& database,
                                                                const Limits& limits) {
  FRAZIL_ASSIGN_OR_RETURN(auto own, Database::Open(path));
  // Before it has read the file, a connection does not know that there is a log.
  FRAZIL_RETURN_IF_ERROR(Configure(*own, path, ConnectionSettings{}));
  std::unique_ptr<LogCheckpointer> checkpointer(
      new LogCheckpointer(std::move(own), database, limits));
  try {
    checkpointer->thread_ = std::thread([self = checkpointer.get()] { self->Run(); });
  } catch (const std::system_error&) {
    return Error(ErrorCode::kLedger, "there is no thread for the ledger: " + path);
  }
  database.OnCommit([self = checkpointer.get()](int pages) { self->OnCommit(pages); });
  return checkpointer;
}

LogCheckpointer::~LogCheckpointer() {
  watched_.OnCommit(nullptr);
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

std::int64_t LogCheckpointer::runs() const {
  MutexLock lock(mutex_);
  return runs_;
}

void LogCheckpointer::OnCommit(int pages) {
  if (pages < limits_.pages) return;
  if (pages >= limits_.pages_for_calls) {
    // What fails here stands in the log still, and is tried again.
    IgnoreError(watched_.CheckpointLog());
    return;
  }
  Want();
}

void LogCheckpointer::Want() {
  {
    MutexLock lock(mutex_);
    wanted_ = true;
  }
  changed_.NotifyAll();
}

void LogCheckpointer::Run() {
  while (true) {
    {
      MutexLock lock(mutex_);
      while (!wanted_ && !stopping_) changed_.Wait(mutex_);
      if (stopping_) return;
      wanted_ = false;
    }
    IgnoreError(own_->CheckpointLog());
    MutexLock lock(mutex_);
    ++runs_;
    changed_.NotifyAll();
  }
}

}  // namespace frazil::ledger
