// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/record_batch_writer.h"

#include <algorithm>

#include "base/check.h"
#include "kafka/wire/codec.h"
#include "kafka/wire/crc32c.h"

namespace frazil::kafka::wire {
namespace {

void AppendSigned(std::int64_t value, Bytes& to) { AppendVarint(ZigZagEncode(value), to); }

void AppendNullable(const std::optional<std::string_view>& value, Bytes& to) {
  if (!value.has_value()) {
    AppendSigned(-1, to);
    return;
  }
  AppendSigned(static_cast<std::int64_t>(value->size()), to);
  Append(AsBytes(*value), to);
}

void AppendRecord(const RecordToWrite& record, std::int64_t base_timestamp, Bytes& to) {
  Bytes body;
  body.push_back(0);  // attributes
  AppendSigned(record.timestamp - base_timestamp, body);
  AppendSigned(record.offset_delta, body);
  AppendNullable(record.key, body);
  AppendNullable(record.value, body);
  AppendSigned(static_cast<std::int64_t>(record.headers.size()), body);
  for (const auto& [key, value] : record.headers) {
    AppendNullable(key, body);
    AppendNullable(value, body);
  }
  AppendSigned(static_cast<std::int64_t>(body.size()), to);
  Append(body, to);
}

std::int16_t Attributes(const BatchProperties& properties) {
  return static_cast<std::int16_t>(
      static_cast<int>(properties.codec) | (properties.log_append_time ? 0x08 : 0) |
      (properties.transactional ? 0x10 : 0) | (properties.control ? 0x20 : 0));
}

}  // namespace

void AppendRecordBatch(const BatchProperties& properties, const std::vector<RecordToWrite>& records,
                       Bytes& to) {
  const std::int64_t base_timestamp = records.empty() ? -1 : records.front().timestamp;
  std::int64_t max_timestamp = -1;
  Bytes body;
  for (const RecordToWrite& record : records) {
    AppendRecord(record, base_timestamp, body);
    max_timestamp = std::max(max_timestamp, record.timestamp);
  }
  if (properties.log_append_time) max_timestamp = properties.append_timestamp;
  if (properties.codec != CompressionCodec::kNone) body = Compress(properties.codec, body);
  const std::int32_t last_delta = records.empty() ? 0 : records.back().offset_delta;

  const std::size_t begin = to.size();
  AppendBigEndian(properties.base_offset, to);
  AppendBigEndian(static_cast<std::int32_t>(kRecordBatchHeaderBytes - 12 + body.size()), to);
  AppendBigEndian(properties.leader_epoch, to);
  to.push_back(2);
  AppendBigEndian(std::uint32_t{0}, to);
  AppendBigEndian(Attributes(properties), to);
  AppendBigEndian(properties.last_offset_delta.value_or(last_delta), to);
  AppendBigEndian(base_timestamp, to);
  AppendBigEndian(max_timestamp, to);
  AppendBigEndian(properties.producer_id, to);
  AppendBigEndian(properties.producer_epoch, to);
  AppendBigEndian(properties.base_sequence, to);
  AppendBigEndian(static_cast<std::int32_t>(records.size()), to);
  Append(body, to);
  const ByteView checksummed = ByteView(to).subspan(begin + 21);
  StoreBigEndian(Crc32c(checksummed), to.data() + begin + 17);
}

void AppendTransactionMarker(const BatchProperties& properties, ControlType type,
                             std::int64_t timestamp, Bytes& to) {
  Bytes key;
  AppendBigEndian(std::int16_t{0}, key);
  AppendBigEndian(static_cast<std::int16_t>(type == ControlType::kCommit ? 1 : 0), key);
  // Version and coordinator epoch.
  const Bytes value(6, 0);
  RecordToWrite record;
  record.timestamp = timestamp;
  record.key = AsText(key);
  record.value = AsText(value);
  BatchProperties marker = properties;
  marker.control = true;
  marker.transactional = true;
  AppendRecordBatch(marker, {record}, to);
}

}  // namespace frazil::kafka::wire
