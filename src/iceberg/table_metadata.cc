// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_metadata.h"

#include <span>
#include <string_view>
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

void AddRefs(const TableMetadata& metadata, OrderedJson& json) {
  OrderedJson refs = OrderedJson::object();
  std::int64_t current = kNoSnapshot;
  if (!metadata.snapshot_log.empty()) {
    current = metadata.snapshot_log.back().snapshot_id.value();
    OrderedJson branch;
    branch["snapshot-id"] = current;
    branch["type"] = "branch";
    refs["main"] = std::move(branch);
  }
  json["current-snapshot-id"] = current;
  json["refs"] = std::move(refs);
}

void AppendList(std::string_view name, std::span<const std::string_view> items, std::string& to) {
  to += ",\"";
  to += name;
  to += "\":[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) to += ',';
    to += items[i];
  }
  to += ']';
}

}  // namespace

OrderedJson ToJson(const Properties& properties) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [key, value] : properties) json[key] = value;
  return json;
}

std::string SnapshotToJson(const Snapshot& snapshot) { return Dump(ToJson(snapshot)); }

std::string MetadataLogEntryToJson(const MetadataLogEntry& entry) {
  OrderedJson json;
  json["timestamp-ms"] = entry.timestamp.value();
  json["metadata-file"] = entry.metadata_file;
  return Dump(json);
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
  AddRefs(metadata, json);
  std::string text = Dump(json);
  text.pop_back();
  std::span<const std::string_view> snapshots = metadata.snapshots;
  if (only_referenced && !snapshots.empty()) snapshots = snapshots.last(1);
  AppendList("snapshots", snapshots, text);
  text += R"(,"statistics":[],"partition-statistics":[],"snapshot-log":[)";
  for (const SnapshotLogEntry& entry : metadata.snapshot_log) {
    if (&entry != metadata.snapshot_log.data()) text += ',';
    text += R"({"timestamp-ms":)" + std::to_string(entry.timestamp.value()) + R"(,"snapshot-id":)" +
            std::to_string(entry.snapshot_id.value()) + '}';
  }
  text += ']';
  AppendList("metadata-log", metadata.metadata_log, text);
  text += '}';
  return text;
}

}  // namespace frazil::iceberg
