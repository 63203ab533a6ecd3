// SPDX-License-Identifier: Apache-2.0
// The inner loops on the way from a broker's bytes to a Parquet file, each alone and in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace frazil::bench {

struct Step {
  std::string name;
  // What one run works on; leaves: their values without parts.
  std::int64_t records = 0;
  std::int64_t leaves = 0;
  // May be called again and again. Ends the process when the result is not what it must be.
  std::function<void()> run;
};

// Over `flat_records` flat and `nested_records` nested ones, in batches of at most 3,500:
//   crc32c, batch_{none,lz4,zstd}   checksum; checksum, uncompressing and views of the records
//   decode_{flat,nested}            views to Arrow
//   parquet_{flat,nested}           Arrow to a file of one row group
std::vector<Step> MakeSteps(std::int64_t flat_records, std::int64_t nested_records);

}  // namespace frazil::bench
