// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/codec.h"

namespace frazil::kafka::wire {

const std::uint8_t* ReadVarint32(const std::uint8_t* at, const std::uint8_t* end,
                                 std::uint32_t& value) {
  std::uint32_t result = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (at == end) return nullptr;
    const std::uint8_t byte = *at++;
    if (shift == 28 && byte > 0x0f) return nullptr;
    result |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      value = result;
      return at;
    }
  }
  return nullptr;
}

const std::uint8_t* ReadVarint64(const std::uint8_t* at, const std::uint8_t* end,
                                 std::uint64_t& value) {
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at == end) return nullptr;
    const std::uint8_t byte = *at++;
    if (shift == 63 && byte > 0x01) return nullptr;
    result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      value = result;
      return at;
    }
  }
  return nullptr;
}

void AppendVarint(std::uint64_t value, Bytes& to) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<std::uint8_t>(value | 0x80));
  to.push_back(static_cast<std::uint8_t>(value));
}

const std::uint8_t* Reader::Take(std::size_t count) {
  if (failed_ || count > remaining()) {
    failed_ = true;
    return nullptr;
  }
  const std::uint8_t* const from = at_;
  at_ += count;
  return from;
}

std::uint32_t Reader::Varint() {
  std::uint32_t value = 0;
  const std::uint8_t* const after = failed_ ? nullptr : ReadVarint32(at_, end_, value);
  if (after == nullptr) {
    failed_ = true;
    return 0;
  }
  at_ = after;
  return value;
}

void Reader::Boolean(bool& value) {
  std::uint8_t byte = 0;
  Integer(byte);
  value = byte != 0;
}

void Reader::Id(Uuid& value) {
  const std::uint8_t* const from = Take(value.bytes.size());
  if (from != nullptr) std::memcpy(value.bytes.data(), from, value.bytes.size());
}

std::optional<std::uint32_t> Reader::StringSize() {
  std::int64_t size = 0;
  if (flexible_) {
    size = std::int64_t{Varint()} - 1;
  } else {
    std::int16_t plain = 0;
    Integer(plain);
    size = plain;
  }
  if (failed_ || size == -1) return std::nullopt;
  if (size < -1 || size > limits_.max_string_bytes) {
    failed_ = true;
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(size);
}

void Reader::String(std::string& value) {
  std::optional<std::string> text;
  NullableString(text);
  if (!text.has_value()) {
    failed_ = true;
    return;
  }
  value = std::move(*text);
}

void Reader::NullableString(std::optional<std::string>& value) {
  value.reset();
  const std::optional<std::uint32_t> size = StringSize();
  if (!size.has_value()) return;
  const std::uint8_t* const from = Take(*size);
  if (from != nullptr) value.emplace(reinterpret_cast<const char*>(from), *size);
}

void Reader::Records(std::optional<ByteView>& value) {
  value.reset();
  std::int64_t size = 0;
  if (flexible_) {
    size = std::int64_t{Varint()} - 1;
  } else {
    std::int32_t plain = 0;
    Integer(plain);
    size = plain;
  }
  if (failed_ || size == -1) return;
  if (size < -1) {
    failed_ = true;
    return;
  }
  const std::uint8_t* const from = Take(static_cast<std::size_t>(size));
  if (from != nullptr) value.emplace(from, static_cast<std::size_t>(size));
}

std::optional<std::uint32_t> Reader::ArrayCount() {
  std::int64_t count = 0;
  if (flexible_) {
    count = std::int64_t{Varint()} - 1;
  } else {
    std::int32_t plain = 0;
    Integer(plain);
    count = plain;
  }
  if (failed_ || count == -1) return std::nullopt;
  // Each element has at least one byte.
  if (count < -1 || count > limits_.max_array_elements ||
      static_cast<std::uint64_t>(count) > remaining()) {
    failed_ = true;
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(count);
}

void Reader::Tags() {
  if (!flexible_) return;
  const std::uint32_t count = Varint();
  for (std::uint32_t i = 0; i < count && !failed_; ++i) {
    Varint();
    Take(Varint());
  }
}

Status Reader::Finish(std::string_view what) const {
  if (failed_) {
    return Error(ErrorCode::kKafkaProtocol,
                 "A Kafka message ends too early or breaks its format: " + std::string(what) + ".");
  }
  if (remaining() != 0) {
    return Error(ErrorCode::kKafkaProtocol,
                 "A Kafka message is longer than its format says: " + std::string(what) + ", " +
                     std::to_string(remaining()) + " bytes more.");
  }
  return {};
}

void Writer::String(std::string_view value) {
  if (flexible_) {
    AppendVarint(value.size() + 1, to_);
  } else {
    AppendBigEndian(static_cast<std::int16_t>(value.size()), to_);
  }
  Append(AsBytes(value), to_);
}

void Writer::NullableString(const std::optional<std::string>& value) {
  if (value.has_value()) {
    String(*value);
  } else if (flexible_) {
    to_.push_back(0);
  } else {
    AppendBigEndian(std::int16_t{-1}, to_);
  }
}

void Writer::Records(const std::optional<ByteView>& value) {
  if (!value.has_value()) {
    NullCount();
    return;
  }
  ArrayCount(value->size());
  Append(*value, to_);
}

void Writer::ArrayCount(std::size_t count) {
  if (flexible_) {
    AppendVarint(count + 1, to_);
  } else {
    AppendBigEndian(static_cast<std::int32_t>(count), to_);
  }
}

void Writer::NullCount() {
  if (flexible_) {
    to_.push_back(0);
  } else {
    AppendBigEndian(std::int32_t{-1}, to_);
  }
}

}  // namespace frazil::kafka::wire
