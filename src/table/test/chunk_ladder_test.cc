// SPDX-License-Identifier: Apache-2.0
#include "table/chunk_ladder.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace frazil::table {
namespace {

TEST(ChunkLadderTest, ShortTailsAndFullChunksStay) {
  EXPECT_EQ(ChunksToMerge(std::vector<std::int64_t>(6, 10), 1000), std::nullopt);
  EXPECT_EQ(ChunksToMerge(std::vector<std::int64_t>(50, 1000), 1000), std::nullopt);
  EXPECT_EQ(ChunksToMerge(std::vector<std::int64_t>(7, 10), 1000), (ChunkRun{0, 7}));
}

TEST(ChunkLadderTest, LargeOldChunksAreNotMergedWithSmallYoungOnes) {
  EXPECT_EQ(ChunksToMerge(std::vector<std::int64_t>{900, 300, 10, 10, 10, 10, 10}, 1000),
            (ChunkRun{2, 7}));
  EXPECT_EQ(ChunksToMerge(std::vector<std::int64_t>{640, 320, 160, 80, 40, 20, 9}, 1000),
            (ChunkRun{0, 7}));
  EXPECT_EQ(ChunksToMerge(std::vector<std::int64_t>{729, 243, 81, 27, 9, 3, 1}, 1000),
            (ChunkRun{5, 7}));
}

TEST(ChunkLadderTest, AByteIsMergedALogarithmicNumberOfTimes) {
  std::vector<std::int64_t> sizes;
  std::int64_t written = 0;
  constexpr int kAppends = 20000;
  std::size_t longest = 0;
  for (int i = 0; i < kAppends; ++i) {
    sizes.push_back(3000);
    if (const auto run = ChunksToMerge(sizes, 84'000'000)) {
      std::int64_t sum = 0;
      for (std::size_t j = run->first; j < run->last; ++j) sum += sizes[j];
      sizes.resize(run->first);
      sizes.push_back(sum);
      written += sum;
    }
    longest = std::max(longest, sizes.size());
  }
  EXPECT_LE(longest, kTailChunksToMerge + 4);
  EXPECT_LT(written, std::int64_t{3000} * kAppends * 12);
}

TEST(ChunkLadderTest, OldSnapshotsThinOutAndTheEndsStay) {
  std::vector<UnixMillis> stamps;
  std::int64_t now = 0;
  for (int i = 0; i < 20000; ++i) {
    now += 4320;
    stamps.emplace_back(now);
    if (stamps.size() <= 500) continue;
    stamps.erase(stamps.begin() + static_cast<std::ptrdiff_t>(SnapshotToUnlist(stamps)));
  }
  EXPECT_EQ(stamps.size(), 500U);
  EXPECT_EQ(stamps.front(), UnixMillis(4320));
  for (std::size_t i = 410; i + 1 < stamps.size(); ++i) EXPECT_EQ(stamps[i + 1] - stamps[i], 4320);
  // No hole in the middle is more than a tenth of its age.
  for (std::size_t i = 1; i + 1 < stamps.size(); ++i) {
    EXPECT_LT(stamps[i + 1] - stamps[i], (now - stamps[i].value()) / 10 + std::int64_t{3} * 4320)
        << i;
  }
}

}  // namespace
}  // namespace frazil::table
