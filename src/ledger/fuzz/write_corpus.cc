// SPDX-License-Identifier: Apache-2.0
// Writes the seeds of ledger_partitions_fuzz into the folder that is named.
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "ledger/partition_vector.h"

namespace {

using namespace frazil;          // NOLINT(google-build-using-namespace)
using namespace frazil::ledger;  // NOLINT(google-build-using-namespace)

CutPartition Range(std::int32_t generation, std::int32_t partition, std::int32_t epoch,
                   std::int64_t start, std::int64_t end, bool closed) {
  return {.generation = Generation(generation),
          .partition = PartitionId(partition),
          .epoch = LeaderEpoch(epoch),
          .start = Offset(start),
          .end = Offset(end),
          .closed = closed};
}

std::vector<CutPartition> Many() {
  std::vector<CutPartition> partitions;
  for (std::int32_t i = 0; i < 20; ++i) {
    partitions.push_back(Range(0, i, i % 3, 1000 * i, 1000 * i + 7, false));
  }
  return partitions;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  constexpr auto kInt = std::numeric_limits<std::int32_t>::max();
  constexpr auto kLong = std::numeric_limits<std::int64_t>::max();
  const std::pair<const char*, std::vector<CutPartition>> seeds[] = {
      {"empty", {}},
      {"one", {Range(0, 0, -1, 0, 0, false)}},
      {"generations",
       {Range(0, 0, 4, 5, 9, true), Range(0, 3, -1, 0, 0, true), Range(1, 0, 5, 0, 300, false),
        Range(2, 1, 5, 0, 300, false)}},
      {"highest", {Range(kInt, kInt, kInt, kLong, kLong, true)}},
      {"many", Many()},
  };
  for (const auto& [name, partitions] : seeds) {
    const Bytes bytes = EncodePartitions(partitions);
    std::ofstream file(std::string(argv[1]) + "/" + name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) return 1;
  }
  return 0;
}
