// SPDX-License-Identifier: Apache-2.0
#include "avro/container.h"

#include <gtest/gtest.h>

#include "avro/binary.h"
#include "base/encoding.h"

namespace frazil::avro {
namespace {

// Schema "int", one entry of metadata, the records 1 and 2.
const char kTwoIntegers[] =
    "4f626a01"  // Obj 1
    "06"        // three entries
    "16"
    "6176726f2e736368656d61"  // avro.schema
    "0a"
    "22696e7422"  // "int"
    "14"
    "6176726f2e636f646563"  // avro.codec
    "08"
    "6e756c6c"  // null
    "02"
    "6b"
    "02"
    "76"  // k: v
    "00"  // no more entries
    "MARKER"
    "04"
    "04"
    "0204"  // two records, two bytes
    "MARKER";

Bytes TwoIntegers() { return WriteContainer("\"int\"", {{"k", "v"}}, 2, Bytes{2, 4}); }

TEST(AvroContainer, WritesTheBytesOfTheSpec) {
  const std::string hex = HexEncode(TwoIntegers());
  std::string expected = kTwoIntegers;
  const std::string marker = "8f76fa91af70701fe394ca500a944246";
  for (auto at = expected.find("MARKER"); at != std::string::npos; at = expected.find("MARKER")) {
    expected.replace(at, 6, marker);
  }
  EXPECT_EQ(hex, expected);
}

TEST(AvroContainer, HasNoBlockWithoutRecords) {
  const Bytes file = WriteContainer("\"int\"", {}, 0, {});
  const auto container = ReadContainer(file);
  ASSERT_TRUE(container.ok());
  EXPECT_TRUE(container->blocks.empty());
  EXPECT_TRUE(container->metadata.empty());
}

TEST(AvroContainer, ReadsBackWhatItWrote) {
  const Bytes file = TwoIntegers();
  const auto container = ReadContainer(file);
  ASSERT_TRUE(container.ok()) << container.error().message();
  EXPECT_EQ(container->schema_json, "\"int\"");
  EXPECT_EQ(container->metadata, (ContainerMetadata{{"k", "v"}}));
  ASSERT_EQ(container->blocks.size(), 1U);
  EXPECT_EQ(container->blocks[0].record_count, 2);
  EXPECT_EQ(HexEncode(container->blocks[0].records), "0204");
}

TEST(AvroContainer, GivesDifferentMarkersToDifferentInput) {
  const auto marker = [](const Bytes& file) {
    return std::string(AsText(ByteView(file).last(16)));
  };
  const std::string base = marker(TwoIntegers());
  EXPECT_EQ(base, marker(TwoIntegers()));
  EXPECT_NE(base, marker(WriteContainer("\"int\"", {{"k", "v"}}, 2, Bytes{2, 6})));
  EXPECT_NE(base, marker(WriteContainer("\"int\"", {{"k", "w"}}, 2, Bytes{2, 4})));
  EXPECT_NE(base, marker(WriteContainer("\"long\"", {{"k", "v"}}, 2, Bytes{2, 4})));
}

TEST(AvroContainer, RefusesEachTruncationThatCutsABlock) {
  const Bytes file = TwoIntegers();
  const std::size_t header = file.size() - 20;
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(ReadContainer(cut).ok(), size == header) << size;
  }
}

TEST(AvroContainer, SurvivesEachChangedByte) {
  const Bytes file = TwoIntegers();
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      Bytes changed = file;
      changed[i] = static_cast<std::uint8_t>(value);
      IgnoreError(ReadContainer(changed));
    }
  }
}

Bytes WithHeader(const BinaryWriter& entries) {
  BinaryWriter file;
  file.WriteFixed(Bytes{'O', 'b', 'j', 1});
  file.WriteFixed(entries.bytes());
  file.WriteFixed(Bytes(16, 0));
  return file.Take();
}

TEST(AvroContainer, ReadsHeadersInBlocksThatStateTheirSize) {
  BinaryWriter entries;
  entries.WriteLong(-1);
  entries.WriteLong(18);
  entries.WriteString("avro.schema");
  entries.WriteString("\"int\"");
  entries.WriteLong(1);
  entries.WriteString("k");
  entries.WriteString("v");
  entries.WriteLong(0);
  const Bytes file = WithHeader(entries);
  const auto container = ReadContainer(file);
  ASSERT_TRUE(container.ok()) << container.error().message();
  EXPECT_EQ(container->schema_json, "\"int\"");
  EXPECT_EQ(container->metadata, (ContainerMetadata{{"k", "v"}}));
}

TEST(AvroContainer, RefusesOtherCodecsAndMissingSchemas) {
  BinaryWriter deflated;
  deflated.WriteLong(2);
  deflated.WriteString("avro.schema");
  deflated.WriteString("\"int\"");
  deflated.WriteString("avro.codec");
  deflated.WriteString("deflate");
  deflated.WriteLong(0);
  const auto refused = ReadContainer(WithHeader(deflated));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("deflate"), std::string::npos);
  BinaryWriter empty;
  empty.WriteLong(0);
  EXPECT_FALSE(ReadContainer(WithHeader(empty)).ok());
}

TEST(AvroContainer, RefusesCountsThatTheFileCannotHold) {
  for (const std::int64_t count : {INT64_MAX, INT64_MIN, std::int64_t{-3}}) {
    BinaryWriter entries;
    entries.WriteLong(count);
    EXPECT_FALSE(ReadContainer(WithHeader(entries)).ok()) << count;
  }
}

}  // namespace
}  // namespace frazil::avro
