// SPDX-License-Identifier: Apache-2.0
// What a chunk's records are told by when they are read again (R8): the record batches that they
// come from, and how many of each. No I/O.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/record_block.h"
#include "base/sha256.h"

namespace frazil::table {

// SHA-256 over (base offset, last offset, count and CRC-32C of the batch; records taken from it).
// How the records came, in which blocks and groups, is no part of it.
// Threads: one at a time.
class ContentDigest {
 public:
  // Records of this batch, some more of them.
  void Add(const BatchMark& batch, std::int64_t records);

  // How many records were added.
  std::int64_t records() const { return records_; }
  // Of all that was added.
  Sha256Digest Finish();

 private:
  void Flush();

  std::optional<BatchMark> last_;
  std::int64_t of_last_ = 0;
  std::int64_t records_ = 0;
  // Begins with the digest of all that went before.
  Bytes text_;
};

// Counts the records of consecutive groups to the batches that they come from.
// Threads: one at a time.
class BatchCounter {
 public:
  // Batches of the records that will come, in order of offset.
  void Expect(const std::vector<BatchMark>& batches);
  // Adds the records, of which no earlier ones follow. A record whose batch is not known is left
  // out.
  void Count(std::span<const RecordBlock> blocks, ContentDigest& digest);

 private:
  std::deque<BatchMark> batches_;
};

}  // namespace frazil::table
