// SPDX-License-Identifier: Apache-2.0
// Runs a plan over consecutive records: operation by operation, each in one loop over all of them.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/avro_plan_internal.h"
#include "decode/column_tree_internal.h"
#include "decode/flaw_internal.h"
#include "decode/item_reader_internal.h"
#include "decode/row_set_internal.h"

namespace frazil::decode {

// Rows that operations run over at once: their cursors and bytes shall stay in the processor's
// cache.
inline constexpr std::size_t kRowsAtOnce = 2048;

struct Failure {
  // Of the batch.
  std::size_t row = 0;
  // Of the field; empty: the record as a whole.
  std::string_view path;
  Flaw flaw = Flaw::kNone;
};

// What one nested operation needs while it runs. Kept from slice to slice.
struct Scratch {
  // Numbers of rows.
  std::vector<std::uint32_t> rows;
  // The branch that each of them chose.
  std::vector<std::uint32_t> branches;
};

class ScratchPool {
 public:
  class Lease {
   public:
    explicit Lease(ScratchPool& pool) : pool_(pool), scratch_(pool.Take()) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.GiveBack(std::move(scratch_)); }

    Scratch& operator*() const { return *scratch_; }
    Scratch* operator->() const { return scratch_.get(); }

   private:
    ScratchPool& pool_;
    std::unique_ptr<Scratch> scratch_;
  };

 private:
  std::unique_ptr<Scratch> Take();
  void GiveBack(std::unique_ptr<Scratch> scratch);

  std::vector<std::unique_ptr<Scratch>> free_;
};

class PlanExecution {
 public:
  // `columns` must outlive it.
  explicit PlanExecution(ColumnTree& columns) : columns_(columns) {}

  // Fills the value columns of consecutive records (no selection), at most kRowsAtOnce of them. The
  // failure is that of the first row that has one; the columns are then of no use.
  std::optional<Failure> Execute(const AvroPlan::Program& program, const RowSet& rows);

 private:
  ColumnTree& columns_;
  ScratchPool scratch_;
  std::vector<ItemSteps> item_steps_;
};

}  // namespace frazil::decode
