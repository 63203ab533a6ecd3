// SPDX-License-Identifier: Apache-2.0
// The bytes of a table's metadata files, manifest lists and manifests, made of what the ledger
// holds. Nothing here is stored: the same rows give the same bytes (R4, R11). No I/O.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "iceberg/schema.h"
#include "iceberg/table_metadata.h"
#include "ledger/ledger.h"
#include "table/object_names.h"
#include "table/table_catalog.h"

namespace frazil::table {

std::string MetadataKey(const TableIdentity& table, const ledger::StateRow& state);
std::string ManifestListKey(const TableIdentity& table, const ledger::CutRow& cut);
std::string ManifestKey(const TableIdentity& table, const ledger::ManifestRow& manifest);

// The parts of metadata files that stay the same from one to the next, so that listing hundreds of
// snapshots costs little.
// Threads: none; its owner guards it.
class MetadataTexts {
 public:
  std::string_view Snapshot(const TableIdentity& table, const ledger::CutRow& cut);
  std::string_view LogEntry(const TableIdentity& table, const ledger::StateRow& state);
  // Drops what the view does not list; texts of the rest stay where they are.
  void Keep(const ledger::StateView& view);

 private:
  std::map<CutNumber, std::string> snapshots_;
  std::map<std::int64_t, std::string> states_;
};

// `schemas`: the topic's versions, numbered from 0; later ones than the state's are left out.
// Requires: the state's version is among them; the view lists at least one cut.
std::string MetadataJson(const TableIdentity& table, const std::vector<iceberg::Schema>& schemas,
                         const ledger::StateView& view, SnapshotSelection selection,
                         MetadataTexts& texts);

Bytes ManifestListBytes(const TableIdentity& table, const ledger::CutView& view);

// The chunk that an entry names. Its added_cut and added_snapshot are set.
using ChunkOfEntry = std::function<const ledger::ChunkRow&(ChunkId)>;

// Requires: the manifest's schema version is among `schemas`.
Bytes ManifestBytes(const std::vector<iceberg::Schema>& schemas,
                    const ledger::ManifestRow& manifest, const ChunkOfEntry& chunk);

}  // namespace frazil::table
