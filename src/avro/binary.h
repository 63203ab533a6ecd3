// SPDX-License-Identifier: Apache-2.0
// Avro's binary encoding: a writer, and a reader that never runs past its end.
// Spec: Apache Avro 1.12, "Binary Encoding". Pure.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace frazil::avro {

// Appends to a buffer that it owns.
class BinaryWriter {
 public:
  void WriteBoolean(bool value) { bytes_.push_back(value ? 1 : 0); }
  void WriteInt(std::int32_t value) { WriteLong(value); }
  // Zig-zag varint, one to ten bytes.
  void WriteLong(std::int64_t value);
  void WriteFloat(float value) { AppendLittleEndian(value, bytes_); }
  void WriteDouble(double value) { AppendLittleEndian(value, bytes_); }
  void WriteBytes(ByteView value);
  void WriteString(std::string_view value) { WriteBytes(AsBytes(value)); }
  void WriteFixed(ByteView value) { Append(value, bytes_); }

  const Bytes& bytes() const { return bytes_; }
  Bytes Take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

// Owns nothing: the view must outlive it. Errors of all reads: corrupt_data.
class BinaryReader {
 public:
  explicit BinaryReader(ByteView input) : input_(input) {}

  Result<bool> ReadBoolean();
  // A zig-zag varint that fits in 32 bits.
  Result<std::int32_t> ReadInt();
  Result<std::int64_t> ReadLong();
  Result<float> ReadFloat();
  Result<double> ReadDouble();
  // A view into the input.
  Result<ByteView> ReadBytes();
  Result<ByteView> ReadFixed(std::size_t size);

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return input_.size() - position_; }

 private:
  ByteView input_;
  std::size_t position_ = 0;
};

}  // namespace frazil::avro
