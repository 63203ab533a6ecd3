// SPDX-License-Identifier: Apache-2.0
#include <concepts>

#include "avro/binary.h"
#include "avro/container.h"
#include "iceberg/manifest.h"
#include "iceberg/manifest_avro_internal.h"

namespace frazil::iceberg {
namespace {

using avro::BinaryWriter;

// Branches of an optional value: null stands first.
constexpr std::int64_t kNullBranch = 0;
constexpr std::int64_t kValueBranch = 1;
constexpr std::int32_t kDataContent = 0;
constexpr std::int32_t kUnpartitioned = 0;
constexpr std::int32_t kUnsorted = 0;

void WriteOptional(std::int64_t value, BinaryWriter& writer) {
  writer.WriteLong(kValueBranch);
  writer.WriteLong(value);
}

using Columns = std::map<FieldId, ColumnMetrics>;

// An optional map, present even when empty. `has` picks the columns that stand in it and `write`
// writes a column's value.
template <std::predicate<const ColumnMetrics&> Has, std::invocable<const ColumnMetrics&> Write>
void WriteMap(const Columns& columns, Has has, Write write, BinaryWriter& writer) {
  writer.WriteLong(kValueBranch);
  std::int64_t count = 0;
  for (const auto& [id, column] : columns) count += has(column) ? 1 : 0;
  if (count > 0) writer.WriteLong(count);
  for (const auto& [id, column] : columns) {
    if (!has(column)) continue;
    writer.WriteInt(id.value());
    write(column);
  }
  writer.WriteLong(0);
}

void WriteCounts(const Columns& columns, std::int64_t ColumnMetrics::* count,
                 BinaryWriter& writer) {
  WriteMap(
      columns, [&](const ColumnMetrics& column) { return column.*count >= 0; },
      [&](const ColumnMetrics& column) { writer.WriteLong(column.*count); }, writer);
}

void WriteBounds(const Columns& columns, std::optional<Bytes> ColumnMetrics::* bound,
                 BinaryWriter& writer) {
  WriteMap(
      columns, [&](const ColumnMetrics& column) { return (column.*bound).has_value(); },
      [&](const ColumnMetrics& column) { writer.WriteBytes(*(column.*bound)); }, writer);
}

// In the order of the fields in ManifestAvroSchema.
void WriteDataFile(const DataFile& file, BinaryWriter& writer) {
  writer.WriteInt(kDataContent);
  writer.WriteString(file.path);
  writer.WriteString("PARQUET");
  writer.WriteLong(file.record_count);
  writer.WriteLong(file.file_size);
  WriteCounts(file.columns, &ColumnMetrics::column_size, writer);
  WriteCounts(file.columns, &ColumnMetrics::value_count, writer);
  WriteCounts(file.columns, &ColumnMetrics::null_count, writer);
  WriteCounts(file.columns, &ColumnMetrics::nan_count, writer);
  WriteBounds(file.columns, &ColumnMetrics::lower_bound, writer);
  WriteBounds(file.columns, &ColumnMetrics::upper_bound, writer);
  writer.WriteLong(kNullBranch);  // key_metadata
  writer.WriteLong(kNullBranch);  // split_offsets
  writer.WriteLong(kNullBranch);  // equality_ids
  WriteOptional(kUnsorted, writer);
}

void WriteManifestFile(const ManifestFile& manifest, BinaryWriter& writer) {
  writer.WriteString(manifest.path);
  writer.WriteLong(manifest.length);
  writer.WriteInt(kUnpartitioned);
  writer.WriteInt(kDataContent);
  writer.WriteLong(manifest.sequence_number.value());
  writer.WriteLong(manifest.min_sequence_number.value());
  writer.WriteLong(manifest.added_snapshot_id.value());
  writer.WriteInt(manifest.added_files);
  writer.WriteInt(manifest.existing_files);
  writer.WriteInt(manifest.deleted_files);
  writer.WriteLong(manifest.added_rows);
  writer.WriteLong(manifest.existing_rows);
  writer.WriteLong(manifest.deleted_rows);
  // An empty list of partitions, not a null one: Trino's $manifests fails on null.
  writer.WriteLong(kValueBranch);
  writer.WriteLong(0);
  writer.WriteLong(kNullBranch);  // key_metadata
}

}  // namespace

Bytes WriteManifest(const Schema& schema, const std::vector<ManifestEntry>& entries) {
  BinaryWriter records;
  for (const ManifestEntry& entry : entries) {
    records.WriteInt(static_cast<std::int32_t>(entry.status));
    WriteOptional(entry.snapshot_id.value(), records);
    WriteOptional(entry.sequence_number.value(), records);
    WriteOptional(entry.file_sequence_number.value(), records);
    WriteDataFile(entry.file, records);
  }
  const avro::ContainerMetadata header = {
      {"schema", SchemaToJson(schema)}, {"schema-id", std::to_string(schema.version.value())},
      {"partition-spec", "[]"},         {"partition-spec-id", std::to_string(kUnpartitioned)},
      {"format-version", "2"},          {"content", "data"},
  };
  return avro::WriteContainer(ManifestAvroSchema(), header,
                              static_cast<std::int64_t>(entries.size()), records.bytes());
}

Bytes WriteManifestList(const ManifestListHeader& header,
                        const std::vector<ManifestFile>& manifests) {
  BinaryWriter records;
  for (const ManifestFile& manifest : manifests) WriteManifestFile(manifest, records);
  const avro::ContainerMetadata metadata = {
      {"snapshot-id", std::to_string(header.snapshot_id.value())},
      {"parent-snapshot-id",
       header.parent_snapshot_id ? std::to_string(header.parent_snapshot_id->value()) : "null"},
      {"sequence-number", std::to_string(header.sequence_number.value())},
      {"format-version", "2"},
  };
  return avro::WriteContainer(ManifestListAvroSchema(), metadata,
                              static_cast<std::int64_t>(manifests.size()), records.bytes());
}

}  // namespace frazil::iceberg
