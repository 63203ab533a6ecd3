// SPDX-License-Identifier: Apache-2.0
// Which chunks of a partition to merge, which manifests to rewrite, and which snapshots leave the
// list, so that each stays short however many loads there were. No I/O.
//
// Chunks: the old end of a partition consists of full ones (from 1/12 GiB up), the young end, its
// tail, of at most kMostTailChunks. From old to young, sizes in the tail fall at least by thirds
// after each merge, so that a byte is merged a logarithmic number of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"

namespace frazil::table {

// A tail of this many chunks is merged ...
inline constexpr std::size_t kTailChunksToMerge = 7;
// ... and no snapshot lists more than this many.
inline constexpr std::size_t kMostTailChunks = 12;
inline constexpr std::size_t kManifestsToMerge = 7;
inline constexpr std::size_t kMostManifests = 12;

// Positions [first, last) of a list.
struct ChunkRun {
  std::size_t first = 0;
  std::size_t last = 0;

  friend bool operator==(ChunkRun, ChunkRun) = default;
};

// How many chunks stand behind the last full one. `sizes` in bytes, from old to young.
std::size_t TailLength(std::span<const std::int64_t> sizes, std::int64_t full_bytes);

// The chunks to merge into one (or, beyond a full chunk's size, into full ones and a rest): always
// the youngest ones of the tail; nothing while the tail is short.
std::optional<ChunkRun> ChunksToMerge(std::span<const std::int64_t> sizes, std::int64_t full_bytes);

// Whether the manifest at each position is to be rewritten: those that are `touched` because files
// leave them, and the youngest ones when there are too many. `entries` are the live entries of
// each, from old to young.
std::vector<bool> ManifestsToRewrite(std::span<const std::int64_t> entries,
                                     const std::vector<bool>& touched);

// The position of the snapshot that leaves a list that is one too long: the one whose neighbours
// are nearest to each other for their age. The oldest and the youngest fifth stay.
// Requires: at least three stamps; they rise.
std::size_t SnapshotToUnlist(std::span<const UnixMillis> stamps);

}  // namespace frazil::table
