// SPDX-License-Identifier: Apache-2.0
#include "table/table_inspector.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/encoding.h"
#include "decode/kafka_columns.h"

namespace frazil::table {
namespace {

// Which version of the subject a schema is; empty where nobody can tell.
std::map<WriterSchemaId, std::int32_t> SubjectVersions(SchemaSource& source,
                                                       const std::string& subject,
                                                       Deadline deadline,
                                                       const std::stop_token& stop) {
  std::map<WriterSchemaId, std::int32_t> numbers;
  const auto versions = source.Versions(subject, deadline, stop);
  if (!versions.ok()) return numbers;
  for (const SubjectVersion& version : *versions) numbers[version.schema.id] = version.version;
  return numbers;
}

// The newest writer whose schema has the field.
std::optional<ColumnOrigin> OriginOf(const std::string& field,
                                     const std::vector<ledger::WriterRow>& writers) {
  std::optional<ColumnOrigin> origin;
  for (const ledger::WriterRow& writer : writers) {
    std::string type = writer.format == "AVRO" ? AvroTypeOfField(writer.text, field) : "";
    const bool older = origin && origin->schema_id > writer.writer_schema_id;
    if (older || (writer.format == "AVRO" && type.empty())) continue;
    origin = ColumnOrigin{.subject = {},
                          .subject_version = std::nullopt,
                          .schema_id = writer.writer_schema_id,
                          .format = writer.format,
                          .type = std::move(type)};
  }
  return origin;
}

void AddSnapshots(const ledger::StateView& state, Detail detail, TableDescription& table) {
  const std::vector<ledger::CutRow>& listed = state.listed;
  const std::size_t first = detail == Detail::kFull || listed.empty() ? 0 : listed.size() - 1;
  for (std::size_t i = first; i < listed.size(); ++i) {
    const ledger::CutRow& cut = listed[i];
    table.snapshots.push_back({.id = cut.snapshot_id,
                               .parent = cut.parent_snapshot_id,
                               .stamp = cut.stamp,
                               .operation = cut.operation,
                               .added_records = cut.added.records,
                               .total_records = cut.total.records,
                               .total_files = cut.total.files});
  }
  if (listed.empty()) return;
  for (const ledger::CutPartition& partition : listed.back().partitions) {
    table.partitions.push_back({.generation = partition.generation,
                                .partition = partition.partition,
                                .start = partition.start,
                                .end = partition.end});
  }
}

}  // namespace

Result<std::vector<ListedTopic>> TableInspector::Topics(Deadline deadline,
                                                        const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const auto listing, catalog_.directory().Fresh(deadline, stop));
  return listing->topics;
}

Result<std::vector<TableDescription>> TableInspector::Tables(Detail detail, Deadline deadline,
                                                             const std::stop_token& stop) {
  const std::string speed(kSpeedNamespace);
  FRAZIL_ASSIGN_OR_RETURN(const auto names, catalog_.ListTables(speed, deadline, stop));
  std::vector<TableDescription> tables;
  for (const std::string& name : names) {
    FRAZIL_ASSIGN_OR_RETURN(auto table, Describe(catalog_.Listed(name), detail, deadline, stop));
    tables.push_back(std::move(table));
  }
  return tables;
}

Result<TableDescription> TableInspector::DescribeTable(const std::string& namespace_name,
                                                       const std::string& name, Detail detail,
                                                       Deadline deadline,
                                                       const std::stop_token& stop) {
  FRAZIL_RETURN_IF_ERROR(catalog_.CheckTable(namespace_name, name, deadline, stop));
  return Describe(catalog_.Listed(name), detail, deadline, stop);
}

Result<TableDescription> TableInspector::Describe(const ListedTopic& listed, Detail detail,
                                                  Deadline deadline, const std::stop_token& stop) {
  TableDescription table;
  table.namespace_name = kSpeedNamespace;
  table.name = listed.table;
  table.topic = listed.topic.name;
  table.clashes_with = listed.clashes_with;
  table.loads = catalog_.LoadsOf(table.topic);
  FRAZIL_RETURN_IF_ERROR(AddShown(table, detail, deadline, stop));
  if (detail != Detail::kSummary) AddKafka(table, deadline, stop);
  return table;
}

Status TableInspector::AddShown(TableDescription& table, Detail detail, Deadline deadline,
                                const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const auto topic, context_.ledger.FindTopic(table.topic));
  if (!topic) return {};
  FRAZIL_ASSIGN_OR_RETURN(const SpeedTable* shown, catalog_.OpenTable(table.topic));
  if (shown == nullptr) return {};
  table.uuid = shown->identity().uuid;
  table.location = shown->identity().Location();
  table.topic_id = topic->topic_id;
  table.generation = topic->generation;
  table.schema_notice = shown->schemas().Notice();
  table.last_known_schema_since = shown->schemas().StaleSince();
  if (const std::optional<ledger::StateView> state = shown->LastState()) {
    AddSnapshots(*state, detail, table);
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto lost, shown->LostRanges());
  for (const ledger::LostRange& range : lost) {
    table.lost.push_back({.generation = range.generation,
                          .partition = range.partition,
                          .start = range.start,
                          .end = range.end,
                          .reason = range.reason,
                          .stamp = range.stamp});
  }
  return detail == Detail::kFull ? AddColumns(table, topic->key, deadline, stop) : Status();
}

Status TableInspector::AddColumns(TableDescription& table, std::int64_t topic_key,
                                  Deadline deadline, const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const auto schemas, context_.ledger.Schemas(topic_key));
  if (schemas.empty()) return {};
  FRAZIL_ASSIGN_OR_RETURN(const auto writers, context_.ledger.Writers(topic_key));
  const iceberg::Schema& schema = schemas.back().schema;
  const std::string subject = table.topic + "-value";
  std::map<WriterSchemaId, std::int32_t> versions;
  if (!writers.empty()) {
    versions = SubjectVersions(context_.schemas, subject,
                               deadline.Within(context_.options.registry_timeout), stop);
  }
  table.schema_version = schema.version;
  table.columns = DescribeColumns(schema);
  for (ColumnDescription& column : table.columns) {
    const bool nested = column.path.find('.') != std::string::npos;
    if (nested || column.id < decode::kFirstValueField) continue;
    column.origin = OriginOf(column.path, writers);
    if (!column.origin) continue;
    column.origin->subject = subject;
    const auto found = versions.find(column.origin->schema_id);
    if (found != versions.end()) column.origin->subject_version = found->second;
  }
  return {};
}

void TableInspector::AddKafka(TableDescription& table, Deadline deadline,
                              const std::stop_token& stop) {
  const auto state =
      context_.records.Describe(table.topic, deadline.Within(context_.options.kafka_timeout), stop);
  if (!state.ok()) {
    table.kafka_error = state.error();
    return;
  }
  for (const PartitionState& now : state->partitions) {
    const auto of_now = [&](const PartitionDescription& shown) {
      return shown.partition == now.partition && shown.generation == table.generation;
    };
    auto shown = std::find_if(table.partitions.begin(), table.partitions.end(), of_now);
    if (shown == table.partitions.end()) {
      table.partitions.push_back({.generation = table.generation,
                                  .partition = now.partition,
                                  .start = now.start,
                                  .end = now.start});
      shown = std::prev(table.partitions.end());
    }
    shown->log_start = now.start;
    shown->last_stable = now.end;
    shown->high_watermark = now.high_watermark;
    if (now.high_watermark <= now.end) continue;
    const auto holder = context_.records.OldestOpenTransaction(
        table.topic, now.partition, deadline.Within(context_.options.kafka_timeout), stop);
    if (holder.ok() && *holder) shown->holding_producer = (*holder)->producer_id;
  }
}

}  // namespace frazil::table
