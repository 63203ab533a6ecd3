// SPDX-License-Identifier: Apache-2.0
#include "serve/console/console_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "iceberg/table_metadata.h"

namespace frazil::serve::console {
namespace {

using Json = nlohmann::ordered_json;

// Text that is not UTF-8 shows U+FFFD for each fault, so that this never throws.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <typename Number>
Json NumberOrNull(const std::optional<Number>& number) {
  return number ? Json(number->value()) : Json(nullptr);
}

Json IdOrNull(const std::optional<Uuid>& id) {
  return id && !id->IsZero() ? Json(id->ToString()) : Json(nullptr);
}

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json ErrorJson(const Error& error) {
  return {{"code", error.row().name}, {"message", error.message()}};
}

Json TopicJson(const table::ListedTopic& listed) {
  return {{"name", listed.topic.name},
          {"topic-id", IdOrNull(listed.topic.topic_id)},
          {"internal", listed.topic.internal},
          {"partitions", listed.topic.partitions},
          {"table", listed.shown ? Json(listed.table) : Json(nullptr)},
          {"clashes-with", TextOrNull(listed.clashes_with)}};
}

Json LoadsJson(const table::LoadHistory& loads) {
  Json refusal = nullptr;
  if (loads.refusal) {
    const std::optional<decode::RecordPlace>& place = loads.refused_record;
    refusal = ErrorJson(*loads.refusal);
    refusal["partition"] = place ? Json(place->partition.value()) : Json(nullptr);
    refusal["offset"] = place ? Json(place->offset.value()) : Json(nullptr);
    refusal["schema-id"] = place ? NumberOrNull(place->schema_id) : Json(nullptr);
    refusal["time-ms"] = NumberOrNull(loads.refused);
  }
  return {{"last-shown-ms", NumberOrNull(loads.shown)}, {"last-refusal", refusal}};
}

Json OriginJson(const table::ColumnDescription& column) {
  if (!column.origin) return nullptr;
  const table::ColumnOrigin& origin = *column.origin;
  return {
      {"subject", origin.subject},
      {"subject-version", origin.subject_version ? Json(*origin.subject_version) : Json(nullptr)},
      {"schema-id", origin.schema_id.value()},
      {"format", origin.format},
      {"type", TextOrNull(origin.type)}};
}

Json PartitionJson(const table::PartitionDescription& partition) {
  Json open = nullptr;
  if (partition.high_watermark && partition.last_stable) {
    open = std::max<std::int64_t>(0, *partition.high_watermark - *partition.last_stable);
  }
  return {{"generation", partition.generation.value()},
          {"partition", partition.partition.value()},
          {"start", partition.start.value()},
          {"end", partition.end.value()},
          {"log-start", NumberOrNull(partition.log_start)},
          {"last-stable", NumberOrNull(partition.last_stable)},
          {"high-watermark", NumberOrNull(partition.high_watermark)},
          {"open-transaction-records", open},
          {"producer-id",
           partition.holding_producer ? Json(*partition.holding_producer) : Json(nullptr)}};
}

const char* NameOf(iceberg::Operation operation) {
  switch (operation) {
    case iceberg::Operation::kAppend:
      return "append";
    case iceberg::Operation::kReplace:
      return "replace";
    case iceberg::Operation::kOverwrite:
      return "overwrite";
    case iceberg::Operation::kDelete:
      return "delete";
  }
  return "append";
}

Json SnapshotJson(const table::SnapshotDescription& snapshot) {
  return {{"snapshot-id", snapshot.id.value()},
          {"parent-snapshot-id", NumberOrNull(snapshot.parent)},
          {"timestamp-ms", snapshot.stamp.value()},
          {"operation", NameOf(snapshot.operation)},
          {"added-records", snapshot.added_records},
          {"total-records", snapshot.total_records},
          {"total-data-files", snapshot.total_files}};
}

Json LostJson(const table::LostRangeDescription& lost) {
  return {{"generation", lost.generation.value()},
          {"partition", lost.partition.value()},
          {"start", lost.start.value()},
          {"end", lost.end.value()},
          {"reason", lost.reason},
          {"time-ms", lost.stamp.value()}};
}

template <typename Items, typename Convert>
Json ArrayOf(const Items& items, const Convert& convert) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(convert(item));
  return array;
}

// What every answer that names tables tells of each.
Json SummaryJson(const table::TableDescription& table) {
  return {
      {"namespace", table.namespace_name},
      {"name", table.name},
      {"topic", table.topic},
      {"clashes-with", TextOrNull(table.clashes_with)},
      {"table-uuid", IdOrNull(table.uuid)},
      {"location", TextOrNull(table.location)},
      {"snapshot", table.snapshots.empty() ? Json(nullptr) : SnapshotJson(table.snapshots.back())},
      {"loads", LoadsJson(table.loads)}};
}

Json StatusJson(const table::TableDescription& table) {
  Json json = SummaryJson(table);
  json["partitions"] = ArrayOf(table.partitions, PartitionJson);
  json["kafka-error"] = table.kafka_error ? ErrorJson(*table.kafka_error) : Json(nullptr);
  json["last-known-schema-since-ms"] = NumberOrNull(table.last_known_schema_since);
  json["schema-notice"] = table.schema_notice ? Json(*table.schema_notice) : Json(nullptr);
  json["lost"] = ArrayOf(table.lost, LostJson);
  return json;
}

Json SystemJson(const SystemState& system) {
  return {{"address", system.address},
          {"reachable", !system.failure.has_value()},
          {"error", system.failure ? ErrorJson(*system.failure) : Json(nullptr)}};
}

}  // namespace

std::string TopicsBody(const std::vector<table::ListedTopic>& topics) {
  return Dump({{"topics", ArrayOf(topics, TopicJson)}});
}

std::string TablesBody(const std::vector<table::TableDescription>& tables) {
  return Dump({{"tables", ArrayOf(tables, SummaryJson)}});
}

std::string TableBody(const table::TableDescription& table) {
  Json json = StatusJson(table);
  json["topic-id"] = IdOrNull(table.topic_id);
  json["generation"] = table.generation.value();
  json["schema-id"] = NumberOrNull(table.schema_version);
  json["columns"] = ArrayOf(table.columns, [](const table::ColumnDescription& column) -> Json {
    return {{"id", column.id.value()},
            {"name", column.path},
            {"type", column.type},
            {"required", column.required},
            {"origin", OriginJson(column)}};
  });
  json["snapshots"] = ArrayOf(table.snapshots, SnapshotJson);
  return Dump(json);
}

std::string StatusBody(const ServerState& server,
                       const std::vector<table::TableDescription>& tables,
                       const std::optional<Error>& tables_failure) {
  return Dump({{"version", server.version},
               {"started-ms", server.started.value()},
               {"now-ms", server.now.value()},
               {"catalog", server.catalog_url},
               {"s3", server.s3_url},
               {"kafka", SystemJson(server.kafka)},
               {"registry", server.registry ? SystemJson(*server.registry) : Json(nullptr)},
               {"tables", ArrayOf(tables, StatusJson)},
               {"tables-error", tables_failure ? ErrorJson(*tables_failure) : Json(nullptr)}});
}

std::string ErrorBody(const Error& error) { return Dump({{"error", ErrorJson(error)}}); }

}  // namespace frazil::serve::console
