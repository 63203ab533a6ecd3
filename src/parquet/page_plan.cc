// SPDX-License-Identifier: Apache-2.0
#include "parquet/page_plan.h"

#include <algorithm>
#include <cstring>

namespace frazil::parquet {
namespace {

constexpr std::int64_t kUnit = 8;

bool IsText(const LeafValues& values) {
  return values.form() == ValueForm::kText || values.form() == ValueForm::kFolded;
}

// What slots count for when a page is ended: that of NULLs does not show in numbers.
std::size_t WeightOf(const LeafValues& values, std::int64_t begin, std::int64_t end) {
  if (IsText(values)) return values.PlainSize(begin, end);
  return static_cast<std::size_t>(end - begin) * values.width();
}

// Outside of lists an entry is a slot.
class RowPages {
 public:
  RowPages(const LeafColumn& leaf, const LeafValues& values) : leaf_(leaf), values_(values) {}

  PageBounds Longest(const PageBounds& before) const {
    PageBounds page = After(before);
    page.end_entry = page.end_slot = std::min(page.first_entry + kPageEntries, leaf_.entries);
    return page;
  }

  // The same page, ended before the rows with which it would be too large.
  PageBounds Shortened(PageBounds page) const {
    std::int64_t end = std::min(page.first_slot + kUnit, page.end_slot);
    std::size_t bytes = WeightOf(values_, page.first_slot, end);
    while (end < page.end_slot) {
      const std::int64_t next = std::min(end + kUnit, page.end_slot);
      bytes += WeightOf(values_, end, next);
      if (bytes > kPageBytes) break;
      end = next;
    }
    page.end_entry = page.end_slot = end;
    return page;
  }

  static PageBounds After(const PageBounds& before) {
    PageBounds page;
    page.first_entry = page.end_entry = before.end_entry;
    page.first_slot = page.end_slot = before.end_slot;
    return page;
  }

 private:
  const LeafColumn& leaf_;
  const LeafValues& values_;
};

// In lists a row is a run of entries that begins with a repetition level of 0.
class ListPages {
 public:
  ListPages(const LeafColumn& leaf, const LeafValues& values) : leaf_(leaf), values_(values) {}

  PageBounds Longest(const PageBounds& before) const {
    PageBounds page = RowPages::After(before);
    page.end_entry = RowFrom(page.first_entry + kPageEntries);
    page.end_slot += SlotsOf(page.first_entry, page.end_entry);
    return page;
  }

  PageBounds Shortened(PageBounds page) const {
    const std::int64_t end_entry = page.end_entry;
    std::size_t bytes = 0;
    page.end_entry = page.first_entry;
    page.end_slot = page.first_slot;
    while (page.end_entry < end_entry) {
      const std::int64_t next = RowFrom(page.end_entry + 1);
      const std::int64_t slots = SlotsOf(page.end_entry, next);
      bytes += WeightOf(values_, page.end_slot, page.end_slot + slots);
      if (bytes > kPageBytes && page.end_entry > page.first_entry) break;
      page.end_entry = next;
      page.end_slot += slots;
    }
    return page;
  }

 private:
  // The first entry from this one on that begins a row.
  std::int64_t RowFrom(std::int64_t entry) const {
    if (entry >= leaf_.entries) return leaf_.entries;
    const void* const found =
        std::memchr(leaf_.repetition + entry, 0, static_cast<std::size_t>(leaf_.entries - entry));
    return found == nullptr ? leaf_.entries
                            : static_cast<const std::uint8_t*>(found) - leaf_.repetition;
  }

  std::int64_t SlotsOf(std::int64_t begin, std::int64_t end) const {
    std::int64_t slots = 0;
    for (std::int64_t entry = begin; entry < end; ++entry) {
      slots += leaf_.definition[entry] >= leaf_.slot_definition ? 1 : 0;
    }
    return slots;
  }

  const LeafColumn& leaf_;
  const LeafValues& values_;
};

template <typename Pages>
std::vector<PageBounds> Plan(const LeafColumn& leaf, const LeafValues& values, bool plain) {
  const Pages pages(leaf, values);
  std::vector<PageBounds> planned;
  PageBounds page;
  while (page.end_entry < leaf.entries) {
    page = pages.Longest(page);
    if (plain && WeightOf(values, page.first_slot, page.end_slot) > kPageBytes) {
      page = pages.Shortened(page);
    }
    page.values = leaf.present.Count(page.first_slot, page.end_slot);
    if (plain) page.plain_bytes = values.PlainSize(page.first_slot, page.end_slot);
    planned.push_back(page);
  }
  return planned;
}

}  // namespace

std::vector<PageBounds> PlanPages(const LeafColumn& leaf, const LeafValues& values, bool plain) {
  return leaf.repeated() ? Plan<ListPages>(leaf, values, plain)
                         : Plan<RowPages>(leaf, values, plain);
}

}  // namespace frazil::parquet
