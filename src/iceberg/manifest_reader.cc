// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <utility>

#include "avro/binary.h"
#include "avro/container.h"
#include "avro/schema.h"
#include "base/encoding.h"
#include "iceberg/avro_value_internal.h"
#include "iceberg/manifest.h"
#include "iceberg/manifest_avro_internal.h"

namespace frazil::iceberg {
namespace {

using avro::BinaryReader;

// A manifest's own schema has about a hundred nodes.
constexpr avro::SchemaLimits kSchemaLimits = {.text_bytes = 1 << 20, .depth = 32, .nodes = 4000};

Error Damaged(const std::string& what) {
  return Error(ErrorCode::kCorruptData, "the manifest cannot be read: " + what);
}

Result<std::int32_t> ToInt(Result<std::int64_t> number) {
  if (!number.ok()) return number.error();
  if (!std::in_range<std::int32_t>(*number)) {
    return Damaged("a number does not fit in 32 bits: " + std::to_string(*number));
  }
  return static_cast<std::int32_t>(*number);
}

// A number of bytes, rows or values.
Result<std::int64_t> ReadCount(const avro::Schema& schema, BinaryReader& reader) {
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t count, ReadInteger(schema, reader));
  if (count < 0) return Damaged("a count is negative: " + std::to_string(count));
  return count;
}

// Which of the ids 0..31 above a base a record had.
class SeenFields {
 public:
  explicit SeenFields(std::int32_t base) : base_(base) {}

  void Add(std::int32_t id) { bits_ |= std::uint64_t{1} << (id - base_); }

  Status Require(std::initializer_list<std::int32_t> ids) const {
    for (const std::int32_t id : ids) {
      if ((bits_ >> (id - base_) & 1) == 0) {
        return Damaged("a field that must be there is missing; its id is " + std::to_string(id));
      }
    }
    return {};
  }

 private:
  const std::int32_t base_;
  std::uint64_t bits_ = 0;
};

// An optional array of {key: field id, value}. The value comes last in each pair, so that the
// column is known when it is read.
template <std::invocable<ColumnMetrics&, const avro::Schema&, BinaryReader&> SetValue>
Status ReadColumns(const avro::Schema& schema, BinaryReader& reader, DataFile& file,
                   SetValue set_value) {
  return ReadArray(schema, reader, [&](const avro::Schema& item, BinaryReader& r) -> Status {
    std::optional<FieldId> id;
    FRAZIL_RETURN_IF_ERROR(
        ReadRecord(item, r, [&](const avro::Field& field, BinaryReader& pair) -> Status {
          if (field.name == "key") {
            FRAZIL_ASSIGN_OR_RETURN(const std::int32_t key, ToInt(ReadInteger(field.schema, pair)));
            id = FieldId(key);
            return {};
          }
          if (field.name != "value" || !id) return Damaged("a map's pair is no key and value");
          return set_value(file.columns[*id], field.schema, pair);
        }));
    if (!id) return Damaged("a map's pair has no key");
    return {};
  });
}

Status ReadCounts(const avro::Schema& schema, BinaryReader& reader, DataFile& file,
                  std::int64_t ColumnMetrics::* count) {
  return ReadColumns(
      schema, reader, file,
      [&](ColumnMetrics& column, const avro::Schema& value, BinaryReader& r) -> Status {
        FRAZIL_ASSIGN_OR_RETURN(column.*count, ReadCount(value, r));
        return {};
      });
}

Status ReadBounds(const avro::Schema& schema, BinaryReader& reader, DataFile& file,
                  std::optional<Bytes> ColumnMetrics::* bound) {
  return ReadColumns(
      schema, reader, file,
      [&](ColumnMetrics& column, const avro::Schema& value, BinaryReader& r) -> Status {
        FRAZIL_ASSIGN_OR_RETURN(const ByteView bytes, ReadBytes(value, r));
        column.*bound = Bytes(bytes.begin(), bytes.end());
        return {};
      });
}

Status CheckContent(const avro::Schema& schema, BinaryReader& reader) {
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t content, ReadInteger(schema, reader));
  if (content != 0) return Damaged("it lists deletes, not data");
  return {};
}

Status CheckFormat(const avro::Schema& schema, BinaryReader& reader) {
  FRAZIL_ASSIGN_OR_RETURN(const ByteView format, ReadBytes(schema, reader));
  if (AsText(format) != "PARQUET" && AsText(format) != "parquet") {
    return Damaged("a data file is not in Parquet: " + Printable(AsText(format)));
  }
  return {};
}

Status CheckPartition(const avro::Schema& schema, BinaryReader& reader) {
  return ReadRecord(schema, reader, [](const avro::Field& field, BinaryReader&) -> Status {
    return Damaged("its table is partitioned, by " + Printable(field.name));
  });
}

Status ReadDataFileField(std::int32_t id, const avro::Schema& schema, BinaryReader& reader,
                         DataFile& file) {
  switch (id) {
    case data_file_id::kContent:
      return CheckContent(schema, reader);
    case data_file_id::kFilePath: {
      FRAZIL_ASSIGN_OR_RETURN(const ByteView path, ReadBytes(schema, reader));
      file.path = AsText(path);
      return {};
    }
    case data_file_id::kFileFormat:
      return CheckFormat(schema, reader);
    case data_file_id::kPartition:
      return CheckPartition(schema, reader);
    case data_file_id::kRecordCount: {
      FRAZIL_ASSIGN_OR_RETURN(file.record_count, ReadCount(schema, reader));
      return {};
    }
    case data_file_id::kFileSize: {
      FRAZIL_ASSIGN_OR_RETURN(file.file_size, ReadCount(schema, reader));
      return {};
    }
    case data_file_id::kColumnSizes:
      return ReadCounts(schema, reader, file, &ColumnMetrics::column_size);
    case data_file_id::kValueCounts:
      return ReadCounts(schema, reader, file, &ColumnMetrics::value_count);
    case data_file_id::kNullValueCounts:
      return ReadCounts(schema, reader, file, &ColumnMetrics::null_count);
    case data_file_id::kNanValueCounts:
      return ReadCounts(schema, reader, file, &ColumnMetrics::nan_count);
    case data_file_id::kLowerBounds:
      return ReadBounds(schema, reader, file, &ColumnMetrics::lower_bound);
    case data_file_id::kUpperBounds:
      return ReadBounds(schema, reader, file, &ColumnMetrics::upper_bound);
    default:
      return SkipValue(schema, reader);
  }
}

Result<DataFile> ReadDataFile(const avro::Schema& schema, BinaryReader& reader) {
  using namespace data_file_id;  // NOLINT(google-build-using-namespace)
  DataFile file;
  SeenFields seen(kFilePath);
  FRAZIL_RETURN_IF_ERROR(
      ReadRecord(schema, reader, [&](const avro::Field& field, BinaryReader& r) -> Status {
        const std::int32_t id = field.field_id.value_or(-1);
        if (id >= kFilePath && id <= kSortOrderId) seen.Add(id);
        return ReadDataFileField(id, field.schema, r, file);
      }));
  FRAZIL_RETURN_IF_ERROR(seen.Require({kContent, kFilePath, kFileFormat, kRecordCount, kFileSize}));
  return file;
}

Status ReadEntryField(std::int32_t id, const avro::Schema& schema, BinaryReader& reader,
                      ManifestEntry& entry) {
  switch (id) {
    case entry_id::kStatus: {
      FRAZIL_ASSIGN_OR_RETURN(const std::int64_t status, ReadInteger(schema, reader));
      if (status < 0 || status > 2) {
        return Damaged("an entry's status is none of 0, 1, 2: " + std::to_string(status));
      }
      entry.status = static_cast<EntryStatus>(status);
      return {};
    }
    case entry_id::kSnapshotId: {
      FRAZIL_ASSIGN_OR_RETURN(const std::int64_t number, ReadInteger(schema, reader));
      entry.snapshot_id = SnapshotId(number);
      return {};
    }
    case entry_id::kSequenceNumber: {
      FRAZIL_ASSIGN_OR_RETURN(const std::int64_t number, ReadInteger(schema, reader));
      entry.sequence_number = SequenceNumber(number);
      return {};
    }
    case entry_id::kFileSequenceNumber: {
      FRAZIL_ASSIGN_OR_RETURN(const std::int64_t number, ReadInteger(schema, reader));
      entry.file_sequence_number = SequenceNumber(number);
      return {};
    }
    case entry_id::kDataFile: {
      FRAZIL_ASSIGN_OR_RETURN(entry.file, ReadDataFile(schema, reader));
      return {};
    }
    default:
      return SkipValue(schema, reader);
  }
}

Result<ManifestEntry> ReadEntry(const avro::Schema& schema, BinaryReader& reader) {
  using namespace entry_id;  // NOLINT(google-build-using-namespace)
  ManifestEntry entry;
  SeenFields seen(kStatus);
  FRAZIL_RETURN_IF_ERROR(
      ReadRecord(schema, reader, [&](const avro::Field& field, BinaryReader& r) -> Status {
        const std::int32_t id = field.field_id.value_or(-1);
        if (id >= kStatus && id <= kFileSequenceNumber) seen.Add(id);
        return ReadEntryField(id, field.schema, r, entry);
      }));
  FRAZIL_RETURN_IF_ERROR(
      seen.Require({kStatus, kSnapshotId, kSequenceNumber, kFileSequenceNumber, kDataFile}));
  return entry;
}

Status ReadManifestFileField(std::int32_t id, const avro::Schema& schema, BinaryReader& reader,
                             ManifestFile& manifest) {
  using namespace manifest_file_id;  // NOLINT(google-build-using-namespace)
  if (id == kContent) return CheckContent(schema, reader);
  if (id == kPath) {
    FRAZIL_ASSIGN_OR_RETURN(const ByteView path, ReadBytes(schema, reader));
    manifest.path = AsText(path);
    return {};
  }
  const auto number = [&] { return ReadInteger(schema, reader); };
  const auto set = [](auto& to, auto from) -> Status {
    if (!from.ok()) return from.error();
    to = std::remove_reference_t<decltype(to)>(*from);
    return {};
  };
  switch (id) {
    case kLength:
      return set(manifest.length, number());
    case kSequenceNumber:
      return set(manifest.sequence_number, number());
    case kMinSequenceNumber:
      return set(manifest.min_sequence_number, number());
    case kAddedSnapshotId:
      return set(manifest.added_snapshot_id, number());
    case kAddedFiles:
      return set(manifest.added_files, ToInt(number()));
    case kExistingFiles:
      return set(manifest.existing_files, ToInt(number()));
    case kDeletedFiles:
      return set(manifest.deleted_files, ToInt(number()));
    case kAddedRows:
      return set(manifest.added_rows, number());
    case kExistingRows:
      return set(manifest.existing_rows, number());
    case kDeletedRows:
      return set(manifest.deleted_rows, number());
    default:
      return SkipValue(schema, reader);
  }
}

Result<ManifestFile> ReadManifestFile(const avro::Schema& schema, BinaryReader& reader) {
  using namespace manifest_file_id;  // NOLINT(google-build-using-namespace)
  ManifestFile manifest;
  SeenFields seen(kPath);
  FRAZIL_RETURN_IF_ERROR(
      ReadRecord(schema, reader, [&](const avro::Field& field, BinaryReader& r) -> Status {
        const std::int32_t id = field.field_id.value_or(-1);
        if (id >= kPath && id <= kKeyMetadata) seen.Add(id);
        return ReadManifestFileField(id, field.schema, r, manifest);
      }));
  FRAZIL_RETURN_IF_ERROR(seen.Require(
      {kPath, kLength, kContent, kSequenceNumber, kMinSequenceNumber, kAddedSnapshotId, kAddedFiles,
       kExistingFiles, kDeletedFiles, kAddedRows, kExistingRows, kDeletedRows}));
  return manifest;
}

// All records of a container file.
template <typename Record>
Result<std::vector<Record>> ReadRecords(ByteView file, Result<Record> (*read)(const avro::Schema&,
                                                                              BinaryReader&)) {
  FRAZIL_ASSIGN_OR_RETURN(const avro::Container container, avro::ReadContainer(file));
  FRAZIL_ASSIGN_OR_RETURN(const avro::Schema schema,
                          avro::ParseSchema(container.schema_json, {}, kSchemaLimits));
  std::vector<Record> records;
  for (const avro::ContainerBlock& block : container.blocks) {
    BinaryReader reader(block.records);
    for (std::int64_t i = 0; i < block.record_count; ++i) {
      FRAZIL_ASSIGN_OR_RETURN(Record record, read(schema, reader));
      records.push_back(std::move(record));
    }
    if (reader.remaining() > 0) return Damaged("a block is longer than its records");
  }
  return records;
}

}  // namespace

Result<std::vector<ManifestEntry>> ReadManifest(ByteView file) {
  return ReadRecords<ManifestEntry>(file, ReadEntry);
}

Result<std::vector<ManifestFile>> ReadManifestList(ByteView file) {
  return ReadRecords<ManifestFile>(file, ReadManifestFile);
}

}  // namespace frazil::iceberg
