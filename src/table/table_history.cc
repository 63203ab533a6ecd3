// SPDX-License-Identifier: Apache-2.0
#include "table/table_history.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/encoding.h"
#include "decode/kafka_columns.h"

namespace frazil::table {
namespace {

SequenceNumber SequenceOf(const ledger::CutRow& cut) { return SequenceNumber(cut.number.value()); }

// The schema that a manifest names in its header: the one that the table had at the cut.
const iceberg::Schema& SchemaOf(const std::vector<iceberg::Schema>& schemas,
                                SchemaVersion version) {
  const auto index = static_cast<std::size_t>(version.value());
  FRAZIL_CHECK(index < schemas.size());
  return schemas[index];
}

}  // namespace

TableHistory::TableHistory(TableIdentity table, ledger::TableHistory recorded)
    : table_(std::move(table)),
      cuts_(std::move(recorded.cuts)),
      states_(std::move(recorded.states)) {
  for (std::size_t i = 0; i < cuts_.size(); ++i) IndexCut(i);
  for (std::size_t i = 0; i < states_.size(); ++i) IndexState(i);
}

void TableHistory::Add(const ledger::RecordedState& recorded) {
  if (recorded.cut) {
    cuts_.push_back(*recorded.cut);
    IndexCut(cuts_.size() - 1);
  }
  states_.push_back(recorded.state);
  IndexState(states_.size() - 1);
}

void TableHistory::IndexCut(std::size_t position) {
  const ledger::CutRow& cut = cuts_[position];
  Totals totals = position == 0 ? Totals{} : totals_[position - 1];
  for (std::size_t i = 0; i < cut.cut.chunks.size(); ++i) {
    const iceberg::DataFile& file = cut.cut.chunks[i].file;
    ++totals.files;
    totals.records += file.record_count;
    totals.bytes += file.file_size;
    places_[std::string(KeyOf(file.path))] = {Kind::kChunk, position, i};
  }
  totals_.push_back(totals);
  manifest_files_.emplace_back();
  places_[ManifestListKey(table_, cut.cut.snapshot_id, cut.number, cut.nonce, cut.writer_version)] =
      {Kind::kManifestList, position, 0};
  if (!cut.cut.chunks.empty()) {
    places_[ManifestKey(table_, cut.number, cut.nonce, cut.writer_version)] = {Kind::kManifest,
                                                                               position, 0};
  }
}

void TableHistory::IndexState(std::size_t position) {
  const ledger::StateRow& state = states_[position];
  places_[MetadataKey(table_, state.number, state.nonce, state.writer_version)] = {Kind::kMetadata,
                                                                                   position, 0};
}

const ledger::StateRow* TableHistory::LastState() const {
  return states_.empty() ? nullptr : &states_.back();
}

const ledger::CutRow* TableHistory::LastCut() const {
  return cuts_.empty() ? nullptr : &cuts_.back();
}

std::size_t TableHistory::StatePosition(std::int64_t number) const {
  const auto found = std::lower_bound(
      states_.begin(), states_.end(), number,
      [](const ledger::StateRow& state, std::int64_t wanted) { return state.number < wanted; });
  FRAZIL_CHECK(found != states_.end() && found->number == number);
  return static_cast<std::size_t>(found - states_.begin());
}

const ledger::StateRow& TableHistory::State(std::int64_t number) const {
  return states_[StatePosition(number)];
}

std::size_t TableHistory::PositionOf(CutNumber cut) const {
  const auto found = std::lower_bound(
      cuts_.begin(), cuts_.end(), cut,
      [](const ledger::CutRow& row, CutNumber wanted) { return row.number < wanted; });
  FRAZIL_CHECK(found != cuts_.end() && found->number == cut);
  return static_cast<std::size_t>(found - cuts_.begin());
}

std::string TableHistory::MetadataUrl(const ledger::StateRow& state) const {
  return UrlOf(MetadataKey(table_, state.number, state.nonce, state.writer_version));
}

iceberg::Snapshot TableHistory::SnapshotOf(std::size_t position) const {
  const ledger::CutRow& cut = cuts_[position];
  const Totals& totals = totals_[position];
  const Totals before = position == 0 ? Totals{} : totals_[position - 1];
  iceberg::Snapshot snapshot{
      .id = cut.cut.snapshot_id,
      .parent_id = std::nullopt,
      .sequence_number = SequenceOf(cut),
      .timestamp = cut.stamp,
      .manifest_list = UrlOf(
          ManifestListKey(table_, cut.cut.snapshot_id, cut.number, cut.nonce, cut.writer_version)),
      .operation = cut.cut.operation,
      .summary = {{"added-data-files", std::to_string(totals.files - before.files)},
                  {"added-records", std::to_string(totals.records - before.records)},
                  {"added-files-size", std::to_string(totals.bytes - before.bytes)},
                  {"changed-partition-count", totals.files > before.files ? "1" : "0"},
                  {"total-data-files", std::to_string(totals.files)},
                  {"total-records", std::to_string(totals.records)},
                  {"total-files-size", std::to_string(totals.bytes)},
                  {"total-delete-files", "0"},
                  {"total-position-deletes", "0"},
                  {"total-equality-deletes", "0"}},
      .schema_version = cut.schema_version};
  if (position > 0) snapshot.parent_id = cuts_[position - 1].cut.snapshot_id;
  return snapshot;
}

iceberg::Properties TableHistory::TableProperties() const {
  return {{"frazil.topic", table_.topic}, {"frazil.perspective", table_.namespace_name}};
}

std::string TableHistory::MetadataJson(const ledger::StateRow& state, SnapshotSelection selection) {
  iceberg::TableMetadata metadata;
  metadata.table_uuid = table_.uuid;
  metadata.location = table_.Location();
  metadata.last_updated = state.stamp;
  metadata.current_schema = state.schema_version;
  metadata.properties = TableProperties();
  metadata.last_column_id = decode::kFirstValueField + (-1);
  for (const iceberg::Schema& schema : schemas_) {
    if (schema.version > state.schema_version) break;
    metadata.last_column_id = std::max(metadata.last_column_id, iceberg::HighestFieldId(schema));
    metadata.schemas.push_back(schema);
  }
  const std::size_t last = PositionOf(state.cut);
  const std::size_t first = last + 1 > kListedSnapshots ? last + 1 - kListedSnapshots : 0;
  metadata.last_sequence_number = SequenceOf(cuts_[last]);
  for (std::size_t i = first; i <= last; ++i) {
    metadata.snapshots.push_back(SnapshotOf(i));
    metadata.snapshot_log.push_back(
        {.timestamp = cuts_[i].stamp, .snapshot_id = cuts_[i].cut.snapshot_id});
  }
  const std::size_t own = StatePosition(state.number);
  for (std::size_t i = own > kListedMetadataFiles ? own - kListedMetadataFiles : 0; i < own; ++i) {
    metadata.metadata_log.push_back(
        {.timestamp = states_[i].stamp, .metadata_file = MetadataUrl(states_[i])});
  }
  return iceberg::TableMetadataToJson(metadata, selection == SnapshotSelection::kReferenced);
}

Bytes TableHistory::ManifestBytes(const ledger::CutRow& cut) const {
  std::vector<iceberg::ManifestEntry> entries;
  entries.reserve(cut.cut.chunks.size());
  for (const ledger::ChunkRow& chunk : cut.cut.chunks) {
    entries.push_back({.status = iceberg::EntryStatus::kAdded,
                       .snapshot_id = cut.cut.snapshot_id,
                       .sequence_number = SequenceOf(cut),
                       .file_sequence_number = SequenceOf(cut),
                       .file = chunk.file});
  }
  return iceberg::WriteManifest(SchemaOf(schemas_, cut.schema_version), entries);
}

const iceberg::ManifestFile& TableHistory::ManifestFileOf(std::size_t position) {
  std::optional<iceberg::ManifestFile>& made = manifest_files_[position];
  if (!made) {
    const ledger::CutRow& cut = cuts_[position];
    const Totals before = position == 0 ? Totals{} : totals_[position - 1];
    made = iceberg::ManifestFile{
        .path = UrlOf(ManifestKey(table_, cut.number, cut.nonce, cut.writer_version)),
        .length = static_cast<std::int64_t>(ManifestBytes(cut).size()),
        .sequence_number = SequenceOf(cut),
        .min_sequence_number = SequenceOf(cut),
        .added_snapshot_id = cut.cut.snapshot_id,
        .added_files = static_cast<std::int32_t>(cut.cut.chunks.size()),
        .added_rows = totals_[position].records - before.records};
  }
  return *made;
}

Bytes TableHistory::ManifestListBytes(const ledger::CutRow& cut) {
  const std::size_t last = PositionOf(cut.number);
  std::vector<iceberg::ManifestFile> manifests;
  // Newest first, as Iceberg's own writers have it.
  for (std::size_t i = last + 1; i-- > 0;) {
    if (!cuts_[i].cut.chunks.empty()) manifests.push_back(ManifestFileOf(i));
  }
  iceberg::ManifestListHeader header{.snapshot_id = cut.cut.snapshot_id,
                                     .parent_snapshot_id = std::nullopt,
                                     .sequence_number = SequenceOf(cut)};
  if (last > 0) header.parent_snapshot_id = cuts_[last - 1].cut.snapshot_id;
  return iceberg::WriteManifestList(header, manifests);
}

Result<TableHistory::Resolved> TableHistory::Resolve(std::string_view key) const {
  const auto found = places_.find(key);
  if (found == places_.end()) {
    return Error(ErrorCode::kNotFound, "this path was never handed out: " + Printable(key));
  }
  const Place& place = found->second;
  Resolved resolved{.kind = place.kind};
  if (place.kind == Kind::kMetadata) {
    resolved.state = &states_[place.position];
    return resolved;
  }
  resolved.cut = &cuts_[place.position];
  if (place.kind == Kind::kChunk) resolved.chunk = &resolved.cut->cut.chunks[place.chunk];
  return resolved;
}

Result<Bytes> TableHistory::Render(const Resolved& resolved) {
  if (resolved.writer_version() != kWriterVersion) {
    return Error(ErrorCode::kPathNotReproducible,
                 fmt::format("another version of Frazil wrote this file, and this one would give "
                             "other bytes; load the table again: writer version {}",
                             resolved.writer_version()));
  }
  switch (resolved.kind) {
    case Kind::kMetadata: {
      const std::string json = MetadataJson(*resolved.state, SnapshotSelection::kAll);
      return Bytes(json.begin(), json.end());
    }
    case Kind::kManifestList:
      return ManifestListBytes(*resolved.cut);
    case Kind::kManifest:
      return ManifestBytes(*resolved.cut);
    case Kind::kChunk:
      break;
  }
  return Error(ErrorCode::kInternal, "a chunk is made of records, not of the ledger");
}

std::vector<std::string> TableHistory::CurrentKeys() const {
  std::vector<std::string> keys;
  if (states_.empty()) return keys;
  const ledger::StateRow& state = states_.back();
  keys.push_back(MetadataKey(table_, state.number, state.nonce, state.writer_version));
  const ledger::CutRow& last = cuts_.back();
  keys.push_back(
      ManifestListKey(table_, last.cut.snapshot_id, last.number, last.nonce, last.writer_version));
  for (const ledger::CutRow& cut : cuts_) {
    if (cut.cut.chunks.empty()) continue;
    keys.push_back(ManifestKey(table_, cut.number, cut.nonce, cut.writer_version));
    for (const ledger::ChunkRow& chunk : cut.cut.chunks) {
      keys.emplace_back(KeyOf(chunk.file.path));
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace frazil::table
