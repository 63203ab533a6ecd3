// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <arrow/util/bit_util.h>

#include "decode/leaf_execution_internal.h"
#include "decode/plan_execution_internal.h"
#include "decode/row_set_internal.h"
#include "decode/varint_internal.h"

namespace frazil::decode {

namespace {

// Items of one array that may take no bytes (records without fields): nothing else bounds them.
constexpr std::size_t kMostEmptyItems = 1024;
constexpr std::size_t kMostRows = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::int64_t kCursorBytes = 2 * sizeof(const std::uint8_t*);

// The items of the arrays or maps of a row set, as rows of their own.
struct Items {
  std::vector<const std::uint8_t*> at;
  std::vector<const std::uint8_t*> end;
};

class PlanRunner {
 public:
  PlanRunner(ColumnTree& columns, MemoryBudget& budget) : columns_(columns), budget_(budget) {}

  std::optional<Failure> RunAll(std::span<const Op> ops, RowSet rows) {
    std::optional<Failure> first;
    for (const Op& op : ops) {
      const auto failure = Run(op, rows);
      if (!failure.has_value()) continue;
      first = failure;
      // Later operations may still find an earlier row at fault.
      rows = rows.Before(failure->row);
    }
    return first;
  }

  void SetNull(const std::vector<std::size_t>& columns, std::size_t begin, std::size_t end) {
    for (const std::size_t column : columns) columns_.SetNull(column, begin, end);
  }

 private:
  std::optional<Failure> Run(const Op& op, const RowSet& rows) {
    switch (op.code) {
      case OpCode::kSkip:
        return FailureOf(RunSkip(op, rows), op);
      case OpCode::kRecord:
        return RunRecord(op, rows);
      case OpCode::kBranches:
        return RunBranches(op, rows);
      case OpCode::kArray:
      case OpCode::kMap:
        return RunItems(op, rows);
      default:
        return FailureOf(RunLeaf(op, rows, columns_.at(op.column)), op);
    }
  }

  static std::optional<Failure> FailureOf(const Stop& stop, const Op& op) {
    if (stop.flaw == Flaw::kNone) return std::nullopt;
    return Failure{stop.row, op.path, stop.flaw};
  }

  // `inner`, found on the rows before `stop`, is of an earlier row.
  static std::optional<Failure> Earlier(const std::optional<Failure>& inner, const Stop& stop,
                                        const Op& op) {
    return inner.has_value() ? inner : FailureOf(stop, op);
  }

  static Stop RunSkip(const Op& op, const RowSet& rows) {
    for (std::size_t i = 0; i < rows.values(); ++i) {
      const std::size_t row = rows.selection == nullptr ? i : rows.selection[i];
      const Flaw flaw = op.skip.Skip(rows.at[row], rows.end[row]);
      if (flaw != Flaw::kNone) return {row, flaw};
    }
    return {};
  }

  // Reads the branch numbers of a nested value's union; `take(row, branch)` says whether there is
  // such a branch.
  template <typename Take>
  static Stop ReadBranches(const RowSet& rows, Take take) {
    for (std::size_t i = 0; i < rows.values(); ++i) {
      const std::size_t row = rows.selection == nullptr ? i : rows.selection[i];
      std::int64_t branch = 0;
      const Flaw flaw = ReadLong(rows.at[row], rows.end[row], branch);
      if (flaw != Flaw::kNone) return {row, flaw};
      if (branch < 0 || !take(row, branch)) return {row, Flaw::kUnionBranch};
    }
    return {};
  }

  // Leaves those rows that are not null, and marks them valid. `kept` holds the selection.
  Stop SelectPresent(const Op& op, RowSet& rows, std::vector<std::uint32_t>& kept) {
    ColumnBuffers& column = columns_.at(op.column);
    Stop stop;
    if (op.in_union) {
      kept.reserve(rows.values());
      stop = ReadBranches(rows, [&](std::size_t row, std::int64_t branch) {
        if (branch == op.value_branch) kept.push_back(static_cast<std::uint32_t>(row));
        return branch == op.value_branch || branch == op.null_branch;
      });
      const bool all = rows.selection == nullptr && kept.size() == rows.count;
      if (!all) Select(kept, rows);
    }
    MarkValid(rows, column);
    return stop;
  }

  static void Select(const std::vector<std::uint32_t>& kept, RowSet& rows) {
    static constexpr std::uint32_t kNothing = 0;
    rows.selection = kept.empty() ? &kNothing : kept.data();
    rows.selected = kept.size();
  }

  static void MarkValid(const RowSet& rows, ColumnBuffers& column) {
    column.AddNulls(static_cast<std::int64_t>(rows.count - rows.values()));
    if (rows.selection == nullptr) {
      column.SetValid(rows.first, rows.first + rows.count);
      return;
    }
    std::uint8_t* validity = column.validity();
    rows.ForEachValue([&](std::size_t row) {
      arrow::bit_util::SetBit(validity, static_cast<std::int64_t>(rows.first + row));
    });
  }

  std::optional<Failure> RunRecord(const Op& op, RowSet rows) {
    std::vector<std::uint32_t> kept;
    const Stop stop = SelectPresent(op, rows, kept);
    SetNull(op.null_columns, rows.first, rows.first + rows.count);
    return Earlier(RunAll(op.children, rows), stop, op);
  }

  std::optional<Failure> RunBranches(const Op& op, RowSet rows) {
    std::vector<std::vector<std::uint32_t>> chosen(op.children.size());
    std::vector<std::uint32_t> present;
    const Stop stop = ReadBranches(rows, [&](std::size_t row, std::int64_t branch) {
      if (static_cast<std::uint64_t>(branch) >= chosen.size()) return false;
      chosen[static_cast<std::size_t>(branch)].push_back(static_cast<std::uint32_t>(row));
      if (branch != op.null_branch) present.push_back(static_cast<std::uint32_t>(row));
      return true;
    });
    Select(present, rows);
    MarkValid(rows, columns_.at(op.column));
    SetNull(op.null_columns, rows.first, rows.first + rows.count);
    std::optional<Failure> first;
    for (std::size_t branch = 0; branch < chosen.size(); ++branch) {
      Select(chosen[branch], rows);
      const auto failure = Run(op.children[branch], rows);
      if (failure.has_value() && (!first.has_value() || failure->row < first->row)) {
        first = failure;
      }
    }
    return Earlier(first, stop, op);
  }

  // Finds the items of all rows by moving past them, then reads them as one set of rows.
  std::optional<Failure> RunItems(const Op& op, RowSet rows) {
    std::vector<std::uint32_t> kept;
    const Stop no_branch = SelectPresent(op, rows, kept);
    ColumnBuffers& column = columns_.at(op.column);
    const std::size_t first_item = static_cast<std::size_t>(column.offsets()[rows.first]);
    Items items;
    std::int64_t charged = 0;
    const Stop no_items = FindItems(op, rows, first_item, items, charged);
    std::optional<Failure> inside;
    // After a stop the lengths of later rows are zero, so the items before are still in place.
    LengthsToEnds(rows, column);
    if (const Flaw flaw = GrowInside(op, first_item + items.at.size()); flaw != Flaw::kNone) {
      inside = Failure{rows.values() > 0 ? FirstRow(rows) : 0, op.path, flaw};
    } else {
      RowSet item_rows{.at = items.at.data(),
                       .end = items.end.data(),
                       .first = first_item,
                       .count = items.at.size(),
                       .words_before_end = rows.words_before_end};
      inside = RunAll(op.children, item_rows);
      if (inside.has_value()) inside->row = RowOfItem(rows, column, first_item + inside->row);
    }
    budget_.GiveBack(charged);
    if (inside.has_value()) return inside;
    return Earlier(FailureOf(no_items, op), no_branch, op);
  }

  static std::size_t FirstRow(const RowSet& rows) {
    return rows.selection == nullptr ? 0 : rows.selection[0];
  }

  static std::size_t RowOfItem(const RowSet& rows, const ColumnBuffers& column, std::size_t item) {
    const std::int32_t* ends = column.offsets() + rows.first + 1;
    return static_cast<std::size_t>(
        std::upper_bound(ends, ends + rows.count, static_cast<std::int32_t>(item)) - ends);
  }

  Flaw GrowInside(const Op& op, std::size_t rows) {
    for (const std::size_t inside : columns_.inside(op.column)) {
      if (!columns_.Grow(inside, rows).ok()) return Flaw::kNoMemory;
    }
    return Flaw::kNone;
  }

  Stop FindItems(const Op& op, const RowSet& rows, std::size_t first_item, Items& items,
                 std::int64_t& charged) {
    std::int32_t* lengths = columns_.at(op.column).offsets() + rows.first + 1;
    columns_.at(op.column).Clear(rows.first, rows.first + rows.count);
    items.at.reserve(rows.values());
    items.end.reserve(rows.values());
    for (std::size_t i = 0; i < rows.values(); ++i) {
      const std::size_t row = rows.selection == nullptr ? i : rows.selection[i];
      const std::size_t before = items.at.size();
      const Flaw flaw = FindItemsOfRow(op, rows.at[row], rows.end[row], first_item, items, charged);
      if (flaw != Flaw::kNone) {
        items.at.resize(before);
        items.end.resize(before);
        return {row, flaw};
      }
      lengths[row] = static_cast<std::int32_t>(items.at.size() - before);
    }
    return {};
  }

  // Spec: Apache Avro 1.12, "Arrays", "Maps": blocks of items, until an empty one.
  Flaw FindItemsOfRow(const Op& op, const std::uint8_t*& at, const std::uint8_t* end,
                      std::size_t first_item, Items& items, std::int64_t& charged) {
    const bool keyed = op.code == OpCode::kMap;
    const bool empty_items = !keyed && op.skip.skips_nothing();
    const std::size_t before = items.at.size();
    while (true) {
      std::int64_t count = 0;
      if (const Flaw flaw = ReadLong(at, end, count); flaw != Flaw::kNone) return flaw;
      if (count == 0) return Flaw::kNone;
      const std::uint8_t* block_end = nullptr;
      if (count < 0) {
        // A negative count comes with the block's size in bytes.
        if (count == std::numeric_limits<std::int64_t>::min()) return Flaw::kBlockCount;
        count = -count;
        std::size_t size = 0;
        if (const Flaw flaw = ReadLength(at, end, size); flaw != Flaw::kNone) return flaw;
        block_end = at + size;
      }
      // Items take a byte each at least, or are few: an invented count cannot keep us busy.
      const std::size_t most =
          empty_items ? kMostEmptyItems - (items.at.size() - before) : BytesBetween(at, end);
      if (static_cast<std::uint64_t>(count) > most) return Flaw::kBlockCount;
      const auto items_more = static_cast<std::size_t>(count);
      if (first_item + items.at.size() + items_more > kMostRows) return Flaw::kColumnFull;
      if (!budget_.Take(count * kCursorBytes)) return Flaw::kNoMemory;
      charged += count * kCursorBytes;
      for (std::size_t i = 0; i < items_more; ++i) {
        items.at.push_back(at);
        items.end.push_back(end);
        if (keyed) {
          std::size_t length = 0;
          if (const Flaw flaw = ReadLength(at, end, length); flaw != Flaw::kNone) return flaw;
          at += length;
        }
        if (const Flaw flaw = op.skip.Skip(at, end); flaw != Flaw::kNone) return flaw;
      }
      if (block_end != nullptr && at != block_end) return Flaw::kBlockSize;
    }
  }

  ColumnTree& columns_;
  MemoryBudget& budget_;
};

}  // namespace

std::optional<Failure> Execute(const AvroPlan::Program& program, const RowSet& rows,
                               ColumnTree& columns, MemoryBudget& budget) {
  PlanRunner runner(columns, budget);
  auto failure = runner.RunAll(program.root.children, rows);
  const std::size_t sound = failure.has_value() ? failure->row : rows.count;
  for (std::size_t row = 0; row < sound; ++row) {
    if (rows.at[row] == rows.end[row]) continue;
    failure = Failure{row, {}, Flaw::kBytesLeft};
    break;
  }
  if (failure.has_value()) {
    failure->row += rows.first;
    return failure;
  }
  runner.SetNull(program.root.null_columns, rows.first, rows.first + rows.count);
  return std::nullopt;
}

}  // namespace frazil::decode
