// SPDX-License-Identifier: Apache-2.0
// How the bytes of one value that is not nested become what its column keeps: for each operation a
// reader with
//   Value                     what is read; Value() is stored for NULL
//   Quick(word, value, size)  from the value's first eight bytes, or what there is of them and
//   zeros:
//                             false when they do not tell, or may be at fault. The caller checks
//                             that `size` bytes are there
//   Read(at, end, value)      any value; what is wrong with it
//   Store(row, value)         into a row of the column
//   Of(op, column)            the reader
// Pure.
#pragma once

#include <bit>
#include <cstring>
#include <limits>

#include "base/bytes.h"
#include "base/uuid.h"
#include "decode/avro_plan_internal.h"
#include "decode/column_buffers_internal.h"
#include "decode/decimal_internal.h"
#include "decode/varint_internal.h"

namespace frazil::decode {

inline void SetBitOf(std::uint8_t* bits, std::size_t row, bool bit) {
  bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | (unsigned{bit} << (row % 8)));
}

struct BooleanReader {
  using Value = bool;
  std::uint8_t* bits;

  static BooleanReader Of(const Op&, ColumnBuffers& column) { return {column.bytes_of_values()}; }
  static bool Quick(std::uint64_t word, Value& value, std::size_t& size) {
    value = (word & 1) != 0;
    size = 1;
    return (word & 0xff) <= 1;
  }
  static Flaw Read(const std::uint8_t*& at, const std::uint8_t* end, Value& value) {
    if (at == end) return Flaw::kEndsEarly;
    const std::uint8_t byte = *at++;
    value = byte == 1;
    return byte > 1 ? Flaw::kBoolean : Flaw::kNone;
  }
  void Store(std::size_t row, Value value) const { SetBitOf(bits, row, value); }
};

// A record without columns: its being there is all that there is to read.
struct PresentReader {
  using Value = bool;
  std::uint8_t* bits;

  static PresentReader Of(const Op&, ColumnBuffers& column) { return {column.bytes_of_values()}; }
  static bool Quick(std::uint64_t, Value& value, std::size_t& size) {
    value = true;
    size = 0;
    return true;
  }
  static Flaw Read(const std::uint8_t*&, const std::uint8_t*, Value& value) {
    value = true;
    return Flaw::kNone;
  }
  void Store(std::size_t row, Value value) const { SetBitOf(bits, row, value); }
};

template <typename Stored, Stored kFactor>
struct IntReader {
  using Value = std::int32_t;
  Stored* values;

  static IntReader Of(const Op&, ColumnBuffers& column) { return {column.values<Stored>()}; }
  static bool Quick(std::uint64_t word, Value& value, std::size_t& size) {
    const ShortVarint varint = ShortVarintOfWord(word);
    size = varint.size;
    value = static_cast<Value>(UndoZigZag(varint.bits));
    if (varint.sound) [[likely]]
      return true;
    std::uint64_t bits = 0;
    size = VarintOfWord(word, bits);
    const std::int64_t wide = UndoZigZag(bits);
    value = static_cast<Value>(wide);
    return size != 0 && value == wide;
  }
  static Flaw Read(const std::uint8_t*& at, const std::uint8_t* end, Value& value) {
    return ReadInt(at, end, value);
  }
  void Store(std::size_t row, Value value) const {
    values[row] = static_cast<Stored>(value) * kFactor;
  }
};

inline Flaw AsItIs(std::int64_t&) { return Flaw::kNone; }

inline Flaw MillisToMicros(std::int64_t& value) {
  return __builtin_mul_overflow(value, std::int64_t{1000}, &value) ? Flaw::kMillisRange
                                                                   : Flaw::kNone;
}

// Rounds towards the past, so that order is kept on both sides of 1970.
inline Flaw NanosToMicros(std::int64_t& value) {
  const std::int64_t rest = value % 1000;
  value = value / 1000 - (rest < 0 ? 1 : 0);
  return Flaw::kNone;
}

template <Flaw (*kConvert)(std::int64_t&)>
struct LongReader {
  using Value = std::int64_t;
  std::int64_t* values;

  static LongReader Of(const Op&, ColumnBuffers& column) { return {column.values<Value>()}; }
  static bool Quick(std::uint64_t word, Value& value, std::size_t& size) {
    std::uint64_t bits = 0;
    size = VarintOfWord(word, bits);
    value = UndoZigZag(bits);
    return size != 0 && kConvert(value) == Flaw::kNone;
  }
  static Flaw Read(const std::uint8_t*& at, const std::uint8_t* end, Value& value) {
    const Flaw flaw = ReadLong(at, end, value);
    return flaw == Flaw::kNone ? kConvert(value) : flaw;
  }
  void Store(std::size_t row, Value value) const { values[row] = value; }
};

template <typename Written, typename Stored>
struct FloatingReader {
  static_assert(std::endian::native == std::endian::little);
  using Value = Written;
  Stored* values;

  static FloatingReader Of(const Op&, ColumnBuffers& column) { return {column.values<Stored>()}; }
  static bool Quick(std::uint64_t word, Value& value, std::size_t& size) {
    std::memcpy(&value, &word, sizeof(value));
    size = sizeof(value);
    return true;
  }
  static Flaw Read(const std::uint8_t*& at, const std::uint8_t* end, Value& value) {
    if (BytesBetween(at, end) < sizeof(value)) return Flaw::kEndsEarly;
    std::memcpy(&value, at, sizeof(value));
    at += sizeof(value);
    return Flaw::kNone;
  }
  void Store(std::size_t row, Value value) const { values[row] = static_cast<Stored>(value); }
};

// The value is where it stands.
struct FixedReader {
  using Value = const std::uint8_t*;
  std::uint8_t* values;
  std::size_t width;

  static FixedReader Of(const Op& op, ColumnBuffers& column) {
    return {column.bytes_of_values(), op.size};
  }
  static bool Quick(std::uint64_t, Value&, std::size_t&) { return false; }
  Flaw Read(const std::uint8_t*& at, const std::uint8_t* end, Value& value) const {
    if (BytesBetween(at, end) < width) return Flaw::kEndsEarly;
    value = at;
    at += width;
    return Flaw::kNone;
  }
  void Store(std::size_t row, Value value) const {
    if (width == 0) return;
    if (value == nullptr) {
      std::memset(values + row * width, 0, width);
    } else {
      std::memcpy(values + row * width, value, width);
    }
  }
};

// A number of up to eight bytes that stands first in a big-endian word. False when it has more
// digits than the precision whose limit that is.
inline bool ShortDecimal(std::uint64_t big_endian, std::size_t size, std::int64_t limit,
                         Decimal& value) {
  const std::int64_t number = static_cast<std::int64_t>(big_endian) >> ((64 - 8 * size) % 64);
  value = number;
  return (number < limit) & (number > -limit);
}

struct DecimalBytesReader {
  using Value = Decimal;
  Decimal* values;
  int precision;
  // What the quick way takes is below it.
  std::int64_t limit;

  static DecimalBytesReader Of(const Op& op, ColumnBuffers& column) {
    return {column.values<Decimal>(), op.precision, op.short_limit};
  }
  bool Quick(std::uint64_t word, Value& value, std::size_t& size) const {
    // An even byte is a length in zig-zag.
    const std::size_t twice = word & 0xff;
    const std::size_t length = twice / 2;
    size = 1 + length;
    const bool sound = (twice % 2 == 0) & (length - 1 < 7);
    return sound & ShortDecimal(__builtin_bswap64(word >> 8), length, limit, value);
  }
  Flaw Read(const std::uint8_t*& at, const std::uint8_t* end, Value& value) const {
    std::size_t length = 0;
    if (const Flaw flaw = ReadLength(at, end, length); flaw != Flaw::kNone) return flaw;
    const ByteView bytes(at, length);
    at += length;
    return ReadDecimal(bytes, precision, value);
  }
  void Store(std::size_t row, Value value) const { values[row] = value; }
};

struct DecimalFixedReader {
  using Value = Decimal;
  Decimal* values;
  int precision;
  std::int64_t limit;
  std::size_t width;

  static DecimalFixedReader Of(const Op& op, ColumnBuffers& column) {
    return {column.values<Decimal>(), op.precision, op.short_limit, op.size};
  }
  bool Quick(std::uint64_t word, Value& value, std::size_t& size) const {
    size = width;
    return (width - 1 < 8) & ShortDecimal(__builtin_bswap64(word), width, limit, value);
  }
  Flaw Read(const std::uint8_t*& at, const std::uint8_t* end, Value& value) const {
    if (BytesBetween(at, end) < width) return Flaw::kEndsEarly;
    const ByteView bytes(at, width);
    at += width;
    return ReadDecimal(bytes, precision, value);
  }
  void Store(std::size_t row, Value value) const { values[row] = value; }
};

struct UuidTextReader {
  using Value = Uuid;
  std::uint8_t* values;

  static UuidTextReader Of(const Op&, ColumnBuffers& column) { return {column.bytes_of_values()}; }
  static bool Quick(std::uint64_t, Value&, std::size_t&) { return false; }
  static Flaw Read(const std::uint8_t*& at, const std::uint8_t* end, Value& value) {
    std::size_t length = 0;
    if (const Flaw flaw = ReadLength(at, end, length); flaw != Flaw::kNone) return flaw;
    const auto uuid = Uuid::Parse(AsText({at, length}));
    at += length;
    if (!uuid.ok()) return Flaw::kUuidText;
    value = *uuid;
    return Flaw::kNone;
  }
  void Store(std::size_t row, const Value& value) const {
    std::memcpy(values + row * value.bytes.size(), value.bytes.data(), value.bytes.size());
  }
};

// Moves past the bytes, and leaves their length in the column's offsets.
struct LengthReader {
  using Value = std::uint32_t;
  std::int32_t* ends;
  // Of all lengths.
  std::int64_t total = 0;

  static LengthReader Of(const Op&, ColumnBuffers& column) { return {.ends = column.offsets()}; }
  static bool Quick(std::uint64_t word, Value& value, std::size_t& size) {
    const ShortVarint varint = ShortVarintOfWord(word);
    value = static_cast<Value>(varint.bits / 2);
    size = varint.size + value;
    return varint.sound & (word % 2 == 0);
  }
  static Flaw Read(const std::uint8_t*& at, const std::uint8_t* end, Value& value) {
    std::size_t length = 0;
    if (const Flaw flaw = ReadLength(at, end, length); flaw != Flaw::kNone) return flaw;
    at += length;
    value = static_cast<Value>(length);
    return length <= std::numeric_limits<std::int32_t>::max() ? Flaw::kNone : Flaw::kColumnFull;
  }
  void Store(std::size_t row, Value value) {
    ends[row + 1] = static_cast<std::int32_t>(value);
    total += value;
  }
};

// Leaves the place of the symbol among the plan's in the column's offsets; the first place is kept
// for NULL.
struct EnumReader {
  using Value = std::uint32_t;
  std::int32_t* ends;
  const EnumSymbol* symbols;
  std::uint32_t count;
  std::int64_t total = 0;

  static EnumReader Of(const Op& op, ColumnBuffers& column) {
    return {.ends = column.offsets(),
            .symbols = op.symbols.data(),
            .count = static_cast<std::uint32_t>(op.symbols.size())};
  }
  bool Quick(std::uint64_t word, Value& value, std::size_t& size) const {
    const ShortVarint varint = ShortVarintOfWord(word);
    size = varint.size;
    value = static_cast<Value>(varint.bits / 2) + 1;
    return varint.sound & (word % 2 == 0) & (value < count);
  }
  Flaw Read(const std::uint8_t*& at, const std::uint8_t* end, Value& value) const {
    std::int32_t index = 0;
    if (const Flaw flaw = ReadInt(at, end, index); flaw != Flaw::kNone) return flaw;
    if (index < 0 || static_cast<std::uint32_t>(index) >= count - 1) return Flaw::kEnumSymbol;
    value = static_cast<Value>(index) + 1;
    return Flaw::kNone;
  }
  void Store(std::size_t row, Value value) {
    ends[row + 1] = static_cast<std::int32_t>(value);
    total += static_cast<std::int64_t>(symbols[value].size);
  }
};

}  // namespace frazil::decode
