// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <arrow/util/bit_util.h>

#include "decode/item_reader_internal.h"
#include "decode/leaf_execution_internal.h"
#include "decode/plan_execution_internal.h"
#include "decode/row_set_internal.h"
#include "decode/varint_internal.h"

namespace frazil::decode {

namespace {

class PlanRunner {
 public:
  PlanRunner(ColumnTree& columns, ScratchPool& scratch, std::vector<ItemSteps>& item_steps)
      : columns_(columns), scratch_(scratch), item_steps_(item_steps) {}

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
      const std::size_t row = RowOf(rows, i);
      const Flaw flaw = op.skip.Skip(rows.at[row], rows.end[row]);
      if (flaw != Flaw::kNone) return {row, flaw};
    }
    return {};
  }

  static std::size_t RowOf(const RowSet& rows, std::size_t i) {
    return rows.selection == nullptr ? i : rows.selection[i];
  }

  // Leaves those rows that are not null, and marks them valid. `kept` holds the selection.
  Stop SelectPresent(const Op& op, RowSet& rows, std::vector<std::uint32_t>& kept) {
    Stop stop;
    if (op.in_union) {
      std::size_t count = 0;
      stop = FindPresent(op, rows, kept, count);
      const bool all = rows.selection == nullptr && count == rows.count;
      if (!all) Select(kept.data(), count, rows);
    }
    MarkValid(rows, columns_.at(op.column));
    return stop;
  }

  static Stop FindPresent(const Op& op, const RowSet& set, std::vector<std::uint32_t>& kept,
                          std::size_t& count) {
    const RowSet rows = set;
    const std::int64_t null_branch = op.null_branch;
    const std::int64_t value_branch = op.value_branch;
    if (kept.size() < rows.values()) kept.resize(rows.values());
    for (std::size_t i = 0; i < rows.values(); ++i) {
      const std::size_t row = RowOf(rows, i);
      const std::uint8_t* at = rows.at[row];
      std::int64_t branch = 0;
      const Flaw flaw = ReadLong(at, rows.end[row], branch);
      if (flaw != Flaw::kNone) return {row, flaw};
      const bool is_value = branch == value_branch;
      if (!is_value && (branch != null_branch || branch < 0)) return {row, Flaw::kUnionBranch};
      kept[count] = static_cast<std::uint32_t>(row);
      count += is_value ? 1 : 0;
      rows.at[row] = at;
    }
    return {};
  }

  static void Select(const std::uint32_t* kept, std::size_t count, RowSet& rows) {
    static constexpr std::uint32_t kNothing = 0;
    rows.selection = count == 0 ? &kNothing : kept;
    rows.selected = count;
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
    const ScratchPool::Lease kept(scratch_);
    const Stop stop = SelectPresent(op, rows, kept->rows);
    SetNull(op.null_columns, rows.first, rows.first + rows.count);
    return Earlier(RunAll(op.children, rows), stop, op);
  }

  // Reads the branch numbers of a union of several types; `counts[b]` becomes the count of the rows
  // that chose b.
  static Stop ReadBranches(const RowSet& set, std::vector<std::uint32_t>& branches,
                           std::vector<std::size_t>& counts, std::size_t& read) {
    const RowSet rows = set;
    for (; read < rows.values(); ++read) {
      const std::size_t row = RowOf(rows, read);
      std::int64_t branch = 0;
      const Flaw flaw = ReadLong(rows.at[row], rows.end[row], branch);
      if (flaw != Flaw::kNone) return {row, flaw};
      if (static_cast<std::uint64_t>(branch) >= counts.size()) return {row, Flaw::kUnionBranch};
      branches[read] = static_cast<std::uint32_t>(branch);
      ++counts[static_cast<std::size_t>(branch)];
    }
    return {};
  }

  std::optional<Failure> RunBranches(const Op& op, RowSet rows) {
    const ScratchPool::Lease chosen(scratch_);
    const ScratchPool::Lease present(scratch_);
    chosen->rows.resize(std::max(chosen->rows.size(), rows.values()));
    chosen->branches.resize(std::max(chosen->branches.size(), rows.values()));
    present->rows.resize(std::max(present->rows.size(), rows.values()));
    std::vector<std::size_t> counts(op.children.size());
    std::size_t read = 0;
    const Stop stop = ReadBranches(rows, chosen->branches, counts, read);
    // The rows in the order of their branches.
    std::vector<std::size_t> next(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::size_t{0});
    std::size_t not_null = 0;
    for (std::size_t i = 0; i < read; ++i) {
      const auto row = static_cast<std::uint32_t>(RowOf(rows, i));
      const std::uint32_t branch = chosen->branches[i];
      chosen->rows[next[branch]++] = row;
      present->rows[not_null] = row;
      not_null += static_cast<int>(branch) == op.null_branch ? 0 : 1;
    }
    Select(present->rows.data(), not_null, rows);
    MarkValid(rows, columns_.at(op.column));
    SetNull(op.null_columns, rows.first, rows.first + rows.count);
    std::optional<Failure> first;
    for (std::size_t branch = 0; branch < counts.size(); ++branch) {
      Select(chosen->rows.data() + next[branch] - counts[branch], counts[branch], rows);
      const auto failure = Run(op.children[branch], rows);
      if (failure.has_value() && (!first.has_value() || failure->row < first->row)) {
        first = failure;
      }
    }
    return Earlier(first, stop, op);
  }

  std::optional<Failure> RunItems(const Op& op, RowSet rows) {
    const ScratchPool::Lease kept(scratch_);
    const Stop no_branch = SelectPresent(op, rows, kept->rows);
    ColumnBuffers& column = columns_.at(op.column);
    column.Clear(rows.first, rows.first + rows.count);
    ItemContext context{.columns = columns_,
                        .steps = item_steps_,
                        .words_before_end = rows.words_before_end,
                        .path = {}};
    std::int32_t* lengths = column.offsets() + rows.first + 1;
    auto next = static_cast<std::size_t>(lengths[-1]);
    for (std::size_t i = 0; i < rows.values(); ++i) {
      const std::size_t row = RowOf(rows, i);
      std::size_t count = 0;
      const std::uint8_t* at =
          ReadItems(context, op, rows.at[row], rows.end[row], rows.first + row, next, count);
      if (at == nullptr) return Failure{row, context.path, context.flaw};
      rows.at[row] = at;
      lengths[row] = static_cast<std::int32_t>(count);
      next += count;
    }
    LengthsToEnds(rows, column);
    return FailureOf(no_branch, op);
  }

  ColumnTree& columns_;
  ScratchPool& scratch_;
  std::vector<ItemSteps>& item_steps_;
};

}  // namespace

std::unique_ptr<Scratch> ScratchPool::Take() {
  if (free_.empty()) return std::make_unique<Scratch>();
  auto scratch = std::move(free_.back());
  free_.pop_back();
  return scratch;
}

void ScratchPool::GiveBack(std::unique_ptr<Scratch> scratch) {
  free_.push_back(std::move(scratch));
}

std::optional<Failure> PlanExecution::Execute(const AvroPlan::Program& program,
                                              const RowSet& rows) {
  PlanRunner runner(columns_, scratch_, item_steps_);
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
