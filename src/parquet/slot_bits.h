// SPDX-License-Identifier: Apache-2.0
// One bit for each slot of an array: whether a value is there. Internal to this module.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace frazil::parquet {

// Bits from the lowest of the first byte on; those beyond the last slot may be anything. Without
// bits every slot has a value. Shares what owns the bits.
class SlotBits {
 public:
  SlotBits() = default;
  SlotBits(const std::uint8_t* bits, std::shared_ptr<const void> owner)
      : bits_(bits), owner_(std::move(owner)) {}
  explicit SlotBits(std::vector<std::uint8_t> bits) {
    auto owned = std::make_shared<const std::vector<std::uint8_t>>(std::move(bits));
    bits_ = owned->data();
    owner_ = std::move(owned);
  }

  bool all() const { return bits_ == nullptr; }
  bool At(std::int64_t slot) const { return all() || ((bits_[slot >> 3] >> (slot & 7)) & 1U) != 0; }

  // The bits of slots [begin, begin + count), the first one lowest, zeros above. Reads no byte
  // that holds none of them. Requires: 0 < count <= 64.
  std::uint64_t Word(std::int64_t begin, int count) const {
    const std::uint64_t mask = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    if (all()) return mask;
    const std::uint8_t* from = bits_ + (begin >> 3);
    const int shift = static_cast<int>(begin & 7);
    const int bytes = (shift + count + 7) / 8;
    std::uint64_t word = 0;
    if (bytes >= 8) {
      std::memcpy(&word, from, sizeof word);
    } else {
      for (int i = 0; i < bytes; ++i) word |= std::uint64_t{from[i]} << (8 * i);
    }
    word >>= shift;
    if (bytes == 9) word |= std::uint64_t{from[8]} << (64 - shift);
    return word & mask;
  }

  std::int64_t Count(std::int64_t begin, std::int64_t end) const {
    if (all()) return end - begin;
    std::int64_t count = 0;
    for (; end - begin >= 64; begin += 64) count += std::popcount(Word(begin, 64));
    if (begin < end) count += std::popcount(Word(begin, static_cast<int>(end - begin)));
    return count;
  }

 private:
  const std::uint8_t* bits_ = nullptr;
  std::shared_ptr<const void> owner_;
};

// Calls dense(first, count) for up to 64 slots that all have a value, and sparse(first, word) for
// up to 64 of which some have none; in order. A stretch without any value is passed over.
template <typename Dense, typename Sparse>
void ForEachWord(const SlotBits& present, std::int64_t begin, std::int64_t end, Dense dense,
                 Sparse sparse) {
  if (present.all()) {
    if (begin < end) dense(begin, end - begin);
    return;
  }
  while (begin < end) {
    const int count = end - begin < 64 ? static_cast<int>(end - begin) : 64;
    const std::uint64_t word = present.Word(begin, count);
    if (std::popcount(word) == count) {
      dense(begin, std::int64_t{count});
    } else if (word != 0) {
      sparse(begin, word);
    }
    begin += count;
  }
}

// Calls visit(slot) for each slot that has a value, in order.
template <typename Visit>
void ForEachPresent(const SlotBits& present, std::int64_t begin, std::int64_t end, Visit visit) {
  ForEachWord(
      present, begin, end,
      [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t i = first; i < first + count; ++i) visit(i);
      },
      [&](std::int64_t first, std::uint64_t word) {
        for (; word != 0; word &= word - 1) visit(first + std::countr_zero(word));
      });
}

}  // namespace frazil::parquet
