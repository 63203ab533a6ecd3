// SPDX-License-Identifier: Apache-2.0
#include "ledger/ledger_file.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "ledger/folder_lock.h"

namespace frazil::ledger {
namespace {

namespace fs = std::filesystem;

// https://www.sqlite.org/fileformat.html#the_database_header
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeaderLength = 100;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;

Error Refused(const std::string& what, const std::string& path) {
  return Error(ErrorCode::kLedger, what + ": " + path);
}

constexpr const char* kPutBack = "; put back a copy, or move it away and start with a new history";

// What the file says of itself, read past SQLite: nothing of it is changed.
Status CheckHeader(const std::string& path) {
  std::array<std::uint8_t, kHeaderLength> header{};
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Refused("the ledger cannot be opened; check the permissions of its folder and files",
                   path);
  }
  file.read(reinterpret_cast<char*>(header.data()), kHeaderLength);
  const auto size = static_cast<std::size_t>(file.gcount());
  if (size == 0) return Refused(std::string("the ledger's file is empty") + kPutBack, path);
  if (size < kHeaderLength || AsText(ByteView(header).first(kMagic.size())) != kMagic) {
    return Refused(std::string("the ledger is damaged") + kPutBack, path);
  }
  const auto application = LoadBigEndian<std::int32_t>(header.data() + kApplicationIdAt);
  const auto version = LoadBigEndian<std::int32_t>(header.data() + kUserVersionAt);
  if (application != kApplicationId) {
    return Refused(
        "the file is another program's database, or one without a ledger's tables; move it away "
        "or choose another --data-dir",
        path);
  }
  if (version > kTablesVersion) {
    return Refused("the ledger was written by a newer Frazil; run that version or a later one",
                   path);
  }
  if (version < kTablesVersion) {
    return Refused(
        "the ledger was written by an early Frazil whose files are no longer read; start with a "
        "new --data-dir",
        path);
  }
  return {};
}

// A log without its file belongs to a file that was moved or lost, and would be played into a new
// one.
Status CheckNoLog(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path + "-wal", error);
  if (error || size == 0) return {};
  return Refused(
      "the ledger's file is gone and its log is there; put the file back, or move the log away "
      "and start with a new history",
      path + "-wal");
}

Status MakeFile(const std::string& folder, const std::string& path) {
  FRAZIL_RETURN_IF_ERROR(CheckNoLog(path));
  const std::string unfinished = path + ".new";
  std::error_code error;
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    fs::remove(unfinished + ending, error);
    if (error) return Refused("an unfinished ledger cannot be removed; remove it", unfinished);
  }
  FRAZIL_RETURN_IF_ERROR(MakePrivateFile(unfinished));
  {
    FRAZIL_ASSIGN_OR_RETURN(const auto database, Database::Open(unfinished));
    FRAZIL_RETURN_IF_ERROR(MakeTables(*database, unfinished));
  }
  fs::rename(unfinished, path, error);
  if (error) return Refused("the ledger cannot be given its name; check its folder", path);
  return SyncFolder(folder);
}

// At an opening all that is wrong with the file is the operator's to mend.
Error AsLedgerError(const Error& error) {
  return error.code() == ErrorCode::kCorruptData ? Error(ErrorCode::kLedger, error.message())
                                                 : error;
}

Result<OpenedFile> Open(const std::string& path, const ConnectionSettings& settings) {
  OpenedFile opened;
  FRAZIL_ASSIGN_OR_RETURN(opened.database, Database::Open(path));
  FRAZIL_RETURN_IF_ERROR(Configure(*opened.database, path, settings));
  FRAZIL_ASSIGN_OR_RETURN(opened.secret, ReadSecret(*opened.database, path));
  return opened;
}

}  // namespace

std::string LedgerPath(const std::string& folder) { return folder + "/ledger.sqlite"; }

Result<OpenedFile> OpenLedgerFile(const std::string& folder, const ConnectionSettings& settings) {
  const std::string path = LedgerPath(folder);
  std::error_code error;
  const bool exists = fs::exists(path, error);
  if (error) return Refused("the ledger's folder cannot be read; check its permissions", path);
  if (!exists) FRAZIL_RETURN_IF_ERROR(MakeFile(folder, path));
  FRAZIL_RETURN_IF_ERROR(CheckHeader(path));
  // SQLite gives the files beside it the same rights.
  FRAZIL_RETURN_IF_ERROR(MakePrivateFile(path));
  auto opened = Open(path, settings);
  if (!opened.ok()) return AsLedgerError(opened.error());
  return opened;
}

}  // namespace frazil::ledger
