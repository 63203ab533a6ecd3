// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/record_batch.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "kafka/wire/crc32c.h"
#include "kafka/wire/record_fields_internal.h"

namespace frazil::kafka::wire {
namespace {

// From the base offset to the end of the length field, which does not count these.
constexpr std::size_t kLengthOverhead = 12;
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kAttributesAt = 21;
// length, attributes, timestamp delta, offset delta, key size, value size, header count
constexpr std::size_t kSmallestRecord = 7;
constexpr std::size_t kSmallestHeader = 2;

Error Corrupt(const std::string& what) {
  return Error(ErrorCode::kCorruptData, "A Kafka record batch breaks its format: " + what + ".");
}

std::string AtOffset(std::int64_t offset) { return ", at offset " + std::to_string(offset); }

// Out of the way of what is right.
[[gnu::cold, gnu::noinline]] Error CorruptRecord(const RecordBatch& batch, std::int32_t index,
                                                 const char* what) {
  return Corrupt(std::string(what) + ", in record " + std::to_string(index) + " of " +
                 std::to_string(batch.record_count) + " of the batch at offset " +
                 std::to_string(batch.base_offset));
}

RecordBatch ParseHeader(const std::uint8_t* at, std::size_t size) {
  RecordBatch batch;
  batch.base_offset = LoadBigEndian<std::int64_t>(at);
  batch.leader_epoch = LoadBigEndian<std::int32_t>(at + 12);
  batch.checksum = LoadBigEndian<std::uint32_t>(at + 17);
  batch.attributes = LoadBigEndian<std::int16_t>(at + kAttributesAt);
  batch.last_offset_delta = LoadBigEndian<std::int32_t>(at + 23);
  batch.base_timestamp = LoadBigEndian<std::int64_t>(at + 27);
  batch.max_timestamp = LoadBigEndian<std::int64_t>(at + 35);
  batch.producer_id = LoadBigEndian<std::int64_t>(at + 43);
  batch.producer_epoch = LoadBigEndian<std::int16_t>(at + 51);
  batch.base_sequence = LoadBigEndian<std::int32_t>(at + 53);
  batch.record_count = LoadBigEndian<std::int32_t>(at + 57);
  batch.checksummed = {at + kAttributesAt, size - kAttributesAt};
  batch.records = {at + kRecordBatchHeaderBytes, size - kRecordBatchHeaderBytes};
  return batch;
}

// Reads records of one batch, one by one, into a set.
class RecordAppender {
 public:
  RecordAppender(const RecordBatch& batch, std::int64_t begin, std::int64_t end,
                 std::size_t max_record_bytes, RecordBlock& into)
      : batch_(batch), begin_(begin), end_(end), max_record_bytes_(max_record_bytes), into_(into) {}

  // Takes records from `position` on, until the batch ends or `most` were appended.
  Status TakeUpTo(std::size_t most, RecordPosition& position) {
    const std::uint8_t* at = position.rest.data();
    const std::uint8_t* const end = at + position.rest.size();
    const std::size_t full = appended_ + most;
    delta_ = position.delta;
    while (position.index < batch_.record_count && appended_ < full) {
      const std::int32_t index = position.index++;
      RecordFields fields;
      const char* broken = nullptr;
      if (ReadRecordFieldsFast(at, end, fields)) [[likely]] {
        broken = Append(fields);
        at = fields.end;
      } else {
        broken = TakeSlowly(at, end);
      }
      if (broken != nullptr) [[unlikely]] {
        return broken == kTooLarge ? TooLarge() : CorruptRecord(batch_, index, broken);
      }
    }
    position.delta = delta_;
    position.rest = {at, end};
    return {};
  }

 private:
  static constexpr const char* kTooLarge = "a record is above the limit";

  [[gnu::cold, gnu::noinline]] Error TooLarge() const {
    return Error(ErrorCode::kUnsupported,
                 "A Kafka record is larger than the limit of " + std::to_string(max_record_bytes_) +
                     " bytes: " + std::to_string(too_large_bytes_) + " bytes, at offset " +
                     std::to_string(batch_.base_offset + delta_) + ".");
  }

  // Of its own, so that the fields of the fast way stay in registers.
  [[gnu::noinline]] const char* TakeSlowly(const std::uint8_t*& at, const std::uint8_t* end) {
    RecordFields fields;
    const char* const broken = ReadRecordFields(at, end, fields);
    if (broken != nullptr) return broken;
    at = fields.end;
    return Append(fields);
  }

  // What is wrong; nullptr when all is right.
  [[gnu::always_inline]] const char* Append(const RecordFields& fields) {
    if (fields.offset_delta <= delta_ || fields.offset_delta > batch_.last_offset_delta) {
      return "offsets do not rise within the batch's range";
    }
    delta_ = fields.offset_delta;
    const std::int64_t offset = batch_.base_offset + fields.offset_delta;
    const bool wanted = offset >= begin_ && offset < end_;
    if (wanted && fields.size > max_record_bytes_) {
      too_large_bytes_ = fields.size;
      return kTooLarge;
    }
    const std::size_t header_begin = into_.headers.size();
    if (fields.header_count != 0) {
      if (!AppendHeaders(fields.headers, fields.end, fields.header_count, wanted)) {
        return "its headers break their format";
      }
    } else if (fields.headers != fields.end) {
      return "bytes are left after the record's last field";
    }
    if (!wanted) return nullptr;
    // Number by number: a copy of a whole record would wait for its parts to be written.
    RecordView& record = into_.records.emplace_back();
    record.offset = offset;
    record.timestamp = Timestamp(fields.timestamp_delta);
    record.key.data = fields.key.data;
    record.key.size = fields.key.size;
    record.value.data = fields.value.data;
    record.value.size = fields.value.size;
    record.header_begin = static_cast<std::uint32_t>(header_begin);
    record.header_count = static_cast<std::uint32_t>(fields.header_count);
    into_.payload_bytes += fields.key.view().size() + fields.value.view().size();
    ++appended_;
    return nullptr;
  }

  // False unless `count` headers fill [at, end).
  [[gnu::noinline]] bool AppendHeaders(const std::uint8_t* at, const std::uint8_t* end,
                                       std::int32_t count, bool wanted) {
    RecordCursor cursor(at, end);
    if (count < 0 || static_cast<std::size_t>(count) > cursor.remaining() / kSmallestHeader) {
      return false;
    }
    for (std::int32_t i = 0; i < count; ++i) {
      const NullableView key = cursor.Bytes();
      const NullableView value = cursor.Bytes();
      if (cursor.failed() || key.is_null()) return false;
      if (!wanted) continue;
      into_.headers.push_back({key.view(), value});
      into_.payload_bytes += key.view().size() + value.view().size();
    }
    return cursor.remaining() == 0;
  }

  std::int64_t Timestamp(std::int64_t delta) const {
    if (batch_.is_log_append_time()) return batch_.max_timestamp;
    // Wraps like Kafka's own clients do.
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(batch_.base_timestamp) +
                                     static_cast<std::uint64_t>(delta));
  }

  const RecordBatch& batch_;
  std::int64_t begin_;
  std::int64_t end_;
  std::size_t max_record_bytes_;
  RecordBlock& into_;
  std::int32_t delta_ = -1;
  std::size_t appended_ = 0;
  std::size_t too_large_bytes_ = 0;
};

}  // namespace

Result<std::optional<RecordBatch>> TakeRecordBatch(ByteView& rest,
                                                   const RecordBatchLimits& limits) {
  if (rest.size() <= kMagicAt) return std::optional<RecordBatch>();
  const auto base_offset = LoadBigEndian<std::int64_t>(rest.data());
  const auto length = LoadBigEndian<std::int32_t>(rest.data() + 8);
  const std::uint8_t magic = rest[kMagicAt];
  const auto where = [base_offset] { return AtOffset(base_offset); };
  if (magic < 2) {
    return Error(ErrorCode::kUnsupported,
                 "The topic holds records in a message format from before Kafka 0.11, which Frazil "
                 "does not read; message format " +
                     std::to_string(magic) + where() + ".");
  }
  if (magic > 2) return Corrupt("message format " + std::to_string(magic) + where());
  if (length < static_cast<std::int32_t>(kRecordBatchHeaderBytes - kLengthOverhead)) {
    return Corrupt("its length is below that of its header" + where());
  }
  const std::size_t size = kLengthOverhead + static_cast<std::size_t>(length);
  if (size > limits.max_batch_bytes) {
    return Error(ErrorCode::kResourceExhausted,
                 "A Kafka record batch is larger than the limit of " +
                     std::to_string(limits.max_batch_bytes) + " bytes: " + std::to_string(size) +
                     " bytes" + where() + ".");
  }
  if (size > rest.size()) return std::optional<RecordBatch>();
  const RecordBatch batch = ParseHeader(rest.data(), size);
  if (batch.base_offset < 0 || batch.last_offset_delta < 0 ||
      batch.base_offset >= std::numeric_limits<std::int64_t>::max() - batch.last_offset_delta) {
    return Corrupt("its offsets are out of bounds" + where());
  }
  if (batch.record_count < 0 ||
      std::int64_t{batch.record_count} > std::int64_t{batch.last_offset_delta} + 1) {
    return Corrupt("its number of records does not fit its range of offsets" + where());
  }
  rest = rest.subspan(size);
  return std::optional<RecordBatch>(batch);
}

Status VerifyChecksum(const RecordBatch& batch) {
  if (Crc32c(batch.checksummed) == batch.checksum) return {};
  return Corrupt(
      "its checksum does not fit its bytes; they were damaged in the broker's log or on the way, "
      "so "
      "look at that broker's disks and log, then load again, at offset " +
      std::to_string(batch.base_offset));
}

Result<BatchRecords> BatchRecords::Open(const RecordBatch& batch, const RecordBatchLimits& limits,
                                        Decompressor& decompressor) {
  BatchRecords records(batch, limits);
  if (batch.codec() == CompressionCodec::kNone) {
    records.bytes_ = batch.records;
  } else if (batch.record_count > 0) {
    auto buffer =
        decompressor.Decompress(batch.codec(), batch.records, limits.max_uncompressed_bytes);
    if (!buffer.ok()) {
      return Error(buffer.error().code(), buffer.error().message() + " It is the batch at offset " +
                                              std::to_string(batch.base_offset) + ".");
    }
    records.bytes_ = buffer->bytes;
    records.owner_ = std::move(buffer->owner);
  }
  if (static_cast<std::size_t>(batch.record_count) > records.bytes_.size() / kSmallestRecord) {
    return Corrupt("it counts more records than fit into it" + AtOffset(batch.base_offset));
  }
  records.next_.rest = records.bytes_;
  return records;
}

Result<bool> BatchRecords::Append(std::int64_t begin, std::int64_t end, std::size_t most,
                                  RecordBlock& into) {
  const std::size_t records_before = into.records.size();
  const std::size_t headers_before = into.headers.size();
  const std::size_t payload_before = into.payload_bytes;
  const std::size_t wanted =
      std::min(most, static_cast<std::size_t>(batch_.record_count - next_.index));
  if (records_before + wanted > into.records.capacity()) {
    into.records.reserve(std::max(records_before + wanted, into.records.capacity() * 2));
  }
  RecordAppender appender(batch_, begin, end, limits_->max_record_bytes, into);
  Status status = appender.TakeUpTo(most, next_);
  const bool more = next_.index < batch_.record_count;
  if (status.ok() && !more && !next_.rest.empty()) {
    status = Corrupt("bytes are left after its last record, at offset " +
                     std::to_string(batch_.base_offset));
  }
  if (!status.ok()) {
    into.records.resize(records_before);
    into.headers.resize(headers_before);
    into.payload_bytes = payload_before;
    return status.error();
  }
  if (into.records.size() == records_before) return more;
  if (owner_ != nullptr && (into.owners.empty() || into.owners.back() != owner_)) {
    into.owners.push_back(owner_);
  }
  if (!std::exchange(marked_, true)) into.batches.push_back(batch_.mark());
  return more;
}

Status AppendRecords(const RecordBatch& batch, const RecordBatchLimits& limits, std::int64_t begin,
                     std::int64_t end, RecordBlock& into) {
  Decompressor decompressor;
  FRAZIL_ASSIGN_OR_RETURN(BatchRecords records, BatchRecords::Open(batch, limits, decompressor));
  const auto appended = records.Append(begin, end, std::numeric_limits<std::size_t>::max(), into);
  return appended.ok() ? Status() : appended.error();
}

Result<std::optional<ControlType>> ReadControlType(const RecordBatch& batch,
                                                   const RecordBatchLimits& limits) {
  RecordBlock set;
  FRAZIL_RETURN_IF_ERROR(
      AppendRecords(batch, limits, 0, std::numeric_limits<std::int64_t>::max(), set));
  if (set.records.empty()) return std::optional<ControlType>();
  // The key holds the version of its own format (i16) and the type (i16); later versions may only
  // add to it.
  const ByteView key = set.records.front().key.view();
  if (key.size() < 4 || LoadBigEndian<std::int16_t>(key.data()) < 0) {
    return Corrupt("a control record has no type, at offset " + std::to_string(batch.base_offset));
  }
  switch (LoadBigEndian<std::int16_t>(key.data() + 2)) {
    case 0:
      return std::optional<ControlType>(ControlType::kAbort);
    case 1:
      return std::optional<ControlType>(ControlType::kCommit);
    default:
      return std::optional<ControlType>(ControlType::kOther);
  }
}

}  // namespace frazil::kafka::wire
