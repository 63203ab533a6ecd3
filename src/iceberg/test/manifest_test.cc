// SPDX-License-Identifier: Apache-2.0
#include "iceberg/manifest.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "avro/binary.h"
#include "avro/container.h"
#include "iceberg/test/samples.h"

namespace frazil::iceberg {
namespace {

using ::testing::HasSubstr;

std::string HeaderValue(ByteView file, std::string_view key) {
  const auto container = avro::ReadContainer(file);
  if (!container.ok()) return container.error().message();
  for (const auto& [name, value] : container->metadata) {
    if (name == key) return value;
  }
  return "missing";
}

TEST(Manifest, ReadsBackWhatItWrote) {
  const auto entries = test::SampleEntries();
  const auto read = ReadManifest(WriteManifest(test::SampleSchema(), entries));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, entries);
  EXPECT_TRUE(ReadManifest(WriteManifest({}, {})).value().empty());
}

TEST(Manifest, NamesSchemaSpecAndContentInItsHeader) {
  const Bytes file = WriteManifest(test::SampleSchema(), test::SampleEntries());
  EXPECT_EQ(HeaderValue(file, "schema"), SchemaToJson(test::SampleSchema()));
  EXPECT_EQ(HeaderValue(file, "schema-id"), "1");
  EXPECT_EQ(HeaderValue(file, "partition-spec"), "[]");
  EXPECT_EQ(HeaderValue(file, "partition-spec-id"), "0");
  EXPECT_EQ(HeaderValue(file, "format-version"), "2");
  EXPECT_EQ(HeaderValue(file, "content"), "data");
}

TEST(Manifest, WritesEmptyMapsNotNullOnes) {
  ManifestEntry entry;
  entry.file.path = "p";
  const Bytes file = WriteManifest({}, {entry});
  const auto container = avro::ReadContainer(file);
  ASSERT_TRUE(container.ok());
  // Status, three optional numbers, content, path, format, two counts, six empty maps, three
  // nulls, sort order 0.
  Bytes expected = {2, 2, 0, 2, 0, 2, 0, 0, 2, 'p', 14, 'P', 'A', 'R', 'Q', 'U', 'E', 'T', 0, 0};
  for (int i = 0; i < 6; ++i) Append(Bytes{2, 0}, expected);
  Append(Bytes{0, 0, 0, 2, 0}, expected);
  const ByteView records = container->blocks.at(0).records;
  EXPECT_EQ(Bytes(records.begin(), records.end()), expected);
}

// Manifests with a schema of somebody else's making.
Bytes Foreign(const std::string& entry_fields, const std::string& file_fields,
              const avro::BinaryWriter& record) {
  const std::string schema =
      R"({"type":"record","name":"manifest_entry","fields":[)" + entry_fields +
      R"({"name":"f","field-id":2,"type":{"type":"record","name":"r2","fields":[)" + file_fields +
      R"({"name":"c","field-id":134,"type":"int"},{"name":"p","field-id":100,"type":"string"},
          {"name":"t","field-id":101,"type":"string"},{"name":"n","field-id":103,"type":"long"},
          {"name":"s","field-id":104,"type":["long","null"]}]}},
          {"name":"q","field-id":3,"type":"long"},{"name":"fq","field-id":4,"type":"long"},
          {"name":"i","field-id":1,"type":["null","long"]},{"name":"st","field-id":0,"type":"int"}]})";
  return avro::WriteContainer(schema, {}, 1, record.bytes());
}

void WriteForeignTail(std::int64_t branch, avro::BinaryWriter& record) {
  record.WriteInt(0);
  record.WriteString("s3://x");
  record.WriteString("PARQUET");
  record.WriteLong(5);
  record.WriteLong(0);
  record.WriteLong(6);
  record.WriteLong(7);
  record.WriteLong(8);
  record.WriteLong(branch);
  if (branch == 1) record.WriteLong(9);
  record.WriteInt(0);
}

TEST(Manifest, FindsFieldsByTheirIdsWhateverTheirNamesAndOrder) {
  avro::BinaryWriter record;
  WriteForeignTail(1, record);
  const auto read = ReadManifest(Foreign("", "", record));
  ASSERT_TRUE(read.ok()) << read.error().message();
  const ManifestEntry expected{
      .status = EntryStatus::kExisting,
      .snapshot_id = SnapshotId(9),
      .sequence_number = SequenceNumber(7),
      .file_sequence_number = SequenceNumber(8),
      .file = {.path = "s3://x", .record_count = 5, .file_size = 6, .columns = {}}};
  EXPECT_EQ(read->front(), expected);
}

TEST(Manifest, SkipsFieldsOfEveryTypeThatItDoesNotKnow) {
  const std::string unknown =
      R"({"name":"u0","type":"null"},{"name":"u1","type":"boolean"},{"name":"u2","type":"int"},
         {"name":"u3","type":"float","field-id":9999},{"name":"u4","type":"double"},
         {"name":"u5","type":"bytes"},{"name":"u6","type":{"type":"fixed","name":"F","size":3}},
         {"name":"u7","type":{"type":"enum","name":"E","symbols":["A"]}},
         {"name":"u8","type":{"type":"array","items":"null"}},
         {"name":"u9","type":{"type":"map","values":["null","string"]}},)";
  avro::BinaryWriter record;
  record.WriteBoolean(true);
  record.WriteInt(-5);
  record.WriteFloat(1);
  record.WriteDouble(1);
  record.WriteString("skipped");
  record.WriteFixed(Bytes(3, 1));
  record.WriteInt(0);
  // More items than the file has bytes: they take none.
  record.WriteLong(std::int64_t{1} << 60);
  record.WriteLong(0);
  // One block that states its size, one that does not.
  record.WriteLong(-2);
  record.WriteBytes(Bytes(5, 0xff));
  record.WriteLong(1);
  record.WriteString("key");
  record.WriteLong(1);
  record.WriteString("value");
  record.WriteLong(0);
  WriteForeignTail(1, record);
  const auto read = ReadManifest(Foreign(unknown, "", record));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->front().file.path, "s3://x");
}

TEST(Manifest, RefusesWhatItCannotShow) {
  avro::BinaryWriter without_snapshot;
  WriteForeignTail(0, without_snapshot);
  EXPECT_THAT(ReadManifest(Foreign("", "", without_snapshot)).error().message(), HasSubstr("null"));

  const std::string partition =
      R"({"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[
          {"name":"day","field-id":1000,"type":"int"}]}},)";
  avro::BinaryWriter partitioned;
  partitioned.WriteInt(1);
  WriteForeignTail(1, partitioned);
  EXPECT_THAT(ReadManifest(Foreign("", partition, partitioned)).error().message(),
              HasSubstr("partitioned, by day"));

  const std::string counts =
      R"({"name":"m","field-id":109,"type":{"type":"array","items":{"type":"record","name":"kv",
          "fields":[{"name":"key","type":"int"},{"name":"value","type":"long"}]}}},)";
  avro::BinaryWriter too_many;
  too_many.WriteLong(std::int64_t{1} << 60);
  WriteForeignTail(1, too_many);
  EXPECT_THAT(ReadManifest(Foreign("", counts, too_many)).error().message(),
              HasSubstr("more items than bytes"));
  avro::BinaryWriter negative;
  negative.WriteLong(1);
  negative.WriteInt(3);
  negative.WriteLong(-1);
  negative.WriteLong(0);
  WriteForeignTail(1, negative);
  EXPECT_THAT(ReadManifest(Foreign("", counts, negative)).error().message(), HasSubstr("negative"));

  EXPECT_THAT(ReadManifest(avro::WriteContainer("\"int\"", {}, 1, Bytes{2})).error().message(),
              HasSubstr("Avro record"));
  const std::string no_fields = R"({"type":"record","name":"manifest_entry","fields":[]})";
  EXPECT_THAT(
      ReadManifest(avro::WriteContainer(no_fields, {}, INT64_MAX, Bytes())).error().message(),
      HasSubstr("missing"));
  EXPECT_FALSE(ReadManifest(WriteManifestList({}, test::SampleManifestFiles())).ok());
}

TEST(Manifest, ReadsManifestsOfPyIceberg) {
  std::ifstream file(FRAZIL_TESTDATA "/pyiceberg_manifest.avro", std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const auto read = ReadManifest(AsBytes(content));
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->size(), 1U);
  const ManifestEntry& entry = read->front();
  EXPECT_EQ(entry.status, EntryStatus::kExisting);
  EXPECT_EQ(entry.snapshot_id, SnapshotId(8744736658442914487));
  EXPECT_EQ(entry.sequence_number, SequenceNumber(1099511627779));
  EXPECT_EQ(entry.file.path, "s3://bucket/table/data/file.parquet");
  EXPECT_EQ(entry.file.record_count, 3);
  EXPECT_EQ(entry.file.file_size, 1234);
  ASSERT_EQ(entry.file.columns.size(), 2U);
  const ColumnMetrics first{.column_size = 50,
                            .value_count = 3,
                            .null_count = 1,
                            .nan_count = -1,
                            .lower_bound = Bytes{1, 0, 0, 0},
                            .upper_bound = Bytes{2, 0, 0, 0}};
  EXPECT_EQ(entry.file.columns.at(FieldId(1)), first);
  EXPECT_EQ(entry.file.columns.at(FieldId(2)).nan_count, 2);
}

TEST(ManifestList, ReadsBackWhatItWrote) {
  const auto manifests = test::SampleManifestFiles();
  const Bytes file = WriteManifestList(test::SampleListHeader(), manifests);
  const auto read = ReadManifestList(file);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, manifests);
}

TEST(ManifestList, NamesItsSnapshotInItsHeader) {
  const Bytes file = WriteManifestList(test::SampleListHeader(), {});
  EXPECT_EQ(HeaderValue(file, "snapshot-id"), "8744736658442914487");
  EXPECT_EQ(HeaderValue(file, "parent-snapshot-id"), "9223372036854775807");
  EXPECT_EQ(HeaderValue(file, "sequence-number"), "1099511627779");
  EXPECT_EQ(HeaderValue(file, "format-version"), "2");
  ManifestListHeader root = test::SampleListHeader();
  root.parent_snapshot_id.reset();
  EXPECT_EQ(HeaderValue(WriteManifestList(root, {}), "parent-snapshot-id"), "null");
}

TEST(ManifestList, WritesPartitionsAsAnEmptyList) {
  ManifestFile manifest;
  manifest.path = "m";
  const Bytes file = WriteManifestList({}, {manifest});
  const auto container = avro::ReadContainer(file);
  ASSERT_TRUE(container.ok());
  // Path, twelve zeros, branch 1 with no items, no key metadata.
  Bytes expected = {2, 'm'};
  expected.resize(14, 0);
  Append(Bytes{2, 0, 0}, expected);
  const ByteView records = container->blocks.at(0).records;
  EXPECT_EQ(Bytes(records.begin(), records.end()), expected);
}

void SurvivesDamage(const Bytes& file, bool (*read)(ByteView)) {
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    read(cut);
  }
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const std::uint8_t bit : {0x01, 0x02, 0x10, 0x80, 0xff}) {
      Bytes changed = file;
      changed[i] ^= bit;
      read(changed);
    }
  }
}

TEST(Manifest, SurvivesEachTruncationAndEachChangedByte) {
  SurvivesDamage(WriteManifest({}, test::SampleEntries()),
                 [](ByteView file) { return ReadManifest(file).ok(); });
  SurvivesDamage(WriteManifestList(test::SampleListHeader(), test::SampleManifestFiles()),
                 [](ByteView file) { return ReadManifestList(file).ok(); });
}

}  // namespace
}  // namespace frazil::iceberg
