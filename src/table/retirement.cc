// SPDX-License-Identifier: Apache-2.0
#include "table/retirement.h"

#include <algorithm>
#include <map>
#include <utility>

namespace frazil::table {

Retirement Retire(const std::vector<ledger::CutPartition>& vector, const ChunkSet& chunks,
                  const std::set<ChunkId>& stale) {
  std::map<std::pair<Generation, PartitionId>, const ledger::CutPartition*> windows;
  for (const ledger::CutPartition& entry : vector) {
    windows[{entry.generation, entry.partition}] = &entry;
  }
  Retirement retirement;
  for (const auto& [id, chunk] : chunks) {
    const ledger::CutPartition& window = *windows.at({chunk.generation, chunk.partition});
    ChunkRange left{.generation = chunk.generation,
                    .partition = chunk.partition,
                    .start = std::max(chunk.start, window.start),
                    .end = std::min(chunk.end, window.end)};
    const bool whole = left.start == chunk.start && left.end == chunk.end;
    if (whole && !stale.contains(id)) continue;
    retirement.removed.push_back(id);
    if (left.start < left.end) retirement.anew.push_back(left);
  }
  return retirement;
}

}  // namespace frazil::table
