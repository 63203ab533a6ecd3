// SPDX-License-Identifier: Apache-2.0
#include "ledger/folder_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>

namespace frazil::ledger {
namespace {

constexpr mode_t kPrivateFolder = 0700;
constexpr mode_t kPrivateFile = 0600;

std::string Reason(int error) { return std::generic_category().message(error); }

Error CannotWrite(const std::string& path, int error) {
  return Error(ErrorCode::kLedger,
               "the ledger's folder cannot be used; give this user the right to write there, or "
               "choose another --data-dir: " +
                   path + " (" + Reason(error) + ")");
}

Status MakeFolder(const std::string& folder) {
  std::error_code error;
  const std::filesystem::path path(folder);
  if (std::filesystem::is_directory(path, error)) return {};
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) return CannotWrite(folder, error.value());
  }
  if (mkdir(folder.c_str(), kPrivateFolder) != 0 && errno != EEXIST) {
    return CannotWrite(folder, errno);
  }
  return {};
}

int OpenPrivate(const std::string& path) {
  return open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kPrivateFile);
}

// The process that the lock file names; empty when it names none (yet).
std::string Holder(int descriptor) {
  char text[16];
  const ssize_t size = pread(descriptor, text, sizeof(text), 0);
  std::string holder;
  for (ssize_t i = 0; i < size && text[i] >= '0' && text[i] <= '9'; ++i) holder.push_back(text[i]);
  return holder;
}

Error InUse(const std::string& folder, const std::string& holder) {
  std::string message = "the ledger is in use by ";
  message += holder.empty() ? "another process" : "process " + holder;
  message += "; stop it or choose another --data-dir: " + folder;
  return Error(ErrorCode::kLedger, message);
}

}  // namespace

Result<FolderLock> FolderLock::Acquire(const std::string& folder) {
  FRAZIL_RETURN_IF_ERROR(MakeFolder(folder));
  const std::string path = folder + "/ledger.lock";
  const int descriptor = OpenPrivate(path);
  if (descriptor < 0) return CannotWrite(path, errno);
  FolderLock lock(descriptor);
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return CannotWrite(path, errno);
    return InUse(folder, Holder(descriptor));
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(descriptor, 0) != 0 ||
      pwrite(descriptor, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return CannotWrite(path, errno);
  }
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

Status MakePrivateFile(const std::string& path) {
  const int descriptor = OpenPrivate(path);
  if (descriptor < 0) return CannotWrite(path, errno);
  // Some file systems know no modes; then the folder's mount has to keep others out.
  struct stat status{};
  if (fstat(descriptor, &status) == 0 && (status.st_mode & 077) != 0 &&
      fchmod(descriptor, kPrivateFile) != 0) {
    errno = 0;
  }
  close(descriptor);
  return {};
}

Status SyncFolder(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return CannotWrite(folder, errno);
  // Some file systems sync no folders and say so; then there is nothing to do.
  const int error = fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  close(descriptor);
  if (error != 0) return CannotWrite(folder, error);
  return {};
}

}  // namespace frazil::ledger
