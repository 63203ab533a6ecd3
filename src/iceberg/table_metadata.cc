// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_metadata.h"

#include <span>
#include <utility>

#include "iceberg/json_internal.h"

namespace frazil::iceberg {
namespace {

// What readers expect where there is no snapshot: absent or null is not taken by all of them.
constexpr std::int64_t kNoSnapshot = -1;
// Partition fields are numbered from 1000.
constexpr std::int32_t kLastPartitionId = 999;

const char* NameOf(Operation operation) {
  switch (operation) {
    case Operation::kAppend:
      return "append";
    case Operation::kReplace:
      return "replace";
    case Operation::kOverwrite:
      return "overwrite";
    case Operation::kDelete:
      return "delete";
  }
  return "";
}

OrderedJson ToJson(const Snapshot& snapshot) {
  OrderedJson summary;
  summary["operation"] = NameOf(snapshot.operation);
  for (const auto& [key, value] : snapshot.summary) summary[key] = value;
  OrderedJson json;
  json["sequence-number"] = snapshot.sequence_number.value();
  json["snapshot-id"] = snapshot.id.value();
  if (snapshot.parent_id) json["parent-snapshot-id"] = snapshot.parent_id->value();
  json["timestamp-ms"] = snapshot.timestamp.value();
  json["summary"] = std::move(summary);
  json["manifest-list"] = snapshot.manifest_list;
  json["schema-id"] = snapshot.schema_version.value();
  return json;
}

OrderedJson SnapshotsToJson(std::span<const Snapshot> snapshots) {
  OrderedJson list = OrderedJson::array();
  for (const Snapshot& snapshot : snapshots) list.push_back(ToJson(snapshot));
  return list;
}

void AddSchemas(const TableMetadata& metadata, OrderedJson& json) {
  OrderedJson schemas = OrderedJson::array();
  for (const Schema& schema : metadata.schemas) schemas.push_back(ToJson(schema));
  json["current-schema-id"] = metadata.current_schema.value();
  json["schemas"] = std::move(schemas);
}

void AddSpecAndOrder(OrderedJson& json) {
  json["default-spec-id"] = 0;
  json["partition-specs"] =
      OrderedJson::array({OrderedJson{{"spec-id", 0}, {"fields", OrderedJson::array()}}});
  json["last-partition-id"] = kLastPartitionId;
  json["default-sort-order-id"] = 0;
  json["sort-orders"] =
      OrderedJson::array({OrderedJson{{"order-id", 0}, {"fields", OrderedJson::array()}}});
}

void AddSnapshots(const TableMetadata& metadata, bool only_referenced, OrderedJson& json) {
  std::span<const Snapshot> listed = metadata.snapshots;
  OrderedJson refs = OrderedJson::object();
  std::int64_t current = kNoSnapshot;
  if (!listed.empty()) {
    current = listed.back().id.value();
    OrderedJson branch;
    branch["snapshot-id"] = current;
    branch["type"] = "branch";
    refs["main"] = std::move(branch);
    if (only_referenced) listed = listed.last(1);
  }
  json["current-snapshot-id"] = current;
  json["refs"] = std::move(refs);
  json["snapshots"] = SnapshotsToJson(listed);
}

void AddLogs(const TableMetadata& metadata, OrderedJson& json) {
  OrderedJson snapshot_log = OrderedJson::array();
  for (const SnapshotLogEntry& entry : metadata.snapshot_log) {
    OrderedJson item;
    item["timestamp-ms"] = entry.timestamp.value();
    item["snapshot-id"] = entry.snapshot_id.value();
    snapshot_log.push_back(std::move(item));
  }
  OrderedJson metadata_log = OrderedJson::array();
  for (const MetadataLogEntry& entry : metadata.metadata_log) {
    OrderedJson item;
    item["timestamp-ms"] = entry.timestamp.value();
    item["metadata-file"] = entry.metadata_file;
    metadata_log.push_back(std::move(item));
  }
  json["snapshot-log"] = std::move(snapshot_log);
  json["metadata-log"] = std::move(metadata_log);
}

}  // namespace

OrderedJson ToJson(const Properties& properties) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [key, value] : properties) json[key] = value;
  return json;
}

std::string TableMetadataToJson(const TableMetadata& metadata, bool only_referenced) {
  OrderedJson json;
  json["format-version"] = 2;
  json["table-uuid"] = metadata.table_uuid.ToString();
  json["location"] = metadata.location;
  json["last-sequence-number"] = metadata.last_sequence_number.value();
  json["last-updated-ms"] = metadata.last_updated.value();
  json["last-column-id"] = metadata.last_column_id.value();
  AddSchemas(metadata, json);
  AddSpecAndOrder(json);
  json["properties"] = ToJson(metadata.properties);
  AddSnapshots(metadata, only_referenced, json);
  json["statistics"] = OrderedJson::array();
  json["partition-statistics"] = OrderedJson::array();
  AddLogs(metadata, json);
  return Dump(json);
}

}  // namespace frazil::iceberg
