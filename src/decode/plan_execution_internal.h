// SPDX-License-Identifier: Apache-2.0
// Runs a plan over consecutive records: operation by operation, each in one loop over all of them.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "decode/avro_plan_internal.h"
#include "decode/column_buffers_internal.h"
#include "decode/flaw_internal.h"

namespace frazil::decode {

// Where each row's record is read next, and where it ends. By row.
struct Cursors {
  std::vector<const std::uint8_t*> at;
  std::vector<const std::uint8_t*> end;
};

struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Failure {
  std::size_t row = 0;
  // Empty: the record as a whole.
  std::string_view field;
  Flaw flaw = Flaw::kNone;
};

// By index in the target's fields; nullopt for Kafka's own columns.
using Columns = std::vector<std::optional<ColumnBuffers>>;

// Fills the value columns of the rows. The failure is that of the first row that has one; the
// columns are then of no use.
std::optional<Failure> Execute(const AvroPlan::Program& program, RowRange rows, Cursors& cursors,
                               Columns& columns);

}  // namespace frazil::decode
