// SPDX-License-Identifier: Apache-2.0
#include "avro/container.h"

#include <array>
#include <limits>
#include <optional>

#include "avro/binary.h"
#include "base/encoding.h"
#include "base/sha256.h"

namespace frazil::avro {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'O', 'b', 'j', 1};
constexpr std::string_view kSchemaKey = "avro.schema";
constexpr std::string_view kCodecKey = "avro.codec";
constexpr std::string_view kNullCodec = "null";
constexpr std::size_t kMarkerSize = 16;

void WriteEntry(std::string_view key, std::string_view value, BinaryWriter& writer) {
  writer.WriteString(key);
  writer.WriteString(value);
}

// Lengths stand before the parts, so that no two inputs run together to the same bytes.
ByteView Marker(const Bytes& header, std::int64_t record_count, ByteView records,
                Sha256Digest& digest) {
  BinaryWriter input;
  input.WriteBytes(header);
  input.WriteLong(record_count);
  input.WriteBytes(records);
  digest = Sha256(input.bytes());
  return ByteView(digest).first(kMarkerSize);
}

Error Damaged(const std::string& what) {
  return Error(ErrorCode::kCorruptData, "the Avro container file is damaged: " + what);
}

struct RawHeader {
  std::optional<std::string> schema;
  std::optional<std::string> codec;
  ContainerMetadata metadata;
};

Status ReadHeaderBlock(std::int64_t count, BinaryReader& reader, RawHeader& header) {
  for (std::int64_t i = 0; i < count; ++i) {
    FRAZIL_ASSIGN_OR_RETURN(const ByteView key_bytes, reader.ReadBytes());
    FRAZIL_ASSIGN_OR_RETURN(const ByteView value_bytes, reader.ReadBytes());
    const std::string_view key = AsText(key_bytes);
    std::string value(AsText(value_bytes));
    if (key == kSchemaKey) {
      header.schema = std::move(value);
    } else if (key == kCodecKey) {
      header.codec = std::move(value);
    } else {
      header.metadata.emplace_back(key, std::move(value));
    }
  }
  return {};
}

// A map comes in blocks; a negative count is followed by the block's size in bytes.
Result<RawHeader> ReadHeader(BinaryReader& reader) {
  FRAZIL_ASSIGN_OR_RETURN(const ByteView magic, reader.ReadFixed(kMagic.size()));
  if (AsText(magic) != AsText(kMagic)) return Damaged("it does not begin with \"Obj\" and 1");
  RawHeader header;
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(std::int64_t count, reader.ReadLong());
    if (count == 0) break;
    if (count < 0) {
      if (count == std::numeric_limits<std::int64_t>::min()) return Damaged("a count overflows");
      count = -count;
      FRAZIL_RETURN_IF_ERROR(reader.ReadLong());
    }
    FRAZIL_RETURN_IF_ERROR(ReadHeaderBlock(count, reader, header));
  }
  if (!header.schema) return Damaged("its header has no avro.schema");
  if (header.codec.value_or(std::string(kNullCodec)) != kNullCodec) {
    return Error(ErrorCode::kCorruptData,
                 "the Avro container file uses a codec that is not read here; only \"null\" is: " +
                     Printable(*header.codec));
  }
  return header;
}

}  // namespace

Bytes WriteContainer(std::string_view schema_json, const ContainerMetadata& metadata,
                     std::int64_t record_count, ByteView records) {
  BinaryWriter writer;
  writer.WriteFixed(kMagic);
  writer.WriteLong(static_cast<std::int64_t>(metadata.size()) + 2);
  WriteEntry(kSchemaKey, schema_json, writer);
  WriteEntry(kCodecKey, kNullCodec, writer);
  for (const auto& [key, value] : metadata) WriteEntry(key, value, writer);
  writer.WriteLong(0);
  Sha256Digest digest;
  const ByteView marker = Marker(writer.bytes(), record_count, records, digest);
  writer.WriteFixed(marker);
  if (record_count > 0) {
    writer.WriteLong(record_count);
    writer.WriteBytes(records);
    writer.WriteFixed(marker);
  }
  return writer.Take();
}

Result<Container> ReadContainer(ByteView file) {
  BinaryReader reader(file);
  FRAZIL_ASSIGN_OR_RETURN(RawHeader header, ReadHeader(reader));
  FRAZIL_ASSIGN_OR_RETURN(const ByteView marker, reader.ReadFixed(kMarkerSize));
  Container container{.schema_json = std::move(*header.schema),
                      .metadata = std::move(header.metadata),
                      .blocks = {}};
  while (reader.remaining() > 0) {
    ContainerBlock block;
    FRAZIL_ASSIGN_OR_RETURN(block.record_count, reader.ReadLong());
    if (block.record_count < 0) return Damaged("a block's record count is negative");
    FRAZIL_ASSIGN_OR_RETURN(block.records, reader.ReadBytes());
    FRAZIL_ASSIGN_OR_RETURN(const ByteView end, reader.ReadFixed(kMarkerSize));
    if (AsText(end) != AsText(marker)) return Damaged("a block does not end with the sync marker");
    container.blocks.push_back(block);
  }
  return container;
}

}  // namespace frazil::avro
