// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/record_block.h"
#include "bench/steps_internal.h"
#include "kafka/wire/crc32c.h"
#include "kafka/wire/record_batch.h"
#include "kafka/wire/record_batch_writer.h"

namespace frazil::bench {
namespace {

namespace wire = kafka::wire;

constexpr std::int64_t kBatchRecords = 3'500;

Bytes MakeBatches(const Values& values, wire::CompressionCodec codec) {
  Bytes log;
  const auto count = static_cast<std::int64_t>(values.ends.size());
  for (std::int64_t base = 0; base < count; base += kBatchRecords) {
    std::vector<wire::RecordToWrite> records;
    for (std::int64_t number = base; number < std::min(base + kBatchRecords, count); ++number) {
      records.push_back({.offset_delta = static_cast<std::int32_t>(number - base),
                         .timestamp = kFirstTimestamp + number / 10,
                         .key = std::nullopt,
                         .value = AsText(values.at(static_cast<std::size_t>(number))),
                         .headers = {}});
    }
    wire::BatchProperties properties;
    properties.base_offset = base;
    properties.leader_epoch = 0;
    properties.codec = codec;
    wire::AppendRecordBatch(properties, records, log);
  }
  return log;
}

// All batches of a log: how many records they hold.
std::size_t ReadLog(ByteView log, wire::Decompressor& decompressor) {
  static constexpr wire::RecordBatchLimits kLimits;
  RecordBlock block;
  while (const auto batch = Value(wire::TakeRecordBatch(log, kLimits))) {
    FRAZIL_CHECK(wire::VerifyChecksum(*batch).ok());
    auto records = Value(wire::BatchRecords::Open(*batch, kLimits, decompressor));
    const auto more = Value(
        records.Append(batch->base_offset, batch->next_offset(), std::size_t{1} << 20, block));
    FRAZIL_CHECK(!more);
  }
  return block.records.size();
}

}  // namespace

void AddWireSteps(const Values& values, std::vector<Step>& steps) {
  const auto count = static_cast<std::int64_t>(values.ends.size());
  const auto plain =
      std::make_shared<const Bytes>(MakeBatches(values, wire::CompressionCodec::kNone));
  const std::uint32_t checksum = wire::Crc32cPortable(*plain);
  steps.push_back({"crc32c", count, values.leaves,
                   [plain, checksum] { FRAZIL_CHECK(wire::Crc32c(*plain) == checksum); }});
  const auto decompressor = std::make_shared<wire::Decompressor>();
  const auto add = [&](std::string name, const std::shared_ptr<const Bytes>& log) {
    steps.push_back({std::move(name), count, values.leaves, [log, decompressor, count] {
                       FRAZIL_CHECK(ReadLog(*log, *decompressor) ==
                                    static_cast<std::size_t>(count));
                     }});
  };
  add("batch_none", plain);
  add("batch_lz4",
      std::make_shared<const Bytes>(MakeBatches(values, wire::CompressionCodec::kLz4)));
  add("batch_zstd",
      std::make_shared<const Bytes>(MakeBatches(values, wire::CompressionCodec::kZstd)));
}

}  // namespace frazil::bench
