// SPDX-License-Identifier: Apache-2.0
#include "avro/binary.h"
#include "avro/container.h"

namespace {

// Every kind of value from every position that the kind before it left.
void ReadAsBinary(frazil::ByteView input) {
  frazil::avro::BinaryReader reader(input);
  while (reader.remaining() > 0) {
    const std::size_t before = reader.position();
    IgnoreError(reader.ReadLong());
    IgnoreError(reader.ReadBytes());
    IgnoreError(reader.ReadInt());
    IgnoreError(reader.ReadBoolean());
    IgnoreError(reader.ReadFloat());
    IgnoreError(reader.ReadDouble());
    if (reader.position() == before) IgnoreError(reader.ReadFixed(1));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frazil::ByteView input(data, size);
  IgnoreError(frazil::avro::ReadContainer(input));
  ReadAsBinary(input);
  return 0;
}
