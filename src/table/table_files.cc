// SPDX-License-Identifier: Apache-2.0
#include "table/table_files.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "decode/kafka_columns.h"
#include "iceberg/manifest.h"

namespace frazil::table {
namespace {

SequenceNumber SequenceOf(CutNumber cut) { return SequenceNumber(cut.value()); }

iceberg::Properties SummaryOf(const ledger::CutRow& cut) {
  iceberg::Properties summary{{"added-data-files", std::to_string(cut.added.files)},
                              {"added-records", std::to_string(cut.added.records)},
                              {"added-files-size", std::to_string(cut.added.bytes)}};
  if (cut.removed.files > 0) {
    summary.emplace_back("deleted-data-files", std::to_string(cut.removed.files));
    summary.emplace_back("deleted-records", std::to_string(cut.removed.records));
    summary.emplace_back("removed-files-size", std::to_string(cut.removed.bytes));
  }
  const bool changed = cut.added.files > 0 || cut.removed.files > 0;
  summary.emplace_back("changed-partition-count", changed ? "1" : "0");
  summary.emplace_back("total-data-files", std::to_string(cut.total.files));
  summary.emplace_back("total-records", std::to_string(cut.total.records));
  summary.emplace_back("total-files-size", std::to_string(cut.total.bytes));
  summary.emplace_back("total-delete-files", "0");
  summary.emplace_back("total-position-deletes", "0");
  summary.emplace_back("total-equality-deletes", "0");
  return summary;
}

// Compares cuts with numbers of cuts.
struct ByNumber {
  bool operator()(const ledger::CutRow& cut, CutNumber number) const { return cut.number < number; }
  bool operator()(CutNumber number, const ledger::CutRow& cut) const { return number < cut.number; }
};

iceberg::Snapshot SnapshotOf(const TableIdentity& table, const ledger::CutRow& cut) {
  return {.id = cut.snapshot_id,
          .parent_id = cut.parent_snapshot_id,
          .sequence_number = SequenceOf(cut.number),
          .timestamp = cut.stamp,
          .manifest_list = UrlOf(ManifestListKey(table, cut)),
          .operation = cut.operation,
          .summary = SummaryOf(cut),
          .schema_version = cut.schema_version};
}

}  // namespace

std::string MetadataKey(const TableIdentity& table, const ledger::StateRow& state) {
  return MetadataKey(table, state.number, state.nonce, state.writer_version);
}

std::string ManifestListKey(const TableIdentity& table, const ledger::CutRow& cut) {
  return ManifestListKey(table, cut.snapshot_id, cut.number, cut.nonce, cut.writer_version);
}

std::string ManifestKey(const TableIdentity& table, const ledger::ManifestRow& manifest) {
  return ManifestKey(table, manifest.cut, manifest.nonce, manifest.writer_version);
}

std::string_view MetadataTexts::Snapshot(const TableIdentity& table, const ledger::CutRow& cut) {
  std::string& text = snapshots_[cut.number];
  if (text.empty()) text = iceberg::SnapshotToJson(SnapshotOf(table, cut));
  return text;
}

std::string_view MetadataTexts::LogEntry(const TableIdentity& table,
                                         const ledger::StateRow& state) {
  std::string& text = states_[state.number];
  if (text.empty()) {
    text = iceberg::MetadataLogEntryToJson(
        {.timestamp = state.stamp, .metadata_file = UrlOf(MetadataKey(table, state))});
  }
  return text;
}

void MetadataTexts::Keep(const ledger::StateView& view) {
  if (snapshots_.size() > view.listed.size()) {
    std::erase_if(snapshots_, [&](const auto& entry) {
      return !std::binary_search(view.listed.begin(), view.listed.end(), entry.first, ByNumber());
    });
  }
  if (states_.size() > view.previous.size() && !view.previous.empty()) {
    states_.erase(states_.begin(), states_.lower_bound(view.previous.front().number));
  }
}

std::string MetadataJson(const TableIdentity& table, const std::vector<iceberg::Schema>& schemas,
                         const ledger::StateView& view, SnapshotSelection selection,
                         MetadataTexts& texts) {
  iceberg::TableMetadata metadata;
  metadata.table_uuid = table.uuid;
  metadata.location = table.Location();
  metadata.last_updated = view.state.stamp;
  metadata.current_schema = view.state.schema_version;
  metadata.properties = {{"frazil.topic", table.topic},
                         {"frazil.perspective", table.namespace_name}};
  metadata.last_column_id = decode::kFirstValueField + (-1);
  for (const iceberg::Schema& schema : schemas) {
    if (schema.version > view.state.schema_version) break;
    metadata.last_column_id = std::max(metadata.last_column_id, iceberg::HighestFieldId(schema));
    metadata.schemas.push_back(schema);
  }
  FRAZIL_CHECK(!view.listed.empty());
  metadata.last_sequence_number = SequenceOf(view.listed.back().number);
  metadata.snapshots.reserve(view.listed.size());
  for (const ledger::CutRow& cut : view.listed) {
    metadata.snapshots.push_back(texts.Snapshot(table, cut));
    metadata.snapshot_log.push_back({.timestamp = cut.stamp, .snapshot_id = cut.snapshot_id});
  }
  for (const ledger::StateRow& state : view.previous) {
    metadata.metadata_log.push_back(texts.LogEntry(table, state));
  }
  std::string json =
      iceberg::TableMetadataToJson(metadata, selection == SnapshotSelection::kReferenced);
  texts.Keep(view);
  return json;
}

Bytes ManifestListBytes(const TableIdentity& table, const ledger::CutView& view) {
  std::vector<iceberg::ManifestFile> manifests;
  manifests.reserve(view.manifests.size());
  // Newest first, as Iceberg's own writers have it.
  for (auto row = view.manifests.rbegin(); row != view.manifests.rend(); ++row) {
    manifests.push_back({.path = UrlOf(ManifestKey(table, *row)),
                         .length = row->length,
                         .sequence_number = SequenceOf(row->cut),
                         .min_sequence_number = row->min_sequence_number,
                         .added_snapshot_id = row->snapshot_id,
                         .added_files = static_cast<std::int32_t>(row->added.files),
                         .existing_files = static_cast<std::int32_t>(row->existing.files),
                         .deleted_files = static_cast<std::int32_t>(row->deleted.files),
                         .added_rows = row->added.records,
                         .existing_rows = row->existing.records,
                         .deleted_rows = row->deleted.records});
  }
  return iceberg::WriteManifestList({.snapshot_id = view.cut.snapshot_id,
                                     .parent_snapshot_id = view.cut.parent_snapshot_id,
                                     .sequence_number = SequenceOf(view.cut.number)},
                                    manifests);
}

Bytes ManifestBytes(const std::vector<iceberg::Schema>& schemas,
                    const ledger::ManifestRow& manifest, const ChunkOfEntry& chunk) {
  std::vector<iceberg::ManifestEntry> entries;
  entries.reserve(manifest.entries.size());
  for (const ledger::ManifestEntryRow& entry : manifest.entries) {
    const ledger::ChunkRow& row = chunk(entry.chunk);
    // A deleted entry names the snapshot that deleted it, and the sequence of the one that added
    // it.
    const bool existing = entry.status == iceberg::EntryStatus::kExisting;
    entries.push_back({.status = entry.status,
                       .snapshot_id = existing ? row.added_snapshot : manifest.snapshot_id,
                       .sequence_number = SequenceOf(row.added_cut),
                       .file_sequence_number = SequenceOf(row.added_cut),
                       .file = row.file});
  }
  const auto version = static_cast<std::size_t>(manifest.schema_version.value());
  FRAZIL_CHECK(version < schemas.size());
  return iceberg::WriteManifest(schemas[version], entries);
}

}  // namespace frazil::table
