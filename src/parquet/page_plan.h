// SPDX-License-Identifier: Apache-2.0
// Where the pages of a column chunk begin and end. Internal to this module.
#pragma once

#include <cstdint>
#include <vector>

#include "parquet/leaf_columns.h"
#include "parquet/leaf_values.h"

namespace frazil::parquet {

// A few pages for each of today's row groups. Fewer would cost readers their caches, and more cost
// each reader a header.
inline constexpr std::int64_t kPageEntries = 32'768;
inline constexpr std::size_t kPageBytes = std::size_t{1024} * 1024;

struct PageBounds {
  std::int64_t first_entry = 0;
  std::int64_t end_entry = 0;
  std::int64_t first_slot = 0;
  std::int64_t end_slot = 0;
  // Of those slots that have a value; the bytes in PLAIN form, 0 when they were not asked for.
  std::int64_t values = 0;
  std::size_t plain_bytes = 0;

  std::int64_t entries() const { return end_entry - first_entry; }
};

// A page ends with the row that gives it its kPageEntries-th entry. With `plain` it ends earlier
// where its values would take more than kPageBytes: before the row (outside of lists: the eight
// rows) that would make it so, if that is not its first. None ends within a row.
std::vector<PageBounds> PlanPages(const LeafColumn& leaf, const LeafValues& values, bool plain);

}  // namespace frazil::parquet
