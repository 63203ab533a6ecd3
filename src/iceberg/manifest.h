// SPDX-License-Identifier: Apache-2.0
// Manifests and manifest lists, format version 2, as Avro container files.
// Spec: Apache Iceberg table spec, "Manifests", "Snapshots / Manifest Lists", appendix A. Pure.
//
// What each client demands of these bytes stands in the module's README.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "iceberg/data_file.h"
#include "iceberg/schema.h"

namespace frazil::iceberg {

enum class EntryStatus { kExisting = 0, kAdded = 1, kDeleted = 2 };

struct ManifestEntry {
  EntryStatus status = EntryStatus::kAdded;
  SnapshotId snapshot_id;
  // Explicit for every status.
  SequenceNumber sequence_number;
  SequenceNumber file_sequence_number;
  DataFile file;

  friend bool operator==(const ManifestEntry&, const ManifestEntry&) = default;
};

// Data files of an unpartitioned table (spec id 0). The schema stands in the header.
// The same input gives the same bytes.
Bytes WriteManifest(const Schema& schema, const std::vector<ManifestEntry>& entries);

// Errors: corrupt_data. Reads what WriteManifest writes, by field id.
Result<std::vector<ManifestEntry>> ReadManifest(ByteView file);

struct ManifestFile {
  std::string path;
  std::int64_t length = 0;
  SequenceNumber sequence_number;
  SequenceNumber min_sequence_number;
  SnapshotId added_snapshot_id;
  std::int32_t added_files = 0;
  std::int32_t existing_files = 0;
  std::int32_t deleted_files = 0;
  std::int64_t added_rows = 0;
  std::int64_t existing_rows = 0;
  std::int64_t deleted_rows = 0;

  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

struct ManifestListHeader {
  SnapshotId snapshot_id;
  std::optional<SnapshotId> parent_snapshot_id;
  SequenceNumber sequence_number;
};

Bytes WriteManifestList(const ManifestListHeader& header,
                        const std::vector<ManifestFile>& manifests);

// Errors: corrupt_data.
Result<std::vector<ManifestFile>> ReadManifestList(ByteView file);

}  // namespace frazil::iceberg
