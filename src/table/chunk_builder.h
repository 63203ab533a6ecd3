// SPDX-License-Identifier: Apache-2.0
// Records of one range to the bytes and the description of one virtual data file.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "base/clock.h"
#include "base/result.h"
#include "decode/source_record.h"
#include "ledger/ledger.h"
#include "table/object_cache.h"
#include "table/object_names.h"
#include "table/topic_schemas.h"
#include "telemetry/metrics.h"

namespace frazil::table {

struct BuiltChunk {
  ledger::ChunkRow row;
  SharedBytes file;
};

// Threads: Build may be called from several threads at once.
class ChunkBuilder {
 public:
  // The arguments must outlive the builder.
  ChunkBuilder(const TableIdentity& table, TopicSchemas& schemas, telemetry::Metrics& metrics)
      : table_(table), schemas_(schemas), metrics_(metrics) {}

  // `blocks` hold all records of `range`. With `like`, the chunk is made as that row says, and must
  // come out with the row's bytes; without, by the newest encoder and the version that R5 picks.
  // Errors: undecodable_record, schema_incompatible, registry_*; with `like`: records_gone when the
  // bytes differ, path_not_reproducible when this build has no such encoder.
  Result<BuiltChunk> Build(const ChunkRange& range, std::span<const decode::RecordBlock> blocks,
                           const ledger::ChunkRow* like, Deadline deadline,
                           const std::stop_token& stop) const;

 private:
  const TableIdentity& table_;
  TopicSchemas& schemas_;
  telemetry::Metrics& metrics_;
};

}  // namespace frazil::table
