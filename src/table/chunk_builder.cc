// SPDX-License-Identifier: Apache-2.0
#include "table/chunk_builder.h"

#include <set>
#include <utility>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "decode/block_decoder.h"
#include "parquet/chunk_encoder.h"

namespace frazil::table {

using telemetry::Metric;

Result<BuiltChunk> ChunkBuilder::Build(const ChunkRange& range,
                                       std::span<const decode::RecordBlock> blocks,
                                       const ledger::ChunkRow* like, Deadline deadline,
                                       const std::stop_token& stop) const {
  const decode::BlockOrigin origin{
      .topic = table_.topic, .generation = range.generation, .partition = range.partition};
  std::set<WriterSchemaId> writers;
  if (schemas_.format() == decode::ValueFormat::kAvro) {
    FRAZIL_ASSIGN_OR_RETURN(writers, decode::WriterSchemaIds(origin, blocks));
  }
  const Result<ChunkSchema> found =
      like == nullptr ? schemas_.ForWriters(writers, deadline, stop)
                      : schemas_.ForVersion(like->schema_version, writers, deadline, stop);
  if (!found.ok()) {
    return found.error().Within(fmt::format("partition {}, offsets {} to {}",
                                            range.partition.value(), range.start.value(),
                                            range.end.value() - 1));
  }
  const ChunkSchema& chunk_schema = *found;
  FRAZIL_ASSIGN_OR_RETURN(const auto batch, decode::DecodeBlocks(origin, chunk_schema.schema,
                                                                 chunk_schema.plans, blocks));
  metrics_.Increment(Metric::kRecordsDecodedTotal, {}, static_cast<double>(batch->num_rows()));
  const int encoder = like == nullptr ? parquet::kEncoderVersion : like->encoder_version;
  FRAZIL_ASSIGN_OR_RETURN(parquet::EncodedChunk encoded,
                          parquet::EncodeChunk(*batch, chunk_schema.schema, encoder));
  metrics_.Increment(Metric::kChunksEncodedTotal, {like == nullptr ? "cut" : "read"});

  BuiltChunk built;
  built.row = {.generation = range.generation,
               .partition = range.partition,
               .start = range.start,
               .end = range.end,
               .schema_version = chunk_schema.schema.version,
               .encoder_version = encoder,
               .content_hash = Sha256(encoded.file),
               .file = {.path = UrlOf(ChunkKey(table_, schemas_.format(), range,
                                               chunk_schema.schema.version, encoder)),
                        .record_count = encoded.record_count,
                        .file_size = static_cast<std::int64_t>(encoded.file.size()),
                        .columns = std::move(encoded.columns)}};
  if (like != nullptr && built.row.content_hash != like->content_hash) {
    return Error(
        ErrorCode::kRecordsGone,
        fmt::format("Kafka no longer holds the records that this file was made of (they "
                    "were compacted away, or lost and written anew), so its rows cannot "
                    "be read any more; to show the topic as it is now, start with another "
                    "--data-dir: {} had {} records and has {}",
                    like->file.path, like->file.record_count, built.row.file.record_count));
  }
  built.file = std::make_shared<const Bytes>(std::move(encoded.file));
  return built;
}

}  // namespace frazil::table
