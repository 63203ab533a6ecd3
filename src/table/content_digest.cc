// SPDX-License-Identifier: Apache-2.0
#include "table/content_digest.h"

#include <algorithm>
#include <array>

#include "base/encoding.h"

namespace frazil::table {
namespace {

// Hashed at once: batches may be as many as records.
constexpr std::size_t kMostText = 64 << 10;

std::int64_t CountIn(const RecordBlock& block, const BatchMark& batch) {
  const auto first = std::lower_bound(
      block.records.begin(), block.records.end(), batch.base_offset,
      [](const RecordView& record, std::int64_t offset) { return record.offset < offset; });
  const auto end = std::upper_bound(
      first, block.records.end(), batch.last_offset,
      [](std::int64_t offset, const RecordView& record) { return offset < record.offset; });
  return end - first;
}

}  // namespace

void ContentDigest::Add(const BatchMark& batch, std::int64_t records) {
  if (last_ != batch) Flush();
  last_ = batch;
  of_last_ += records;
  records_ += records;
}

void ContentDigest::Flush() {
  if (!last_) return;
  std::array<std::uint8_t, 32> line{};
  StoreBigEndian(last_->base_offset, line.data());
  StoreBigEndian(last_->last_offset, line.data() + 8);
  StoreBigEndian(last_->record_count, line.data() + 16);
  StoreBigEndian(last_->checksum, line.data() + 20);
  StoreBigEndian(of_last_, line.data() + 24);
  text_.insert(text_.end(), line.begin(), line.end());
  last_.reset();
  of_last_ = 0;
  if (text_.size() < kMostText) return;
  const Sha256Digest digest = Sha256(text_);
  text_.assign(digest.begin(), digest.end());
}

Sha256Digest ContentDigest::Finish() {
  Flush();
  return Sha256(text_);
}

void BatchCounter::Expect(const std::vector<BatchMark>& batches) {
  batches_.insert(batches_.end(), batches.begin(), batches.end());
}

void BatchCounter::Count(std::span<const RecordBlock> blocks, ContentDigest& digest) {
  for (const RecordBlock& block : blocks) {
    if (block.records.empty()) continue;
    const std::int64_t last = block.records.back().offset;
    for (auto batch = batches_.begin(); batch != batches_.end() && batch->base_offset <= last;
         ++batch) {
      if (const std::int64_t count = CountIn(block, *batch); count > 0) digest.Add(*batch, count);
    }
    while (!batches_.empty() && batches_.front().last_offset <= last) batches_.pop_front();
  }
}

}  // namespace frazil::table
