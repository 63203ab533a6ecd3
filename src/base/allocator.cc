// SPDX-License-Identifier: Apache-2.0
#include "base/allocator.h"

#include <malloc.h>

namespace frazil {

void LetAllocatorGiveBack() {
#ifdef __GLIBC__
  constexpr int kLargeBlock = 4 << 20;
  constexpr int kKept = 32 << 20;
  constexpr int kArenas = 4;
  // Setting it ends its growth by itself.
  mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_ARENA_MAX, kArenas);
#endif
}

}  // namespace frazil
