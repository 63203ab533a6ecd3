// SPDX-License-Identifier: Apache-2.0
#include "ledger/partition_vector.h"

#include <limits>

#include <gtest/gtest.h>

#include "ledger/test/ledger_fixture.h"

namespace frazil::ledger {
namespace {

constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();
constexpr auto kHighestInt = std::numeric_limits<std::int32_t>::max();

std::vector<CutPartition> SomeVector() {
  std::vector<CutPartition> partitions = {Range(0, 0, 2, 10), Range(0, 300, 0, 0),
                                          Range(3, 1, 0, kHighest),
                                          Range(kHighestInt, kHighestInt, kHighest, kHighest)};
  partitions[0].closed = true;
  partitions[1].epoch = LeaderEpoch(-1);
  partitions[2].epoch = LeaderEpoch(-1);
  partitions[2].closed = true;
  partitions[3].epoch = LeaderEpoch(kHighestInt);
  return partitions;
}

TEST(PartitionVectorTest, BytesAreThoseOfTheForm) {
  std::vector<CutPartition> partitions = {Range(0, 5, 1, 129), Range(1, 3, 0, 0)};
  partitions[0].closed = true;
  partitions[1].epoch = LeaderEpoch(-1);
  // Epoch 3, closed: 7, in zigzag form 14. Epoch -1: -2, in zigzag form 3.
  const Bytes expected = {1, 2, 0, 10, 14, 1, 0x80, 1, 1, 3, 3, 0, 0};
  EXPECT_EQ(EncodePartitions(partitions), expected);
  EXPECT_EQ(EncodePartitions({}), (Bytes{1, 0}));
}

TEST(PartitionVectorTest, WhatIsEncodedComesBack) {
  for (const auto& partitions : {SomeVector(), std::vector<CutPartition>{}}) {
    const auto decoded = DecodePartitions(EncodePartitions(partitions));
    ASSERT_TRUE(decoded.ok()) << decoded.error().ToString();
    EXPECT_EQ(*decoded, partitions);
  }
}

TEST(PartitionVectorTest, EveryTruncationAndAnythingBehindIsAnError) {
  const Bytes bytes = EncodePartitions(SomeVector());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = DecodePartitions(ByteView(bytes).first(size));
    ASSERT_FALSE(decoded.ok()) << size;
    EXPECT_EQ(decoded.error().code(), ErrorCode::kCorruptData);
  }
  Bytes longer = bytes;
  longer.push_back(0);
  EXPECT_FALSE(DecodePartitions(longer).ok());
}

TEST(PartitionVectorTest, EveryFlippedByteIsAnErrorOrAVector) {
  const Bytes bytes = EncodePartitions(SomeVector());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int mask = 1; mask < 256; ++mask) {
      Bytes damaged = bytes;
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ mask);
      const auto decoded = DecodePartitions(damaged);
      if (!decoded.ok()) continue;
      const auto again = DecodePartitions(EncodePartitions(*decoded));
      ASSERT_TRUE(again.ok());
      ASSERT_EQ(*again, *decoded);
    }
  }
}

struct BrokenCase {
  const char* name;
  Bytes bytes;
};

TEST(PartitionVectorTest, WhatNoVectorCanBeIsAnError) {
  const Bytes ff = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
  Bytes huge = {1};
  huge.insert(huge.end(), ff.begin(), ff.end());
  Bytes far_end = {1, 1, 0, 0, 0, 1};
  far_end.insert(far_end.end(), ff.begin(), ff.end());
  const BrokenCase cases[] = {
      {"another form", {2, 0}},
      {"a count that the bytes do not hold", huge},
      {"a count one too high", {1, 2, 0, 0, 0, 0, 0}},
      {"the same partition twice", {1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {"a partition below zero", {1, 1, 0, 1, 0, 0, 0}},
      {"an epoch below -1", {1, 1, 0, 0, 5, 0, 0}},
      {"an end beyond all offsets", far_end},
  };
  for (const BrokenCase& broken : cases) {
    const auto decoded = DecodePartitions(broken.bytes);
    ASSERT_FALSE(decoded.ok()) << broken.name;
    EXPECT_EQ(decoded.error().code(), ErrorCode::kCorruptData) << broken.name;
  }
}

}  // namespace
}  // namespace frazil::ledger
