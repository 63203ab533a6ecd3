// SPDX-License-Identifier: Apache-2.0
// Which chunks leave a table because their records did, and what is listed anew instead (R8, R9,
// R1). No I/O.
#pragma once

#include <set>
#include <vector>

#include "base/ids.h"
#include "ledger/ledger.h"
#include "table/current_table.h"
#include "table/object_names.h"

namespace frazil::table {

struct Retirement {
  // Ascending.
  std::vector<ChunkId> removed;
  // What is left of removed chunks, one range each, in the order of `removed`; chunks of which
  // nothing is left have none.
  std::vector<ChunkRange> anew;
};

// `vector`: what the next cut shows; chunks are cut to it. `stale`: chunks whose records have
// changed under them.
Retirement Retire(const std::vector<ledger::CutPartition>& vector, const ChunkSet& chunks,
                  const std::set<ChunkId>& stale);

}  // namespace frazil::table
