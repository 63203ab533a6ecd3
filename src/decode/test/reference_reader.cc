// SPDX-License-Identifier: Apache-2.0
#include "decode/test/reference_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/encoding.h"
#include "base/uuid.h"

namespace frazil::decode {

namespace {

using avro::LogicalType;
using avro::Schema;
using Cell = Result<std::string>;

Error Wrong(const std::string& what) { return Error(ErrorCode::kUndecodableRecord, what); }

template <typename Integer>
std::string BitsText(Integer bits) {
  Bytes bytes;
  AppendBigEndian(bits, bytes);
  return HexEncode(bytes);
}

Cell DecimalCell(ByteView bytes, int precision) {
  if (bytes.empty()) return Wrong("empty decimal");
  const bool negative = bytes.front() >= 0x80;
  // Bytes of a number, most significant first, without its sign.
  Bytes magnitude(bytes.begin(), bytes.end());
  if (negative) {
    for (auto& byte : magnitude) byte = static_cast<std::uint8_t>(~byte);
    for (auto byte = magnitude.rbegin(); byte != magnitude.rend() && ++*byte == 0;) ++byte;
  }
  // Two's complement's lowest number is its own negative, read without a sign.
  std::string digits;
  while (std::ranges::any_of(magnitude, [](std::uint8_t byte) { return byte != 0; })) {
    int rest = 0;
    for (auto& byte : magnitude) {
      const int number = rest * 256 + byte;
      byte = static_cast<std::uint8_t>(number / 10);
      rest = number % 10;
    }
    digits.insert(digits.begin(), static_cast<char>('0' + rest));
  }
  if (digits.size() > static_cast<std::size_t>(precision)) return Wrong("wide decimal");
  if (digits.empty()) return std::string("0");
  return (negative ? "-" : "") + digits;
}

Cell LongCell(std::int64_t value, LogicalType type) {
  switch (type) {
    case LogicalType::kTimestampMillis:
    case LogicalType::kLocalTimestampMillis:
      if (value > std::numeric_limits<std::int64_t>::max() / 1000 ||
          value < std::numeric_limits<std::int64_t>::min() / 1000) {
        return Wrong("millis");
      }
      return std::to_string(value * 1000);
    case LogicalType::kTimestampNanos:
    case LogicalType::kLocalTimestampNanos:
      return std::to_string(value / 1000 - (value % 1000 < 0 ? 1 : 0));
    default:
      return std::to_string(value);
  }
}

Cell BytesCell(const Schema& schema, ByteView bytes) {
  if (schema.logical_type == LogicalType::kDecimal) return DecimalCell(bytes, schema.precision);
  if (schema.type != avro::Type::kString) return HexEncode(bytes);
  if (schema.logical_type == LogicalType::kUuid) {
    FRAZIL_ASSIGN_OR_RETURN(const Uuid uuid, Uuid::Parse(AsText(bytes)));
    return HexEncode(uuid.bytes);
  }
  if (!IsUtf8(bytes)) return Wrong("not UTF-8");
  return std::string(AsText(bytes));
}

Cell RecordCell(const Schema& schema, avro::BinaryReader& from) {
  std::string text;
  for (const avro::Field& field : schema.fields) {
    FRAZIL_ASSIGN_OR_RETURN(const std::string cell, ReferenceCell(field.schema, from));
    text += (text.empty() ? "" : ", ") + field.name + ": " + cell;
  }
  return "{" + text + "}";
}

Cell UnionCell(const Schema& schema, avro::BinaryReader& from) {
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t branch, from.ReadLong());
  if (branch < 0 || branch >= static_cast<std::int64_t>(schema.children.size())) {
    return Wrong("branch");
  }
  const Schema& chosen = schema.children[static_cast<std::size_t>(branch)];
  FRAZIL_ASSIGN_OR_RETURN(const std::string cell, ReferenceCell(chosen, from));
  if (chosen.type == avro::Type::kNull) return cell;
  std::string text;
  for (const Schema& other : schema.children) {
    if (other.type == avro::Type::kNull) continue;
    text += (text.empty() ? "" : ", ") + avro::Describe(other) + ": ";
    text += &other == &chosen ? cell : "NULL";
  }
  const auto values = std::ranges::count_if(
      schema.children, [](const Schema& child) { return child.type != avro::Type::kNull; });
  return values == 1 ? cell : "{" + text + "}";
}

Cell ItemsCell(const Schema& schema, avro::BinaryReader& from) {
  const bool keyed = schema.type == avro::Type::kMap;
  std::string text;
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(std::int64_t count, from.ReadLong());
    if (count == 0) return keyed ? "<" + text + ">" : "[" + text + "]";
    std::size_t block_end = 0;
    if (count < 0) {
      FRAZIL_ASSIGN_OR_RETURN(const std::int64_t size, from.ReadLong());
      if (size < 0 || count == std::numeric_limits<std::int64_t>::min()) return Wrong("block");
      block_end = from.position() + static_cast<std::size_t>(size);
      count = -count;
    }
    if (static_cast<std::size_t>(count) > from.remaining()) return Wrong("block");
    for (; count > 0; --count) {
      if (!text.empty()) text += ", ";
      if (keyed) {
        FRAZIL_ASSIGN_OR_RETURN(const ByteView key, from.ReadBytes());
        if (!IsUtf8(key)) return Wrong("not UTF-8");
        text += std::string(AsText(key)) + " = ";
      }
      FRAZIL_ASSIGN_OR_RETURN(const std::string cell, ReferenceCell(schema.children[0], from));
      text += cell;
    }
    if (block_end != 0 && from.position() != block_end) return Wrong("block size");
  }
}

std::size_t RandomSize(std::mt19937_64& random) {
  const std::uint64_t kind = random() % 40;
  if (kind == 0) return 8000 + random() % 500;
  if (kind < 4) return random() % 300;
  return random() % 40;
}

std::int64_t RandomLong(std::mt19937_64& random, int bits) {
  const auto wide = static_cast<std::int64_t>(random());
  return wide >> (64 - 1 - random() % static_cast<unsigned>(bits));
}

std::string RandomText(std::mt19937_64& random) {
  static constexpr const char* kCharacters[] = {
      "a", "b", "Z", "0", " ", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  const std::size_t size = RandomSize(random);
  const std::size_t most = random() % 4 == 0 ? 8 : 5;
  std::string text;
  while (text.size() < size) text += kCharacters[random() % most];
  return text;
}

Bytes RandomDecimal(const Schema& schema, std::size_t size, std::mt19937_64& random) {
  Bytes bytes(size, random() % 2 == 0 ? 0x00 : 0xff);
  // Half a byte less than a digit's room in each.
  const std::size_t sound =
      std::min<std::size_t>(size - 1, static_cast<std::size_t>(schema.precision) * 2 / 5);
  for (std::size_t i = size - sound; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(random());
  return bytes;
}

void WriteRandomBytes(const Schema& schema, std::mt19937_64& random, avro::BinaryWriter& to) {
  if (schema.logical_type == LogicalType::kDecimal) {
    return to.WriteBytes(RandomDecimal(schema, 1 + random() % 20, random));
  }
  if (schema.logical_type == LogicalType::kUuid) {
    return to.WriteString("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b" + std::to_string(random() % 10));
  }
  const std::string text = RandomText(random);
  to.WriteBytes(AsBytes(text));
}

void WriteRandomItems(const Schema& schema, std::mt19937_64& random, avro::BinaryWriter& to) {
  for (std::uint64_t blocks = random() % 3; blocks > 0; --blocks) {
    const auto count = static_cast<std::int64_t>(1 + random() % 4);
    avro::BinaryWriter items;
    for (std::int64_t i = 0; i < count; ++i) {
      if (schema.type == avro::Type::kMap) items.WriteString(RandomText(random));
      WriteRandom(schema.children[0], random, items);
    }
    const Bytes bytes = items.Take();
    const bool sized = random() % 3 == 0;
    to.WriteLong(sized ? -count : count);
    if (sized) to.WriteLong(static_cast<std::int64_t>(bytes.size()));
    to.WriteFixed(bytes);
  }
  to.WriteLong(0);
}

}  // namespace

Cell ReferenceCell(const Schema& schema, avro::BinaryReader& from) {
  switch (schema.type) {
    case avro::Type::kNull:
      return std::string("NULL");
    case avro::Type::kBoolean: {
      FRAZIL_ASSIGN_OR_RETURN(const bool value, from.ReadBoolean());
      return std::string(value ? "true" : "false");
    }
    case avro::Type::kInt: {
      FRAZIL_ASSIGN_OR_RETURN(const std::int64_t value, from.ReadInt());
      const bool millis = schema.logical_type == LogicalType::kTimeMillis;
      return std::to_string(millis ? value * 1000 : value);
    }
    case avro::Type::kLong: {
      FRAZIL_ASSIGN_OR_RETURN(const std::int64_t value, from.ReadLong());
      return LongCell(value, schema.logical_type);
    }
    case avro::Type::kFloat: {
      FRAZIL_ASSIGN_OR_RETURN(const float value, from.ReadFloat());
      return BitsText(std::bit_cast<std::uint32_t>(value));
    }
    case avro::Type::kDouble: {
      FRAZIL_ASSIGN_OR_RETURN(const double value, from.ReadDouble());
      return BitsText(std::bit_cast<std::uint64_t>(value));
    }
    case avro::Type::kBytes:
    case avro::Type::kString: {
      FRAZIL_ASSIGN_OR_RETURN(const ByteView bytes, from.ReadBytes());
      return BytesCell(schema, bytes);
    }
    case avro::Type::kFixed: {
      FRAZIL_ASSIGN_OR_RETURN(const ByteView bytes, from.ReadFixed(schema.size));
      return BytesCell(schema, bytes);
    }
    case avro::Type::kEnum: {
      FRAZIL_ASSIGN_OR_RETURN(const std::int32_t index, from.ReadInt());
      if (index < 0 || static_cast<std::size_t>(index) >= schema.symbols.size()) {
        return Wrong("symbol");
      }
      return schema.symbols[static_cast<std::size_t>(index)];
    }
    case avro::Type::kRecord:
      return RecordCell(schema, from);
    case avro::Type::kArray:
    case avro::Type::kMap:
      return ItemsCell(schema, from);
    case avro::Type::kUnion:
      return UnionCell(schema, from);
  }
  return Wrong("type");
}

void WriteRandom(const Schema& schema, std::mt19937_64& random, avro::BinaryWriter& to) {
  switch (schema.type) {
    case avro::Type::kNull:
      return;
    case avro::Type::kBoolean:
      return to.WriteBoolean(random() % 2 == 0);
    case avro::Type::kInt:
      return to.WriteInt(static_cast<std::int32_t>(RandomLong(random, 31)));
    case avro::Type::kLong:
      return to.WriteLong(RandomLong(random, schema.logical_type == LogicalType::kNone ? 63 : 50));
    case avro::Type::kFloat:
      return to.WriteFloat(static_cast<float>(random()));
    case avro::Type::kDouble:
      return to.WriteDouble(static_cast<double>(random()));
    case avro::Type::kBytes:
    case avro::Type::kString:
      return WriteRandomBytes(schema, random, to);
    case avro::Type::kFixed: {
      if (schema.logical_type == LogicalType::kDecimal) {
        return to.WriteFixed(RandomDecimal(schema, schema.size, random));
      }
      Bytes bytes(schema.size);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
      return to.WriteFixed(bytes);
    }
    case avro::Type::kEnum:
      return to.WriteInt(static_cast<std::int32_t>(random() % schema.symbols.size()));
    case avro::Type::kRecord:
      for (const avro::Field& field : schema.fields) WriteRandom(field.schema, random, to);
      return;
    case avro::Type::kArray:
    case avro::Type::kMap:
      return WriteRandomItems(schema, random, to);
    case avro::Type::kUnion: {
      const std::size_t branch = random() % schema.children.size();
      to.WriteInt(static_cast<std::int32_t>(branch));
      return WriteRandom(schema.children[branch], random, to);
    }
  }
}

}  // namespace frazil::decode
