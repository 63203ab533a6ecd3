// SPDX-License-Identifier: Apache-2.0
#include "parquet/file_buffer.h"

#include <algorithm>
#include <cstdint>

#include <sys/mman.h>

namespace frazil::parquet {

// A file of unknown size is copied as it grows, so one that is no longer small gets room for as
// much as a chunk is likely to have. What is not used of it is address space and no memory.
void FileBuffer::Grow(std::size_t count) {
  constexpr std::size_t kSmall = std::size_t{8} << 20;
  constexpr std::size_t kLikelyMost = std::size_t{128} << 20;
  Reserve(count <= kSmall ? 2 * count : std::max(2 * count, kLikelyMost));
}

void FileBuffer::Reserve(std::size_t count) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  bytes_.reserve(count);
  const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
  const std::uintptr_t first = (address + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t end = (address + count) / kLargePage * kLargePage;
  // It is advice: what it answers does not matter.
  if (first < end) (void)madvise(bytes_.data() + (first - address), end - first, MADV_HUGEPAGE);
}

}  // namespace frazil::parquet
