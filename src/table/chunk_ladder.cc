// SPDX-License-Identifier: Apache-2.0
#include "table/chunk_ladder.h"

#include <algorithm>

#include "base/check.h"

namespace frazil::table {
namespace {

// The first position from which the list has to become one item so that each item before weighs at
// least twice of what follows it. At least two items when there are two.
std::size_t FirstToMerge(std::span<const std::int64_t> weights) {
  const std::size_t count = weights.size();
  if (count < 2) return count;
  std::size_t first = count - 2;
  std::int64_t after = 0;
  for (std::size_t i = count; i-- > 0;) {
    if (weights[i] < 2 * after) first = std::min(first, i);
    after += weights[i];
  }
  return first;
}

}  // namespace

std::size_t TailLength(std::span<const std::int64_t> sizes, std::int64_t full_bytes) {
  std::size_t length = 0;
  while (length < sizes.size() && sizes[sizes.size() - 1 - length] < full_bytes) ++length;
  return length;
}

std::optional<ChunkRun> ChunksToMerge(std::span<const std::int64_t> sizes,
                                      std::int64_t full_bytes) {
  const std::size_t tail = TailLength(sizes, full_bytes);
  if (tail < kTailChunksToMerge) return std::nullopt;
  const std::size_t begin = sizes.size() - tail;
  return ChunkRun{.first = begin + FirstToMerge(sizes.subspan(begin)), .last = sizes.size()};
}

std::vector<bool> ManifestsToRewrite(std::span<const std::int64_t> entries,
                                     const std::vector<bool>& touched) {
  FRAZIL_CHECK(entries.size() == touched.size());
  std::vector<bool> rewrite = touched;
  const auto kept = static_cast<std::size_t>(std::count(rewrite.begin(), rewrite.end(), false));
  // What is rewritten becomes one manifest.
  if (kept + 1 < kManifestsToMerge) return rewrite;
  for (std::size_t i = FirstToMerge(entries); i < rewrite.size(); ++i) rewrite[i] = true;
  return rewrite;
}

std::size_t SnapshotToUnlist(std::span<const UnixMillis> stamps) {
  FRAZIL_CHECK(stamps.size() >= 3);
  const UnixMillis now = stamps.back();
  const std::size_t dense = std::max<std::size_t>(1, stamps.size() / 5);
  const std::size_t last = stamps.size() - dense;
  std::size_t best = 1;
  double best_weight = 0;
  for (std::size_t i = 1; i < last; ++i) {
    const auto gap = static_cast<double>(stamps[i + 1] - stamps[i - 1]);
    const double weight = gap / static_cast<double>(1 + (now - stamps[i]));
    if (i == 1 || weight < best_weight) {
      best = i;
      best_weight = weight;
    }
  }
  return best;
}

}  // namespace frazil::table
