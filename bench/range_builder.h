// SPDX-License-Identifier: Apache-2.0
// Blocks of records to columns and files, as a load makes them, with one schema and no ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "bench/sample_records.h"
#include "decode/block_decoder.h"

namespace frazil::bench {

enum class Until {
  // Nothing is done with the records.
  kRecords,
  // Decoded, a row group at a time.
  kArrow,
  // And encoded without keeping the bytes, as a load does beyond what it keeps for readers.
  kCounted,
  // And encoded into files whose size is known, as when a reader asks for them.
  kParquet,
};

// "records", "arrow", "counted", "parquet". Ends the process for any other text.
Until UntilNamed(const std::string& name);

struct BuiltRange {
  std::int64_t records = 0;
  std::size_t payload_bytes = 0;
  std::int64_t rows = 0;
  std::int64_t row_groups = 0;
  std::int64_t files = 0;
  std::size_t file_bytes = 0;
};

// Ends the process, with the reason, for records that cannot be decoded. Threads: one.
class RangeBuilder {
 public:
  RangeBuilder(Until until, Shape shape, WriterSchemaId schema_id, decode::BlockOrigin origin);
  ~RangeBuilder();

  // Blocks are never divided here: a row group may differ from a table's by a block.
  void Add(decode::RecordBlock block);
  // Called once, as the last call.
  BuiltRange Finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace frazil::bench
