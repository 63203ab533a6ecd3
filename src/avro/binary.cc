// SPDX-License-Identifier: Apache-2.0
#include "avro/binary.h"

#include <limits>
#include <string>

namespace frazil::avro {
namespace {

Error EndsTooEarly(std::size_t position) {
  return Error(ErrorCode::kCorruptData,
               "Avro data ends in the middle of a value, at byte " + std::to_string(position));
}

}  // namespace

void BinaryWriter::WriteLong(std::int64_t value) {
  std::uint64_t rest =
      (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  while (rest >= 0x80) {
    bytes_.push_back(static_cast<std::uint8_t>(rest | 0x80));
    rest >>= 7;
  }
  bytes_.push_back(static_cast<std::uint8_t>(rest));
}

void BinaryWriter::WriteBytes(ByteView value) {
  WriteLong(static_cast<std::int64_t>(value.size()));
  WriteFixed(value);
}

Result<bool> BinaryReader::ReadBoolean() {
  if (remaining() < 1) return EndsTooEarly(position_);
  const std::uint8_t byte = input_[position_];
  if (byte > 1) {
    return Error(ErrorCode::kCorruptData,
                 "an Avro boolean is neither 0 nor 1: " + std::to_string(byte));
  }
  ++position_;
  return byte == 1;
}

Result<std::int32_t> BinaryReader::ReadInt() {
  const std::size_t start = position_;
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t value, ReadLong());
  if (value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::int32_t>::max()) {
    position_ = start;
    return Error(ErrorCode::kCorruptData,
                 "an Avro int does not fit in 32 bits: " + std::to_string(value));
  }
  return static_cast<std::int32_t>(value);
}

Result<std::int64_t> BinaryReader::ReadLong() {
  std::uint64_t bits = 0;
  std::size_t at = position_;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at == input_.size()) return EndsTooEarly(position_);
    const std::uint8_t byte = input_[at++];
    // The tenth byte has room for the last bit only.
    if (shift == 63 && byte > 1) break;
    bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      position_ = at;
      return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
    }
  }
  return Error(ErrorCode::kCorruptData,
               "an Avro integer does not fit in 64 bits, at byte " + std::to_string(position_));
}

Result<float> BinaryReader::ReadFloat() {
  FRAZIL_ASSIGN_OR_RETURN(const ByteView bytes, ReadFixed(sizeof(float)));
  float value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

Result<double> BinaryReader::ReadDouble() {
  FRAZIL_ASSIGN_OR_RETURN(const ByteView bytes, ReadFixed(sizeof(double)));
  double value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

Result<ByteView> BinaryReader::ReadBytes() {
  const std::size_t start = position_;
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t size, ReadLong());
  if (size < 0 || static_cast<std::uint64_t>(size) > remaining()) {
    position_ = start;
    return Error(ErrorCode::kCorruptData,
                 "the length of an Avro value lies outside the data: " + std::to_string(size));
  }
  return ReadFixed(static_cast<std::size_t>(size));
}

Result<ByteView> BinaryReader::ReadFixed(std::size_t size) {
  if (size > remaining()) return EndsTooEarly(position_);
  const ByteView value = input_.subspan(position_, size);
  position_ += size;
  return value;
}

}  // namespace frazil::avro
