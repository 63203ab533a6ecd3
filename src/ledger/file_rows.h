// SPDX-License-Identifier: Apache-2.0
// Rows of manifests, their entries, and chunks. Internal to this module.
// Errors of all: ledger, corrupt_data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

// Of the live chunk set, ascending by id.
Result<std::vector<ChunkRow>> ReadLiveChunks(Database& database, std::int64_t table_key);
// corrupt_data when it is not there.
Result<ChunkRow> ReadChunk(Database& database, std::int64_t table_key, ChunkId id);
Result<std::optional<ChunkRow>> FindChunkByPath(Database& database, std::int64_t table_key,
                                                const std::string& path);
Status InsertChunk(Database& database, std::int64_t table_key, const ChunkRow& chunk);

// Manifests are without their entries.
Result<std::optional<ManifestRow>> ReadManifest(Database& database, std::int64_t table_key,
                                                CutNumber cut);
// The manifest list of a cut, ascending by cut; corrupt_data unless they are as many as it counts.
Result<std::vector<ManifestRow>> ReadManifestList(Database& database, std::int64_t table_key,
                                                  CutNumber cut);
Status InsertManifest(Database& database, std::int64_t table_key, const ManifestRow& manifest);

// corrupt_data unless they are as many of each status as the manifest counts.
Result<std::vector<ManifestEntryRow>> ReadEntries(Database& database, std::int64_t table_key,
                                                  const ManifestRow& manifest);

}  // namespace frazil::ledger
