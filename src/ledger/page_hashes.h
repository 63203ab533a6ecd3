// SPDX-License-Identifier: Apache-2.0
// A layer between SQLite and the disk that gives every page of the ledger's file a hash of its
// bytes and its place, and holds each page that is read against it. Internal to this module.
//
// The hash takes the page's last kPageHashLength bytes, which SQLite leaves alone when a file is
// made with that many reserved bytes. A page that differs is SQLITE_IOERR_DATA. The write-ahead log
// has checksums of SQLite's own.
#pragma once

#include <cstddef>

namespace frazil::ledger {

inline constexpr std::size_t kPageSize = 4096;
inline constexpr std::size_t kPageHashLength = 16;

// The name under which SQLite knows the layer (its "VFS"). Requires: files opened through it have
// pages of kPageSize bytes, kPageHashLength of them reserved. Null: SQLite has no memory.
// Threads: any.
const char* PageHashLayer();

}  // namespace frazil::ledger
