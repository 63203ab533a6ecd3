// SPDX-License-Identifier: Apache-2.0
#include "parquet/file_buffer.h"

#include <cstdint>

#include <sys/mman.h>

namespace frazil::parquet {

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
