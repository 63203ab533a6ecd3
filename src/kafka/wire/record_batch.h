// SPDX-License-Identifier: Apache-2.0
// Record batches of message format 2 (Kafka documentation, "Record Batch"), as they stand in logs
// and in Fetch responses. Older message formats are recognised and refused.
//
//   base offset i64, length i32, leader epoch i32, magic i8 (2), CRC-32C u32 of all that follows,
//   attributes i16, last offset delta i32, base timestamp i64, max timestamp i64, producer id i64,
//   producer epoch i16, base sequence i32, record count i32, records (compressed as a whole)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/record_block.h"
#include "base/result.h"
#include "kafka/wire/compression.h"

namespace frazil::kafka::wire {

struct RecordBatchLimits {
  // Of one batch, header included.
  std::size_t max_batch_bytes = 256U << 20;
  // Of one batch's records after decompression.
  std::size_t max_uncompressed_bytes = 256U << 20;
  // Of one record that is handed over: key, value, headers, and what separates them.
  std::size_t max_record_bytes = 64U << 20;
};

inline constexpr std::size_t kRecordBatchHeaderBytes = 61;

// One batch: its header's fields, and views of its bytes.
struct RecordBatch {
  std::int64_t base_offset = 0;
  std::int32_t leader_epoch = -1;
  std::uint32_t checksum = 0;
  std::int16_t attributes = 0;
  std::int32_t last_offset_delta = 0;
  std::int64_t base_timestamp = -1;
  std::int64_t max_timestamp = -1;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t base_sequence = -1;
  // 0 for a batch that compaction has emptied.
  std::int32_t record_count = 0;
  // What the checksum covers.
  ByteView checksummed;
  // The records, compressed as the attributes say.
  ByteView records;

  std::int64_t last_offset() const { return base_offset + last_offset_delta; }
  std::int64_t next_offset() const { return last_offset() + 1; }
  BatchMark mark() const { return {base_offset, last_offset(), record_count, checksum}; }
  // A value above kZstd is possible.
  CompressionCodec codec() const { return static_cast<CompressionCodec>(attributes & 0x07); }
  bool is_log_append_time() const { return (attributes & 0x08) != 0; }
  bool is_transactional() const { return (attributes & 0x10) != 0; }
  bool is_control() const { return (attributes & 0x20) != 0; }
};

// Takes the next batch from the front of `rest`. nullopt when `rest` is empty, or holds only the
// beginning of a batch, as the end of a Fetch response may; `rest` then stays as it is. Offsets
// are in bounds: 0 <= base_offset <= last_offset() < 2^63 - 1. The checksum has not been looked at.
// Errors: corrupt_data; unsupported for message formats 0 and 1; resource_exhausted for a batch
// above the limit.
Result<std::optional<RecordBatch>> TakeRecordBatch(ByteView& rest, const RecordBatchLimits& limits);

// Errors: corrupt_data when the batch's CRC-32C is not that of its bytes.
Status VerifyChecksum(const RecordBatch& batch);

// How far a batch's records were read.
struct RecordPosition {
  // The number of the next record, counted from 0.
  std::int32_t index = 0;
  // The offset delta of the one before it.
  std::int32_t delta = -1;
  ByteView rest;
};

// The records of one batch: uncompressed once, then taken piece by piece. Threads: one.
class BatchRecords {
 public:
  // Views the batch's bytes, whose owner is the caller's to keep. `limits` must outlive it,
  // `decompressor` only the call.
  // Errors: corrupt_data; resource_exhausted for records that uncompress to more than the limit.
  static Result<BatchRecords> Open(const RecordBatch& batch, const RecordBatchLimits& limits,
                                   Decompressor& decompressor);

  // Bytes that were uncompressed: 0 for a batch without compression.
  std::size_t uncompressed_bytes() const { return owner_ == nullptr ? 0 : bytes_.size(); }

  // Appends the next records with offsets in [begin, end) to `into`, at most `most` of them; the
  // buffer that they point into joins into.owners, but for a batch without compression, whose owner
  // is the caller's to add. The batch's mark joins into.batches together with the first record
  // that is appended of it. Returns whether more may follow. All records are checked, those that
  // are not wanted too: exactly record_count of them, which fill the batch, with rising offsets in
  // [base_offset, last_offset()].
  // On an error `into` is as it was before.
  // Errors: corrupt_data; unsupported for a wanted record above the limit, naming its offset.
  Result<bool> Append(std::int64_t begin, std::int64_t end, std::size_t most, RecordBlock& into);

 private:
  BatchRecords(const RecordBatch& batch, const RecordBatchLimits& limits)
      : batch_(batch), limits_(&limits) {}

  RecordBatch batch_;
  const RecordBatchLimits* limits_;
  ByteView bytes_;
  // Of bytes that were uncompressed.
  std::shared_ptr<const void> owner_;
  RecordPosition next_;
  bool marked_ = false;
};

// Appends all of the batch's records with offsets in [begin, end), as BatchRecords does.
// On an error `into` holds nothing of this batch.
// Errors: those of BatchRecords.
Status AppendRecords(const RecordBatch& batch, const RecordBatchLimits& limits, std::int64_t begin,
                     std::int64_t end, RecordBlock& into);

enum class ControlType : std::uint8_t { kAbort, kCommit, kOther };

// What a control batch marks; nullopt for one that compaction has emptied.
// Requires: batch.is_control().
// Errors: those of AppendRecords.
Result<std::optional<ControlType>> ReadControlType(const RecordBatch& batch,
                                                   const RecordBatchLimits& limits);

}  // namespace frazil::kafka::wire
