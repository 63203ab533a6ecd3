// SPDX-License-Identifier: Apache-2.0
// The fields of one record of message format 2 (Kafka documentation, "Record"), up to its headers:
//
//   length varint, attributes i8, timestamp delta varlong, offset delta varint, key length varint,
//   key, value length varint, value, header count varint
//
// Twice: one reader looks for the end at each byte, the other one once for each part, and takes
// what most records are made of. Part of record_batch.h.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "base/record_block.h"
#include "kafka/wire/codec.h"

namespace frazil::kafka::wire {

// Reads from [at, end). After a failure every further read does nothing.
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

struct RecordFields {
  // Of what comes after the length.
  std::size_t size = 0;
  std::int64_t timestamp_delta = 0;
  std::int32_t offset_delta = 0;
  NullableView key;
  NullableView value;
  std::int32_t header_count = 0;
  // [headers, end): what is left of the record.
  const std::uint8_t* headers = nullptr;
  const std::uint8_t* end = nullptr;
};

// Reads the record at the front of [at, end). What is wrong; nullptr when all is right.
inline const char* ReadRecordFields(const std::uint8_t* at, const std::uint8_t* end,
                                    RecordFields& fields) {
  RecordCursor outer(at, end);
  const std::int32_t size = outer.Varint();
  if (outer.failed() || size < 0 || static_cast<std::size_t>(size) > outer.remaining()) {
    return "a record is longer than what is left";
  }
  fields.size = static_cast<std::size_t>(size);
  fields.end = outer.at() + fields.size;
  RecordCursor cursor(outer.at(), fields.end);
  cursor.Skip(1);  // attributes, of which none is in use
  fields.timestamp_delta = cursor.Varlong();
  fields.offset_delta = cursor.Varint();
  fields.key = cursor.Bytes();
  fields.value = cursor.Bytes();
  fields.header_count = cursor.Varint();
  if (cursor.failed()) return "a field runs past the record's end";
  fields.headers = cursor.at();
  return nullptr;
}

// What ReadRecordFieldsFast reads at most beyond a place that it knows to be within the bytes.
inline constexpr std::size_t kRecordSlack = 24;

// The bits of a varint of one or two bytes, read without a branch, because lengths on both sides of
// that border take turns; `longer` is set when it has more, and the bits then mean nothing.
// Requires: 2 readable bytes.
inline std::uint32_t TakeLengthBits(const std::uint8_t*& at, std::uint32_t& longer) {
  const std::uint32_t first = at[0];
  const std::uint32_t second = at[1];
  const std::uint32_t two = first >> 7;
  longer |= two & (second >> 7);
  at += 1 + two;
  return (first & 0x7f) | ((second & (0U - two)) << 7);
}

// A number of one to three bytes, of which neighbours take the same number. Sets `longer` as above.
// Requires: 3 readable bytes.
inline std::int32_t TakeDelta(const std::uint8_t*& at, std::uint32_t& longer) {
  std::uint32_t bits = *at++;
  if (bits >= 0x80) {
    bits = (bits & 0x7f) | static_cast<std::uint32_t>(*at++) << 7;
    if (bits >= 0x4000) {
      bits = (bits & 0x3fff) | static_cast<std::uint32_t>(*at++) << 14;
      longer |= bits >> 21;
    }
  }
  return ZigZagDecode(bits);
}

// Moves `at` past the bytes that begin there with their length. False when they are damaged, or not
// all before `end`. Requires: 2 readable bytes.
inline bool TakeBytesFast(const std::uint8_t*& at, const std::uint8_t* end, NullableView& bytes,
                          std::uint32_t& longer) {
  const std::uint32_t bits = TakeLengthBits(at, longer);
  if ((bits & 1) != 0) return bits == 1;  // -1: null, as `bytes` are
  const auto size = static_cast<std::int32_t>(bits >> 1);
  if (size > end - at) return false;
  bytes.data = at;
  bytes.size = size;
  at += size;
  return true;
}

// Reads what ReadRecordFields reads, and gives the same; or returns false, when the record is
// damaged, has numbers of uncommon length, or lies too near to the end.
// Requires: fresh `fields`.
inline bool ReadRecordFieldsFast(const std::uint8_t* at, const std::uint8_t* end,
                                 RecordFields& fields) {
  // Enough for all up to the key.
  const std::ptrdiff_t left = end - at - static_cast<std::ptrdiff_t>(kRecordSlack);
  if (left < 0) return false;
  std::uint32_t longer = 0;
  const std::uint32_t size = TakeLengthBits(at, longer);
  if ((size & 1) != 0 || static_cast<std::ptrdiff_t>(size >> 1) > left - 2) return false;
  // Behind it as many bytes are readable as there is slack, so every number that begins within the
  // record may be read, whatever its length turns out to be.
  const std::uint8_t* const record_end = at + (size >> 1);
  at += 1;  // attributes, of which none is in use
  fields.timestamp_delta = TakeDelta(at, longer);
  fields.offset_delta = TakeDelta(at, longer);
  if (!TakeBytesFast(at, record_end, fields.key, longer)) return false;
  if (!TakeBytesFast(at, record_end, fields.value, longer)) return false;
  const std::uint32_t headers = *at++;
  longer |= headers >> 7;
  if (longer != 0 || at > record_end) return false;
  fields.size = size >> 1;
  fields.header_count = ZigZagDecode(headers);
  fields.headers = at;
  fields.end = record_end;
  return true;
}

}  // namespace frazil::kafka::wire
