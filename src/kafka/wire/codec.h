// SPDX-License-Identifier: Apache-2.0
// The primitive types of Kafka's protocol (kafka.apache.org/protocol, "Protocol Primitive Types"),
// as two classes with the same members: a message's fields are listed once, and the list is run
// with a Reader or a Writer.
//
// `flexible` chooses the encoding of KIP-482: compact strings and arrays, and tagged fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/uuid.h"

namespace frazil::kafka::wire {

// What a Reader accepts. Nothing is allocated from a length before its bytes were seen.
struct ReadLimits {
  std::uint32_t max_array_elements = 1U << 20;
  std::uint32_t max_string_bytes = 32'767;
};

// Unsigned LEB128 of at most 5 (32 bits) or 10 (64 bits) bytes from the front of [at, end).
// nullptr when the bytes end too early or hold a larger number, otherwise the first byte after it.
const std::uint8_t* ReadVarint32(const std::uint8_t* at, const std::uint8_t* end,
                                 std::uint32_t& value);
const std::uint8_t* ReadVarint64(const std::uint8_t* at, const std::uint8_t* end,
                                 std::uint64_t& value);
void AppendVarint(std::uint64_t value, Bytes& to);

inline std::int32_t ZigZagDecode(std::uint32_t value) {
  return static_cast<std::int32_t>((value >> 1) ^ (~(value & 1) + 1));
}
inline std::int64_t ZigZagDecode(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}
inline std::uint64_t ZigZagEncode(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

// Reads from the front of a view that must outlive it. After the first failure every further read
// does nothing; Finish tells.
class Reader {
 public:
  Reader(ByteView bytes, bool flexible, ReadLimits limits = {})
      : at_(bytes.data()),
        end_(bytes.data() + bytes.size()),
        flexible_(flexible),
        limits_(limits) {}

  template <typename Number>
  void Integer(Number& value) {
    if (Take(sizeof(Number)) == nullptr) return;
    value = LoadBigEndian<Number>(at_ - sizeof(Number));
  }
  void Boolean(bool& value);
  void Id(Uuid& value);
  void String(std::string& value);
  void NullableString(std::optional<std::string>& value);
  // Records: a view of the input; nullopt for null.
  void Records(std::optional<ByteView>& value);
  // `element(item)` reads one element.
  template <typename Item, typename ReadElement>
  void Array(std::vector<Item>& items, ReadElement element) {
    const std::optional<std::uint32_t> count = ArrayCount();
    ReadElements(count.value_or(0), items, element);
  }
  // A null array is told apart from an empty one.
  template <typename Item, typename ReadElement>
  void NullableArray(std::optional<std::vector<Item>>& items, ReadElement element) {
    const std::optional<std::uint32_t> count = ArrayCount();
    std::vector<Item> read;
    ReadElements(count.value_or(0), read, element);
    if (count.has_value()) {
      items = std::move(read);
    } else {
      items.reset();
    }
  }
  // The tagged fields at the end of each structure of a flexible version; all are skipped.
  void Tags();

  bool failed() const { return failed_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  // Errors: kafka_protocol when a read failed, or bytes are left over. `what` names the message.
  Status Finish(std::string_view what) const;
  // Leaves what follows unread, as brokers do where clients are known to write more.
  void IgnoreRest() { at_ = end_; }

 private:
  // The first of `count` bytes, which are then behind `at_`; nullptr when there are fewer.
  const std::uint8_t* Take(std::size_t count);
  std::uint32_t Varint();
  // nullopt: null, or failed.
  std::optional<std::uint32_t> ArrayCount();
  std::optional<std::uint32_t> StringSize();

  template <typename Item, typename ReadElement>
  void ReadElements(std::uint32_t count, std::vector<Item>& items, ReadElement& element) {
    items.clear();
    for (std::uint32_t i = 0; i < count && !failed_; ++i) {
      items.emplace_back();
      element(items.back());
    }
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool flexible_;
  bool failed_ = false;
  ReadLimits limits_;
};

// Appends to `to`, which must outlive it.
// Requires of all members: strings of at most 32767 bytes, arrays and records below 2^31.
class Writer {
 public:
  Writer(Bytes& to, bool flexible) : to_(to), flexible_(flexible) {}

  template <typename Number>
  void Integer(Number value) {
    AppendBigEndian(value, to_);
  }
  void Boolean(bool value) { to_.push_back(value ? 1 : 0); }
  void Id(const Uuid& value) { Append(value.bytes, to_); }
  void String(std::string_view value);
  void NullableString(const std::optional<std::string>& value);
  void Records(const std::optional<ByteView>& value);
  template <typename Item, typename WriteElement>
  void Array(const std::vector<Item>& items, WriteElement element) {
    ArrayCount(items.size());
    for (const Item& item : items) element(item);
  }
  template <typename Item, typename WriteElement>
  void NullableArray(const std::optional<std::vector<Item>>& items, WriteElement element) {
    if (items.has_value()) {
      Array(*items, element);
    } else {
      NullCount();
    }
  }
  // No tagged fields.
  void Tags() {
    if (flexible_) to_.push_back(0);
  }

 private:
  void ArrayCount(std::size_t count);
  void NullCount();

  Bytes& to_;
  bool flexible_;
};

}  // namespace frazil::kafka::wire
