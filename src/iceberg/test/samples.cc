// SPDX-License-Identifier: Apache-2.0
#include "iceberg/test/samples.h"

#include <array>
#include <utility>

#include "iceberg/data_file_json.h"
#include "iceberg/rest.h"
#include "iceberg/single_value.h"

namespace frazil::iceberg::test {
namespace {

NestedField Column(std::int32_t id, std::string name, Type type, bool required = false,
                   std::string doc = {}) {
  return {.id = FieldId(id),
          .name = std::move(name),
          .required = required,
          .type = std::move(type),
          .doc = std::move(doc)};
}

ColumnMetrics Metrics(std::int64_t size, std::int64_t nulls, std::optional<Bytes> lower,
                      std::optional<Bytes> upper, std::int64_t nans = -1) {
  return {.column_size = size,
          .value_count = 1000,
          .null_count = nulls,
          .nan_count = nans,
          .lower_bound = std::move(lower),
          .upper_bound = std::move(upper)};
}

// Unscaled values -1234567890123456789012 and 5.
Bytes LowerAmount() {
  return EncodeDecimal({0xec, 0xc5, 0xdf, 0x27, 0xf4, 0xc4, 0xed, 0x12, 0xbd, 0xff, 0xff, 0xff,
                        0xff, 0xff, 0xff, 0xff});
}
Bytes UpperAmount() { return EncodeDecimal({5}); }

DataFile FullDataFile() {
  const Uuid low{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
  const Uuid high{{0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
  const Bytes code_low = {0, 0, 0, 1};
  const Bytes code_high = {0xff, 0xff, 0xff, 0xfe};
  const Bytes raw(20, 0x41);
  DataFile file{.path = "s3://speed/shop/orders/data/0-2-100-200-\xE2\x82\xAC.parquet",
                .record_count = 1000,
                .file_size = (std::int64_t{1} << 40) + 7,
                .columns = {}};
  const auto add = [&](std::int32_t id, ColumnMetrics metrics) {
    file.columns.emplace(FieldId(id), std::move(metrics));
  };
  add(1, Metrics(8100, 0, EncodeLong(-9223372036854775807 - 1), EncodeLong(9007199254740993)));
  add(2, Metrics(130, 10, EncodeBoolean(false), EncodeBoolean(true)));
  add(3, Metrics(4100, 0, EncodeInt(-7), EncodeInt(2147483647)));
  add(4, Metrics(4200, 1, LowerBound(-1.5F), UpperBound(-0.0F), 3));
  add(5, Metrics(8200, 1000, std::nullopt, std::nullopt, 0));
  add(6, Metrics(16000, 2, LowerAmount(), UpperAmount()));
  add(7, Metrics(4000, 0, EncodeInt(-1), EncodeInt(20000)));
  add(8, Metrics(8000, 0, EncodeLong(0), EncodeLong(86399999999)));
  add(9, Metrics(8000, 0, EncodeLong(-1), EncodeLong(1709208000000000)));
  add(10, Metrics(8000, 0, EncodeLong(0), EncodeLong(1709208000000001)));
  add(11, Metrics(9000, 4, LowerTextBound("aaaaaaaaaaaaaaa\xE2\x80\x99zzz"),
                  UpperTextBound("aaaaaaaaaaaaaaa\xE2\x80\x99zzz")));
  add(12, Metrics(16000, 0, EncodeUuid(low), EncodeUuid(high)));
  add(13, Metrics(4000, 0, EncodeBinary(code_low), EncodeBinary(code_high)));
  add(14, Metrics(20000, 0, LowerBinaryBound(raw), UpperBinaryBound(raw)));
  add(16, Metrics(700, 0, EncodeString(""), EncodeString("z")));
  add(17, Metrics(700, 0, EncodeInt(0), EncodeInt(0)));
  add(19, Metrics(800, 0, std::nullopt, std::nullopt));
  add(21, Metrics(800, 0, std::nullopt, std::nullopt));
  add(22, Metrics(800, 0, std::nullopt, std::nullopt, 0));
  add(23, Metrics(900, 999, EncodeInt(1), EncodeInt(1)));
  return file;
}

Snapshot SampleSnapshot(std::int64_t id, std::optional<SnapshotId> parent, std::int64_t number,
                        Operation operation) {
  return {
      .id = SnapshotId(id),
      .parent_id = parent,
      .sequence_number = SequenceNumber(number),
      .timestamp = UnixMillis(1760000000000 + number),
      .manifest_list = "s3://speed/shop/orders/metadata/snap-" + std::to_string(number) + ".avro",
      .operation = operation,
      .summary = {{"added-data-files", "1"},
                  {"added-records", "1000"},
                  {"total-records", "9007199254740993"}},
      .schema_version = SchemaVersion(1)};
}

SampleFile Text(std::string name, const std::string& content) {
  return {.name = std::move(name), .content = EncodeString(content)};
}

Error SampleError() {
  return Error(ErrorCode::kTableNotFound, "no such table: \"shop.\xE2\x82\xAC\"");
}

}  // namespace

Schema SampleSchema() {
  return {.version = SchemaVersion(1),
          .fields = {
              Column(1, "id", Type::Of(TypeKind::kLong), true, "the order's \"number\"\n"),
              Column(2, "flag", Type::Of(TypeKind::kBoolean)),
              Column(3, "count", Type::Of(TypeKind::kInt)),
              Column(4, "ratio", Type::Of(TypeKind::kFloat)),
              Column(5, "price", Type::Of(TypeKind::kDouble)),
              Column(6, "amount", Type::Decimal(38, 9)),
              Column(7, "day", Type::Of(TypeKind::kDate)),
              Column(8, "at", Type::Of(TypeKind::kTime)),
              Column(9, "made", Type::Of(TypeKind::kTimestamp)),
              Column(10, "seen", Type::Of(TypeKind::kTimestamptz)),
              Column(11, "name", Type::Of(TypeKind::kString)),
              Column(12, "token", Type::Of(TypeKind::kUuid)),
              Column(13, "code", Type::Fixed(4)),
              Column(14, "raw", Type::Of(TypeKind::kBinary)),
              Column(15, "address",
                     Type::Struct({Column(16, "city", Type::Of(TypeKind::kString), true),
                                   Column(17, "zip", Type::Of(TypeKind::kInt))})),
              Column(18, "tags", Type::List(FieldId(19), Type::Of(TypeKind::kString), true)),
              Column(20, "scores",
                     Type::Map(FieldId(21), Type::Of(TypeKind::kString), FieldId(22),
                               Type::Of(TypeKind::kDouble), false)),
              Column(23, "\xE6\x95\xB0\xE9\x87\x8F.\xF0\x9F\x9A\x9A", Type::Of(TypeKind::kInt)),
          }};
}

std::vector<ManifestEntry> SampleEntries() {
  const auto entry = [](EntryStatus status, std::int64_t snapshot, std::int64_t number,
                        std::int64_t file_number, DataFile file) {
    return ManifestEntry{.status = status,
                         .snapshot_id = SnapshotId(snapshot),
                         .sequence_number = SequenceNumber(number),
                         .file_sequence_number = SequenceNumber(file_number),
                         .file = std::move(file)};
  };
  const auto plain = [](std::string path) {
    return DataFile{.path = std::move(path), .record_count = 1, .file_size = 4, .columns = {}};
  };
  return {
      entry(EntryStatus::kAdded, 8744736658442914487, 1099511627779, 1099511627779, FullDataFile()),
      entry(EntryStatus::kExisting, 17, 2, 1, plain("s3://speed/shop/orders/data/b.parquet")),
      entry(EntryStatus::kDeleted, 9223372036854775807, 3, 3,
            plain("s3://speed/shop/orders/data/c.parquet"))};
}

ManifestListHeader SampleListHeader() {
  return {.snapshot_id = SnapshotId(8744736658442914487),
          .parent_snapshot_id = SnapshotId(9223372036854775807),
          .sequence_number = SequenceNumber(1099511627779)};
}

std::vector<ManifestFile> SampleManifestFiles() {
  return {{.path = "s3://speed/shop/orders/metadata/a.avro",
           .length = 4294967299,
           .sequence_number = SequenceNumber(1099511627779),
           .min_sequence_number = SequenceNumber(1),
           .added_snapshot_id = SnapshotId(8744736658442914487),
           .added_files = 1,
           .existing_files = 2,
           .deleted_files = 3,
           .added_rows = 9007199254740993,
           .existing_rows = 2000,
           .deleted_rows = 3000},
          {.path = "s3://speed/shop/orders/metadata/b.avro",
           .length = 1,
           .sequence_number = SequenceNumber(1),
           .min_sequence_number = SequenceNumber(1),
           .added_snapshot_id = SnapshotId(17),
           .added_files = 0,
           .existing_files = 0,
           .deleted_files = 0,
           .added_rows = 0,
           .existing_rows = 0,
           .deleted_rows = 0}};
}

TableMetadata EmptyMetadata() {
  const Uuid uuid{{0x8f, 0x14, 0xe4, 0x5f, 0xce, 0xea, 0x46, 0x7f, 0xa0, 0xe6, 0x4a, 0xd3, 0xb9,
                   0xf6, 0xe6, 0xb1}};
  Schema first = SampleSchema();
  first.version = SchemaVersion(0);
  first.fields.pop_back();
  return {.table_uuid = uuid,
          .location = "s3://speed/shop/orders",
          .last_sequence_number = SequenceNumber(0),
          .last_updated = UnixMillis(1760000000000),
          .last_column_id = FieldId(22),
          .schemas = {std::move(first)},
          .current_schema = SchemaVersion(0),
          .properties = {},
          .snapshots = {},
          .snapshot_log = {},
          .metadata_log = {}};
}

TableMetadata SampleMetadata() {
  TableMetadata metadata = EmptyMetadata();
  metadata.last_sequence_number = SequenceNumber(1099511627779);
  metadata.last_updated = UnixMillis(1760000000000 + 1099511627779);
  metadata.last_column_id = FieldId(23);
  metadata.schemas.push_back(SampleSchema());
  metadata.current_schema = SchemaVersion(1);
  metadata.properties = {{"write.metadata.metrics.column.kafka_offset", "full"},
                         {"comment", "caf\xC3\xA9 \"\\"}};
  const SnapshotId first(17);
  const SnapshotId second(9223372036854775807);
  const std::vector<Snapshot> snapshots = {
      SampleSnapshot(17, std::nullopt, 1, Operation::kAppend),
      SampleSnapshot(9223372036854775807, first, 2, Operation::kReplace),
      SampleSnapshot(8744736658442914487, second, 1099511627779, Operation::kAppend)};
  // The metadata points to its parts.
  static const std::vector<std::string> kParts = {
      SnapshotToJson(snapshots[0]), SnapshotToJson(snapshots[1]), SnapshotToJson(snapshots[2]),
      MetadataLogEntryToJson(
          {.timestamp = UnixMillis(1760000000001),
           .metadata_file = "s3://speed/shop/orders/metadata/00001-8f14.metadata.json"})};
  metadata.snapshots = {kParts[0], kParts[1], kParts[2]};
  for (const Snapshot& snapshot : snapshots) {
    metadata.snapshot_log.push_back({.timestamp = snapshot.timestamp, .snapshot_id = snapshot.id});
  }
  metadata.metadata_log = {kParts[3]};
  return metadata;
}

std::vector<SampleFile> SampleFiles() {
  const std::vector<StorageCredential> credentials = {
      {.prefix = "s3://speed/shop/orders/", .config = {{"s3.access-key-id", "key"}}},
      {.prefix = "s3://batch/shop/orders/", .config = {}}};
  const Properties config = {{"s3.endpoint", "http://127.0.0.1:9100/"},
                             {"client.region", "us-east-1"}};
  const std::vector<std::string> levels = {"shop", "eu"};
  const std::string metadata = TableMetadataToJson(SampleMetadata());
  return {
      {.name = "manifest.avro", .content = WriteManifest(SampleSchema(), SampleEntries())},
      {.name = "empty_manifest.avro", .content = WriteManifest(SampleSchema(), {})},
      {.name = "manifest_list.avro",
       .content = WriteManifestList(SampleListHeader(), SampleManifestFiles())},
      {.name = "first_manifest_list.avro",
       .content = WriteManifestList({.snapshot_id = SnapshotId(17),
                                     .parent_snapshot_id = std::nullopt,
                                     .sequence_number = SequenceNumber(1)},
                                    {})},
      Text("columns.json", ColumnsToJson(SampleEntries().front().file.columns)),
      Text("schema.json", SchemaToJson(SampleSchema())),
      Text("metadata.json", metadata),
      Text("metadata_refs.json", TableMetadataToJson(SampleMetadata(), true)),
      Text("empty_metadata.json", TableMetadataToJson(EmptyMetadata())),
      Text("error.json", ErrorBody(SampleError())),
      Text("config.json", ConfigBody({}, {{"prefix", "speed"}},
                                     {"GET /v1/{prefix}/namespaces",
                                      "GET /v1/{prefix}/namespaces/{namespace}/tables"})),
      Text("namespaces.json", ListNamespacesBody({{"shop"}, levels}, "page-2")),
      Text("last_namespaces.json", ListNamespacesBody({}, std::nullopt)),
      Text("namespace.json", NamespaceBody(levels, {{"owner", "x"}})),
      Text("tables.json", ListTablesBody(levels, {"orders", "caf\xC3\xA9"}, std::nullopt)),
      Text("table.json", LoadTableBody("s3://speed/shop/orders/metadata/00002-8f14.metadata.json",
                                       metadata, config, credentials)),
      Text("credentials.json", CredentialsBody(credentials)),
  };
}

}  // namespace frazil::iceberg::test
