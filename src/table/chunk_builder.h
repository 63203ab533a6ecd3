// SPDX-License-Identifier: Apache-2.0
// Records of one range to the bytes and the descriptions of virtual data files, row group by row
// group: of a chunk of any size only one group's records are held at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "decode/block_decoder.h"
#include "decode/source_record.h"
#include "ledger/ledger.h"
#include "parquet/chunk_encoder.h"
#include "table/content_digest.h"
#include "table/object_names.h"
#include "table/refused_record.h"
#include "table/topic_schemas.h"
#include "telemetry/metrics.h"

namespace frazil::table {

// A row group ends before the record with which it would weigh more than this: payload, and
// kRecordWeight for each record. Bytes depend on both, so they never change for an encoder version.
inline constexpr std::size_t kRowGroupWeight = 8 << 20;
inline constexpr std::size_t kRecordWeight = 32;

// Chunks up to this encoder version have the hash of their file as content hash, later ones the
// digest of their records (ContentDigest).
inline constexpr int kLastEncoderHashedByFile = 1;

struct BuiltChunk {
  ledger::ChunkRow row;
  // Empty where only the row was asked for.
  Bytes file;
};

// What a builder's chunks are made for.
struct ChunkPlan {
  // Make exactly this chunk again: one file over the whole range, with the row's bytes.
  const ledger::ChunkRow* like = nullptr;
  // The schema version to use; absent: the oldest that holds all fields of the records (R5).
  std::optional<SchemaVersion> schema_version = std::nullopt;
  // Name chunks by their content too: their records may change under them (R8).
  bool named_by_content = false;
  // A file is closed once it has this many bytes. None gets as large as 3/2 of it, unless one row
  // group is.
  std::size_t full_bytes = 84'000'000;
  // Without the file its size is counted and nothing is written.
  parquet::EncoderOutput output = parquet::EncoderOutput::kFile;
  // Unless it is `like` another.
  int encoder_version = parquet::kEncoderVersion;
};

inline ChunkRange RangeOf(const ledger::ChunkRow& chunk) {
  return {.generation = chunk.generation,
          .partition = chunk.partition,
          .start = chunk.start,
          .end = chunk.end};
}

// Takes the blocks of one range in order of offset and makes its chunks.
// Threads: one at a time; several builders may share a table's parts.
class ChunkBuilder {
 public:
  struct Context {
    const TableIdentity& table;
    TopicSchemas& schemas;
    telemetry::Metrics& metrics;
    // Is told the record that an error is about.
    RefusedRecord& refused;
  };

  // Takes a chunk, and the offset that the next one starts at. An error ends the building.
  using Sink = std::function<Status(BuiltChunk chunk, Offset next)>;

  ChunkBuilder(const Context& context, const ChunkRange& range, const ChunkPlan& plan, Sink sink,
               Deadline deadline, std::stop_token stop);

  // Errors: undecodable_record, schema_incompatible, registry_*; the sink's.
  Status Add(decode::RecordBlock block);

  // Closes the last chunk at the end of the range; a range without records gives none.
  // Errors: those of Add; with `like`: records_gone when the records differ, also when the range
  // has none any more.
  Status Finish();

  // About the memory in use: the file that is open, and what is gathered for it.
  std::size_t held_bytes() const {
    const bool in_memory = open_ && plan_.output == parquet::EncoderOutput::kFile;
    return (in_memory ? open_->encoder.bytes_written() : 0) + 3 * group_weight_;
  }

 private:
  // One file that is being written.
  struct Open {
    ChunkSchema schema;
    parquet::ChunkEncoder encoder;
    std::set<WriterSchemaId> writers;
    ContentDigest digest;
    bool has_rows = false;
  };

  // Encodes what is gathered.
  Status FlushGroup();
  Status EncodeGroup();
  decode::BlockOrigin OriginOfRecords();
  Result<std::set<WriterSchemaId>> GroupWriters();
  // Opens a file that holds these writers' records, or lets the open one hold them too.
  Status OpenFor(const std::set<WriterSchemaId>& writers);
  Result<ChunkSchema> SchemaFor(const std::set<WriterSchemaId>& writers);
  // The error with the first record that no schema was found for, or with the whole range.
  Error NameRecord(const Error& error, const std::set<WriterSchemaId>& writers);
  Status Close(Offset end);
  Result<Sha256Digest> ContentHash(const parquet::EncodedChunk& encoded);
  Status CheckLike(const BuiltChunk& chunk) const;

  const Context context_;
  const ChunkRange range_;
  const ChunkPlan plan_;
  const Sink sink_;
  const Deadline deadline_;
  const std::stop_token stop_;
  const int encoder_version_;
  // Where the file that is open, or the next one, starts.
  Offset start_;
  BatchCounter batches_;
  std::vector<decode::RecordBlock> group_;
  std::size_t group_weight_ = 0;
  std::optional<Open> open_;
  bool made_one_ = false;
  // Of the group that is being encoded.
  std::optional<decode::RecordPlace> refused_;
};

}  // namespace frazil::table
