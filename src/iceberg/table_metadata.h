// SPDX-License-Identifier: Apache-2.0
// Table metadata, format version 2, and its JSON.
// Spec: Apache Iceberg table spec, "Table Metadata" and appendix C. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/uuid.h"
#include "iceberg/schema.h"

namespace frazil::iceberg {

enum class Operation { kAppend, kReplace, kOverwrite, kDelete };

using Properties = std::vector<std::pair<std::string, std::string>>;

struct Snapshot {
  SnapshotId id;
  std::optional<SnapshotId> parent_id;
  SequenceNumber sequence_number;
  UnixMillis timestamp;
  std::string manifest_list;
  Operation operation = Operation::kAppend;
  // Beside "operation"; in order.
  Properties summary;
  SchemaVersion schema_version;
};

struct SnapshotLogEntry {
  UnixMillis timestamp;
  SnapshotId snapshot_id;
};

struct MetadataLogEntry {
  UnixMillis timestamp;
  std::string metadata_file;
};

// An unpartitioned, unsorted table.
struct TableMetadata {
  Uuid table_uuid;
  std::string location;
  SequenceNumber last_sequence_number;
  UnixMillis last_updated;
  FieldId last_column_id;
  // Ascending; the current one is among them.
  std::vector<Schema> schemas;
  SchemaVersion current_schema;
  Properties properties;
  // SnapshotToJson of each, oldest first: they never change, and whoever lists hundreds keeps them.
  // They must outlive the value. None: an empty table.
  std::vector<std::string_view> snapshots;
  // One for each snapshot, in the same order; the current one is the last.
  std::vector<SnapshotLogEntry> snapshot_log;
  // MetadataLogEntryToJson of each, oldest first; they must outlive the value.
  std::vector<std::string_view> metadata_log;
};

std::string SnapshotToJson(const Snapshot& snapshot);
std::string MetadataLogEntryToJson(const MetadataLogEntry& entry);

// Keys in a fixed order; integers of 64 bits in all their digits. The branch "main" points to the
// current snapshot. `only_referenced` keeps just the snapshots that a ref names (snapshots=refs)
// and leaves the logs whole.
std::string TableMetadataToJson(const TableMetadata& metadata, bool only_referenced = false);

}  // namespace frazil::iceberg
