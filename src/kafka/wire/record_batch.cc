// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/record_batch.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "kafka/wire/codec.h"
#include "kafka/wire/crc32c.h"

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

Error CorruptRecord(const RecordBatch& batch, std::int32_t index, const char* what) {
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

// Reads the fields of one record. After a failure every further read does nothing.
class RecordCursor {
 public:
  RecordCursor(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  std::int32_t Varint() {
    // Most lengths and deltas take one byte.
    if (at_ != nullptr && at_ != end_ && *at_ < 0x80) {
      return ZigZagDecode(static_cast<std::uint32_t>(*at_++));
    }
    std::uint32_t value = 0;
    if (at_ != nullptr) at_ = ReadVarint32(at_, end_, value);
    return ZigZagDecode(value);
  }
  std::int64_t Varlong() {
    std::uint64_t value = 0;
    if (at_ != nullptr) at_ = ReadVarint64(at_, end_, value);
    return ZigZagDecode(value);
  }
  void Skip(std::size_t count) {
    if (at_ == nullptr) return;
    at_ = count <= remaining() ? at_ + count : nullptr;
  }
  NullableView Bytes() {
    const std::int32_t size = Varint();
    const std::uint8_t* const from = at_;
    if (size < -1) at_ = nullptr;
    if (size > 0) Skip(static_cast<std::size_t>(size));
    if (at_ == nullptr || size < 0) return {};
    return {from, size};
  }

  bool failed() const { return at_ == nullptr; }
  const std::uint8_t* at() const { return at_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  // nullptr after a failure.
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

// Reads records of one batch, one by one, into a set.
class RecordAppender {
 public:
  RecordAppender(const RecordBatch& batch, std::int64_t begin, std::int64_t end,
                 std::size_t max_record_bytes, std::int32_t& last_delta, RecordBlock& into)
      : batch_(batch),
        begin_(begin),
        end_(end),
        max_record_bytes_(max_record_bytes),
        last_delta_(last_delta),
        into_(into) {}

  // Takes record number `index` from the front of `rest`.
  Status Take(std::int32_t index, ByteView& rest) {
    RecordCursor cursor(rest.data(), rest.data() + rest.size());
    const std::int32_t size = cursor.Varint();
    if (cursor.failed() || size < 0 || static_cast<std::size_t>(size) > cursor.remaining()) {
      return CorruptRecord(batch_, index, "a record is longer than what is left");
    }
    const auto bytes = static_cast<std::size_t>(size);
    const char* const broken = Append({cursor.at(), bytes});
    if (broken == kTooLarge) return TooLarge(bytes);
    if (broken != nullptr) return CorruptRecord(batch_, index, broken);
    rest = {cursor.at() + bytes, cursor.remaining() - bytes};
    return {};
  }

 private:
  static constexpr const char* kTooLarge = "a record is above the limit";

  Error TooLarge(std::size_t bytes) const {
    return Error(ErrorCode::kUnsupported,
                 "A Kafka record is larger than the limit of " + std::to_string(max_record_bytes_) +
                     " bytes: " + std::to_string(bytes) + " bytes, at offset " +
                     std::to_string(batch_.base_offset + last_delta_) + ".");
  }

  // What is wrong; nullptr when all is right.
  const char* Append(ByteView bytes) {
    RecordCursor cursor(bytes.data(), bytes.data() + bytes.size());
    cursor.Skip(1);  // attributes, of which none is in use
    const std::int64_t timestamp_delta = cursor.Varlong();
    const std::int32_t offset_delta = cursor.Varint();
    RecordView record;
    record.key = cursor.Bytes();
    record.value = cursor.Bytes();
    const std::int32_t header_count = cursor.Varint();
    if (cursor.failed()) return "a field runs past the record's end";
    if (offset_delta <= last_delta_ || offset_delta > batch_.last_offset_delta) {
      return "offsets do not rise within the batch's range";
    }
    last_delta_ = offset_delta;
    record.offset = batch_.base_offset + offset_delta;
    record.timestamp = Timestamp(timestamp_delta);
    const bool wanted = record.offset >= begin_ && record.offset < end_;
    if (wanted && bytes.size() > max_record_bytes_) return kTooLarge;
    record.header_begin = static_cast<std::uint32_t>(into_.headers.size());
    record.header_count = static_cast<std::uint32_t>(header_count);
    std::size_t payload = record.key.view().size() + record.value.view().size();
    if (header_count != 0 && !AppendHeaders(cursor, header_count, wanted, payload)) {
      return "its headers break their format";
    }
    if (cursor.remaining() != 0) return "bytes are left after the record's last field";
    if (!wanted) return nullptr;
    into_.records.push_back(record);
    into_.payload_bytes += payload;
    return nullptr;
  }

  bool AppendHeaders(RecordCursor& cursor, std::int32_t count, bool wanted, std::size_t& payload) {
    if (count < 0 || static_cast<std::size_t>(count) > cursor.remaining() / kSmallestHeader) {
      return false;
    }
    for (std::int32_t i = 0; i < count; ++i) {
      const NullableView key = cursor.Bytes();
      const NullableView value = cursor.Bytes();
      if (cursor.failed() || key.is_null()) return false;
      if (!wanted) continue;
      into_.headers.push_back({key.view(), value});
      payload += key.view().size() + value.view().size();
    }
    return true;
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
  std::int32_t& last_delta_;
  RecordBlock& into_;
};

}  // namespace

Result<std::optional<RecordBatch>> TakeRecordBatch(ByteView& rest,
                                                   const RecordBatchLimits& limits) {
  if (rest.size() <= kMagicAt) return std::optional<RecordBatch>();
  const auto base_offset = LoadBigEndian<std::int64_t>(rest.data());
  const auto length = LoadBigEndian<std::int32_t>(rest.data() + 8);
  const std::uint8_t magic = rest[kMagicAt];
  const std::string where = ", at offset " + std::to_string(base_offset);
  if (magic < 2) {
    return Error(ErrorCode::kUnsupported,
                 "The topic holds records in a message format from before Kafka 0.11, which Frazil "
                 "does not read; message format " +
                     std::to_string(magic) + where + ".");
  }
  if (magic > 2) return Corrupt("message format " + std::to_string(magic) + where);
  if (length < static_cast<std::int32_t>(kRecordBatchHeaderBytes - kLengthOverhead)) {
    return Corrupt("its length is below that of its header" + where);
  }
  const std::size_t size = kLengthOverhead + static_cast<std::size_t>(length);
  if (size > limits.max_batch_bytes) {
    return Error(ErrorCode::kResourceExhausted,
                 "A Kafka record batch is larger than the limit of " +
                     std::to_string(limits.max_batch_bytes) + " bytes: " + std::to_string(size) +
                     " bytes" + where + ".");
  }
  if (size > rest.size()) return std::optional<RecordBatch>();
  const RecordBatch batch = ParseHeader(rest.data(), size);
  if (batch.base_offset < 0 || batch.last_offset_delta < 0 ||
      batch.base_offset >= std::numeric_limits<std::int64_t>::max() - batch.last_offset_delta) {
    return Corrupt("its offsets are out of bounds" + where);
  }
  if (batch.record_count < 0 ||
      std::int64_t{batch.record_count} > std::int64_t{batch.last_offset_delta} + 1) {
    return Corrupt("its number of records does not fit its range of offsets" + where);
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
  const std::string where = ", at offset " + std::to_string(batch.base_offset);
  if (batch.codec() == CompressionCodec::kNone) {
    records.bytes_ = batch.records;
  } else if (batch.record_count > 0) {
    auto buffer =
        decompressor.Decompress(batch.codec(), batch.records, limits.max_uncompressed_bytes);
    if (!buffer.ok()) {
      return Error(buffer.error().code(),
                   buffer.error().message() + " It is the batch" + where.substr(1) + ".");
    }
    records.bytes_ = buffer->bytes;
    records.owner_ = std::move(buffer->owner);
  }
  if (static_cast<std::size_t>(batch.record_count) > records.bytes_.size() / kSmallestRecord) {
    return Corrupt("it counts more records than fit into it" + where);
  }
  records.rest_ = records.bytes_;
  return records;
}

Result<bool> BatchRecords::Append(std::int64_t begin, std::int64_t end, std::size_t most,
                                  RecordBlock& into) {
  const std::size_t records_before = into.records.size();
  const std::size_t headers_before = into.headers.size();
  const std::size_t payload_before = into.payload_bytes;
  const std::size_t wanted = std::min(most, static_cast<std::size_t>(batch_.record_count - index_));
  if (records_before + wanted > into.records.capacity()) {
    into.records.reserve(std::max(records_before + wanted, into.records.capacity() * 2));
  }
  RecordAppender appender(batch_, begin, end, limits_->max_record_bytes, last_delta_, into);
  Status status;
  while (status.ok() && index_ < batch_.record_count &&
         into.records.size() - records_before < most) {
    status = appender.Take(index_++, rest_);
  }
  const bool more = index_ < batch_.record_count;
  if (status.ok() && !more && !rest_.empty()) {
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
  if (owner_ != nullptr) into.owners.push_back(owner_);
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
