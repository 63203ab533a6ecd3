// SPDX-License-Identifier: Apache-2.0
// One table's recorded history, and the metadata files, manifest lists and manifests that it gives.
// Nothing here is stored: the same history gives the same bytes (R4, R11).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "iceberg/manifest.h"
#include "iceberg/schema.h"
#include "iceberg/table_metadata.h"
#include "ledger/ledger.h"
#include "table/object_names.h"
#include "table/table_catalog.h"

namespace frazil::table {

// Snapshots that a metadata file lists, and earlier metadata files that it names, at most. Older
// ones still resolve.
inline constexpr std::size_t kListedSnapshots = 500;
inline constexpr std::size_t kListedMetadataFiles = 100;

// Threads: none; its owner guards it.
class TableHistory {
 public:
  TableHistory(TableIdentity table, ledger::TableHistory recorded);

  // Appends what was recorded just now. Requires: it follows the last one.
  void Add(const ledger::RecordedState& recorded);
  // Replaces the schema versions that metadata files show. Requires: the earlier ones stay.
  void SetSchemas(std::vector<iceberg::Schema> schemas) { schemas_ = std::move(schemas); }

  const TableIdentity& table() const { return table_; }
  // Null before the first state.
  const ledger::StateRow* LastState() const;
  const ledger::CutRow* LastCut() const;
  // Requires: a state of that number was recorded.
  const ledger::StateRow& State(std::int64_t number) const;

  std::string MetadataUrl(const ledger::StateRow& state) const;
  std::string MetadataJson(const ledger::StateRow& state, SnapshotSelection selection);

  enum class Kind { kMetadata, kManifestList, kManifest, kChunk };

  // What a key of this table stands for. Points into the history: valid until the next Add.
  struct Resolved {
    Kind kind = Kind::kMetadata;
    // kMetadata only.
    const ledger::StateRow* state = nullptr;
    // All but kMetadata.
    const ledger::CutRow* cut = nullptr;
    // kChunk only.
    const ledger::ChunkRow* chunk = nullptr;

    UnixMillis stamp() const { return state != nullptr ? state->stamp : cut->stamp; }
    int writer_version() const {
      return state != nullptr ? state->writer_version : cut->writer_version;
    }
  };
  // Errors: not_found for a key that was never handed out.
  Result<Resolved> Resolve(std::string_view key) const;

  // The bytes of a metadata file, manifest list or manifest. Requires: no chunk.
  // Errors: path_not_reproducible for one that another writer version wrote (R4).
  Result<Bytes> Render(const Resolved& resolved);

  // Keys of the last state: its metadata file, its snapshot's manifest list, manifests and chunks;
  // in byte order.
  std::vector<std::string> CurrentKeys() const;

 private:
  // Sums over the cuts up to and with one.
  struct Totals {
    std::int64_t files = 0;
    std::int64_t records = 0;
    std::int64_t bytes = 0;
  };

  Bytes ManifestListBytes(const ledger::CutRow& cut);
  Bytes ManifestBytes(const ledger::CutRow& cut) const;
  void IndexCut(std::size_t position);
  void IndexState(std::size_t position);
  std::size_t PositionOf(CutNumber cut) const;
  std::size_t StatePosition(std::int64_t number) const;
  iceberg::Snapshot SnapshotOf(std::size_t position) const;
  // The manifest-list entry of a cut's manifest; made once.
  const iceberg::ManifestFile& ManifestFileOf(std::size_t position);
  iceberg::Properties TableProperties() const;

  struct Place {
    Kind kind;
    std::size_t position;
    std::size_t chunk;
  };

  const TableIdentity table_;
  std::vector<iceberg::Schema> schemas_;
  std::vector<ledger::CutRow> cuts_;
  std::vector<ledger::StateRow> states_;
  std::vector<Totals> totals_;
  std::vector<std::optional<iceberg::ManifestFile>> manifest_files_;
  std::map<std::string, Place, std::less<>> places_;
};

}  // namespace frazil::table
