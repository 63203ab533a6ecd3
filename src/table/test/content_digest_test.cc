// SPDX-License-Identifier: Apache-2.0
#include "table/content_digest.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace frazil::table {
namespace {

BatchMark Batch(std::int64_t first, std::int64_t last, std::uint32_t checksum = 7) {
  return {.base_offset = first,
          .last_offset = last,
          .record_count = static_cast<std::int32_t>(last - first + 1),
          .checksum = checksum};
}

RecordBlock Block(const std::vector<std::int64_t>& offsets) {
  RecordBlock block;
  for (const std::int64_t offset : offsets) {
    RecordView record;
    record.offset = offset;
    block.records.push_back(record);
  }
  return block;
}

struct Content {
  std::int64_t records = 0;
  Sha256Digest digest{};

  bool operator==(const Content&) const = default;
};

Content ContentOf(const std::vector<BatchMark>& batches,
                  const std::vector<std::vector<RecordBlock>>& groups) {
  BatchCounter counter;
  ContentDigest digest;
  counter.Expect(batches);
  for (const auto& group : groups) counter.Count(group, digest);
  return {.records = digest.records(), .digest = digest.Finish()};
}

TEST(ContentDigestTest, HashesOneLineForEachBatch) {
  ContentDigest digest;
  digest.Add({.base_offset = 1, .last_offset = 5, .record_count = 5, .checksum = 0xaabbccdd}, 3);
  const Bytes line = *HexDecode(
      "0000000000000001"
      "0000000000000005"
      "00000005"
      "aabbccdd"
      "0000000000000003");
  EXPECT_EQ(digest.Finish(), Sha256(line));
}

TEST(ContentDigestTest, HowRecordsAreCutIntoBlocksAndGroupsIsNoPartOfIt) {
  const std::vector<BatchMark> batches = {Batch(0, 9), Batch(10, 19)};
  const Content whole = ContentOf(batches, {{Block({0, 1, 2, 12, 13})}});
  EXPECT_EQ(whole.records, 5);
  EXPECT_EQ(ContentOf(batches, {{Block({0}), Block({1, 2, 12}), Block({13})}}), whole);
  EXPECT_EQ(ContentOf(batches, {{Block({0})}, {Block({1}), Block({})}, {Block({2, 12, 13})}}),
            whole);
}

TEST(ContentDigestTest, TellsRecordsApart) {
  const std::vector<BatchMark> batches = {Batch(0, 9), Batch(10, 19)};
  const Content whole = ContentOf(batches, {{Block({0, 1, 12})}});
  // One record less, in either batch; another checksum; another place.
  EXPECT_NE(ContentOf(batches, {{Block({0, 12})}}).digest, whole.digest);
  EXPECT_NE(ContentOf(batches, {{Block({0, 1})}}).digest, whole.digest);
  EXPECT_NE(ContentOf({Batch(0, 9, 8), Batch(10, 19)}, {{Block({0, 1, 12})}}).digest, whole.digest);
  EXPECT_NE(ContentOf({Batch(0, 10), Batch(11, 19)}, {{Block({0, 1, 12})}}).digest, whole.digest);
}

TEST(ContentDigestTest, BatchesWithoutRecordsOfTheChunkAreNoPartOfIt) {
  const Content alone = ContentOf({Batch(10, 19)}, {{Block({12})}});
  EXPECT_EQ(ContentOf({Batch(0, 9), Batch(10, 19), Batch(20, 29)}, {{Block({12})}}), alone);
}

TEST(ContentDigestTest, ABatchThatEndsInTheNextChunkCountsInBoth) {
  BatchCounter counter;
  counter.Expect({Batch(0, 9)});
  ContentDigest first;
  const std::vector<RecordBlock> front = {Block({0, 1, 2, 3})};
  counter.Count(front, first);
  ContentDigest second;
  const std::vector<RecordBlock> back = {Block({4, 5})};
  counter.Count(back, second);
  // Each as if its range had been read alone.
  EXPECT_EQ(first.Finish(), ContentOf({Batch(0, 9)}, {front}).digest);
  EXPECT_EQ(second.Finish(), ContentOf({Batch(0, 9)}, {back}).digest);
}

TEST(ContentDigestTest, RecordsWithoutABatchAreLeftOut) {
  EXPECT_EQ(ContentOf({Batch(0, 9)}, {{Block({1, 15})}}).records, 1);
}

TEST(ContentDigestTest, ManyBatchesAreHashedInBoundedMemoryAndAllCount) {
  const auto content = [](std::uint32_t checksum_of_first) {
    ContentDigest digest;
    for (std::int64_t i = 0; i < 10'000; ++i) {
      digest.Add(Batch(i, i, i == 0 ? checksum_of_first : 7), 1);
    }
    return digest.Finish();
  };
  EXPECT_EQ(content(1), content(1));
  EXPECT_NE(content(1), content(2));
}

}  // namespace
}  // namespace frazil::table
