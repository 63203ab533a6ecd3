// SPDX-License-Identifier: Apache-2.0
#include "ledger/page_hashes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <sqlite3.h>
#include <string>

#include "base/bytes.h"
#include "base/sha256.h"

namespace frazil::ledger {
namespace {

constexpr const char* kLayerName = "frazil-page-hashes";
constexpr std::size_t kContentLength = kPageSize - kPageHashLength;
// SQLite's file header, which it reads by itself before it knows the size of a page.
constexpr std::size_t kHeaderLength = 100;

using Page = std::array<std::uint8_t, kPageSize>;

// SQLite's file object: ours, with that of the layer below behind it in the same allocation.
struct HashedFile {
  sqlite3_file base;
  // SQLite keeps it for as long as the file is open.
  const char* path;
};

sqlite3_vfs* Below() { return sqlite3_vfs_find("unix"); }

sqlite3_file* Inner(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<HashedFile*>(file) + 1);
}

// The first bytes of SHA-256 over the page's number and its content: a page that lies in another's
// place is damage too.
Sha256Digest HashOf(std::uint64_t number, const std::uint8_t* page) {
  std::array<std::uint8_t, sizeof(number) + kContentLength> input;
  StoreBigEndian(number, input.data());
  std::memcpy(input.data() + sizeof(number), page, kContentLength);
  return Sha256(input);
}

bool HasItsHash(std::uint64_t number, const std::uint8_t* page) {
  const Sha256Digest hash = HashOf(number, page);
  return std::memcmp(hash.data(), page + kContentLength, kPageHashLength) == 0;
}

// Whether transactions wait in a write-ahead log. Then page 1 may be half written, and whole there.
bool HasLog(const HashedFile& file) {
  int exists = 0;
  const std::string log = std::string(file.path) + "-wal";
  return Below()->xAccess(Below(), log.c_str(), SQLITE_ACCESS_EXISTS, &exists) == SQLITE_OK &&
         exists != 0;
}

// What the header of every file of ours says about the form of pages.
void RestoreForm(Page& page) {
  constexpr std::array<std::uint8_t, 8> kForm = {kPageSize >> 8,  0,  2,  2,
                                                 kPageHashLength, 64, 32, 32};
  std::copy(kForm.begin(), kForm.end(), page.begin() + 16);
  std::fill_n(page.begin() + 52, 4, std::uint8_t{0});
  std::fill_n(page.begin() + 64, 4, std::uint8_t{0});
}

int ReadPage(sqlite3_file* file, std::uint64_t number, Page& page, bool header_only) {
  sqlite3_file* inner = Inner(file);
  const int code = inner->pMethods->xRead(inner, page.data(), static_cast<int>(kPageSize),
                                          static_cast<sqlite3_int64>(number * kPageSize));
  if (code != SQLITE_OK) return code;
  if (HasItsHash(number, page.data())) return SQLITE_OK;
  if (header_only && HasLog(*reinterpret_cast<HashedFile*>(file))) {
    RestoreForm(page);
    return SQLITE_OK;
  }
  return SQLITE_IOERR_DATA;
}

int Read(sqlite3_file* file, void* to, int amount, sqlite3_int64 offset) {
  auto* out = static_cast<std::uint8_t*>(to);
  auto at = static_cast<std::uint64_t>(offset);
  auto left = static_cast<std::size_t>(amount);
  const bool header_only = at + left <= kHeaderLength;
  while (left > 0) {
    Page page;
    const std::size_t skip = at % kPageSize;
    const std::size_t size = std::min(left, kPageSize - skip);
    const int code = ReadPage(file, at / kPageSize, page, header_only);
    if (code == SQLITE_IOERR_SHORT_READ) {
      // Past the end: SQLite asks for zeros. Half a page is damage.
      sqlite3_int64 length = 0;
      sqlite3_file* inner = Inner(file);
      const int sized = inner->pMethods->xFileSize(inner, &length);
      if (sized != SQLITE_OK) return sized;
      if (length % static_cast<sqlite3_int64>(kPageSize) != 0) return SQLITE_IOERR_DATA;
      std::memset(out, 0, left);
      return SQLITE_IOERR_SHORT_READ;
    }
    if (code != SQLITE_OK) return code;
    std::memcpy(out, page.data() + skip, size);
    out += size;
    at += size;
    left -= size;
  }
  return SQLITE_OK;
}

int Write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
  const auto* bytes = static_cast<const std::uint8_t*>(from);
  auto at = static_cast<std::uint64_t>(offset);
  auto left = static_cast<std::size_t>(amount);
  // Only a file that was not made by us has other pages.
  if (at % kPageSize != 0 || left % kPageSize != 0) return SQLITE_IOERR_WRITE;
  sqlite3_file* inner = Inner(file);
  for (; left > 0; at += kPageSize, bytes += kPageSize, left -= kPageSize) {
    Page page;
    std::memcpy(page.data(), bytes, kContentLength);
    const Sha256Digest hash = HashOf(at / kPageSize, bytes);
    std::memcpy(page.data() + kContentLength, hash.data(), kPageHashLength);
    const int code = inner->pMethods->xWrite(inner, page.data(), static_cast<int>(kPageSize),
                                             static_cast<sqlite3_int64>(at));
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int Close(sqlite3_file* file) {
  sqlite3_file* inner = Inner(file);
  return inner->pMethods == nullptr ? SQLITE_OK : inner->pMethods->xClose(inner);
}
int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  return Inner(file)->pMethods->xTruncate(Inner(file), size);
}
int Sync(sqlite3_file* file, int flags) { return Inner(file)->pMethods->xSync(Inner(file), flags); }
int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  return Inner(file)->pMethods->xFileSize(Inner(file), size);
}
int Lock(sqlite3_file* file, int level) { return Inner(file)->pMethods->xLock(Inner(file), level); }
int Unlock(sqlite3_file* file, int level) {
  return Inner(file)->pMethods->xUnlock(Inner(file), level);
}
int CheckReservedLock(sqlite3_file* file, int* result) {
  return Inner(file)->pMethods->xCheckReservedLock(Inner(file), result);
}
int FileControl(sqlite3_file* file, int operation, void* argument) {
  return Inner(file)->pMethods->xFileControl(Inner(file), operation, argument);
}
int SectorSize(sqlite3_file* file) { return Inner(file)->pMethods->xSectorSize(Inner(file)); }
int DeviceCharacteristics(sqlite3_file* file) {
  return Inner(file)->pMethods->xDeviceCharacteristics(Inner(file));
}
int ShmMap(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  return Inner(file)->pMethods->xShmMap(Inner(file), region, size, extend, out);
}
int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
  return Inner(file)->pMethods->xShmLock(Inner(file), offset, count, flags);
}
void ShmBarrier(sqlite3_file* file) { Inner(file)->pMethods->xShmBarrier(Inner(file)); }
int ShmUnmap(sqlite3_file* file, int remove) {
  return Inner(file)->pMethods->xShmUnmap(Inner(file), remove);
}

// Version 2: without memory mapping, which would pass by the hashes.
constexpr sqlite3_io_methods kMethods = {
    .iVersion = 2,
    .xClose = Close,
    .xRead = Read,
    .xWrite = Write,
    .xTruncate = Truncate,
    .xSync = Sync,
    .xFileSize = FileSize,
    .xLock = Lock,
    .xUnlock = Unlock,
    .xCheckReservedLock = CheckReservedLock,
    .xFileControl = FileControl,
    .xSectorSize = SectorSize,
    .xDeviceCharacteristics = DeviceCharacteristics,
    .xShmMap = ShmMap,
    .xShmLock = ShmLock,
    .xShmBarrier = ShmBarrier,
    .xShmUnmap = ShmUnmap,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

// Journals and logs go to the layer below as they are.
int OpenFile(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  sqlite3_vfs* below = Below();
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return below->xOpen(below, path, file, flags, out_flags);
  auto* hashed = new (file) HashedFile{.base = {.pMethods = nullptr}, .path = path};
  sqlite3_file* inner = Inner(file);
  inner->pMethods = nullptr;
  const int code = below->xOpen(below, path, inner, flags, out_flags);
  if (inner->pMethods != nullptr) hashed->base.pMethods = &kMethods;
  return code;
}

// The layer below with another way of opening.
sqlite3_vfs MakeLayer(const sqlite3_vfs& below) {
  sqlite3_vfs layer = below;
  layer.zName = kLayerName;
  layer.pNext = nullptr;
  layer.szOsFile = below.szOsFile + static_cast<int>(sizeof(HashedFile));
  layer.xOpen = OpenFile;
  return layer;
}

bool Register() {
  if (sqlite3_initialize() != SQLITE_OK || Below() == nullptr) return false;
  // SQLite keeps the pointer and links through it until the process ends.
  static sqlite3_vfs layer = MakeLayer(*Below());
  return sqlite3_vfs_register(&layer, 0) == SQLITE_OK;
}

}  // namespace

const char* PageHashLayer() {
  static const bool kRegistered = Register();
  return kRegistered ? kLayerName : nullptr;
}

}  // namespace frazil::ledger
