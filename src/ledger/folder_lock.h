// SPDX-License-Identifier: Apache-2.0
// One process at a time in the ledger's folder. Internal to this module.
#pragma once

#include <string>

#include "base/result.h"

namespace frazil::ledger {

// Holds an exclusive lock on `folder`/ledger.lock, in which its process id stands. The system
// gives the lock up when the process ends, however it ends.
class FolderLock {
 public:
  // Makes the folder (mode 0700) where it is missing.
  // Errors: ledger: it cannot be made or written, or another process holds the lock.
  static Result<FolderLock> Acquire(const std::string& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

// Makes the file with mode 0600 where it is missing, and takes the others' rights from one that
// has them (where the file system lets us).
// Errors: ledger.
Status MakePrivateFile(const std::string& path);

// Brings the names of files that were made or renamed to the disk.
// Errors: ledger.
Status SyncFolder(const std::string& folder);

}  // namespace frazil::ledger
