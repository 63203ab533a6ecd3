// SPDX-License-Identifier: Apache-2.0
#include "table/chunk_builder.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>
#include <fmt/format.h>

#include "base/sha256.h"

namespace frazil::table {
namespace {

using telemetry::Metric;

std::size_t WeightOf(const decode::RecordBlock& block, const decode::SourceRecord& record) {
  std::size_t weight = kRecordWeight + record.key.view().size() + record.value.view().size();
  for (std::uint32_t i = 0; i < record.header_count; ++i) {
    const decode::SourceHeader& header = block.headers[record.header_begin + i];
    weight += header.key.size() + header.value.view().size();
  }
  return weight;
}

// Records [begin, end) of a block as a block of their own, over the same buffers.
decode::RecordBlock Part(const decode::RecordBlock& block, std::size_t begin, std::size_t end) {
  decode::RecordBlock part;
  part.owners = block.owners;
  part.records.assign(block.records.begin() + static_cast<std::ptrdiff_t>(begin),
                      block.records.begin() + static_cast<std::ptrdiff_t>(end));
  for (decode::SourceRecord& record : part.records) {
    const auto first = part.headers.size();
    const auto from = block.headers.begin() + record.header_begin;
    part.headers.insert(part.headers.end(), from, from + record.header_count);
    record.header_begin = static_cast<std::uint32_t>(first);
  }
  return part;
}

}  // namespace

ChunkBuilder::ChunkBuilder(const Context& context, const ChunkRange& range, const ChunkPlan& plan,
                           Sink sink, Deadline deadline, std::stop_token stop)
    : context_(context),
      range_(range),
      plan_(plan),
      sink_(std::move(sink)),
      deadline_(deadline),
      stop_(std::move(stop)),
      encoder_version_(plan.like == nullptr ? plan.encoder_version : plan.like->encoder_version),
      start_(range.start) {}

Status ChunkBuilder::Add(decode::RecordBlock block) {
  batches_.Expect(block.batches);
  std::size_t begin = 0;
  const std::size_t count = block.records.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t weight = WeightOf(block, block.records[i]);
    const bool full = group_weight_ > 0 && group_weight_ + weight > kRowGroupWeight;
    if (full) {
      if (i > begin) group_.push_back(Part(block, begin, i));
      FRAZIL_RETURN_IF_ERROR(FlushGroup());
      begin = i;
    }
    group_weight_ += weight;
  }
  if (begin == count) return {};
  group_.push_back(begin == 0 ? std::move(block) : Part(block, begin, count));
  return {};
}

decode::BlockOrigin ChunkBuilder::OriginOfRecords() {
  return {.topic = context_.table.topic,
          .generation = range_.generation,
          .partition = range_.partition,
          .refused = &refused_};
}

Result<std::set<WriterSchemaId>> ChunkBuilder::GroupWriters() {
  if (context_.schemas.format() == decode::ValueFormat::kRaw) return std::set<WriterSchemaId>();
  return decode::WriterSchemaIds(OriginOfRecords(), group_);
}

Result<ChunkSchema> ChunkBuilder::SchemaFor(const std::set<WriterSchemaId>& writers) {
  const std::optional<SchemaVersion> version =
      plan_.like != nullptr ? plan_.like->schema_version : plan_.schema_version;
  auto schema = version ? context_.schemas.ForVersion(*version, writers, deadline_, stop_)
                        : context_.schemas.ForWriters(writers, deadline_, stop_);
  if (schema.ok()) return schema;
  return NameRecord(schema.error(), writers);
}

Error ChunkBuilder::NameRecord(const Error& error, const std::set<WriterSchemaId>& writers) {
  const std::int32_t partition = range_.partition.value();
  for (const WriterSchemaId writer : writers) {
    if (context_.schemas.ForWriters({writer}, deadline_, stop_).ok()) continue;
    const auto record = decode::FirstRecordOf({writer}, group_);
    if (!record) continue;
    refused_ =
        decode::RecordPlace{.partition = range_.partition, .offset = *record, .schema_id = writer};
    return error.Within(fmt::format("partition {}, offset {}", partition, record->value()));
  }
  return error.Within(fmt::format("partition {}, offsets {} to {}", partition, start_.value(),
                                  range_.end.value() - 1));
}

Status ChunkBuilder::OpenFor(const std::set<WriterSchemaId>& writers) {
  if (open_ &&
      std::includes(open_->writers.begin(), open_->writers.end(), writers.begin(), writers.end())) {
    return {};
  }
  std::set<WriterSchemaId> all = writers;
  if (open_) all.insert(open_->writers.begin(), open_->writers.end());
  FRAZIL_ASSIGN_OR_RETURN(ChunkSchema schema, SchemaFor(all));
  if (open_ && schema.schema.version == open_->schema.schema.version) {
    open_->schema = std::move(schema);
    open_->writers = std::move(all);
    return {};
  }
  if (open_) {
    // These records need a later version: they go to a file of their own.
    FRAZIL_RETURN_IF_ERROR(Close(Offset(group_.front().records.front().offset)));
    FRAZIL_ASSIGN_OR_RETURN(schema, SchemaFor(writers));
  }
  const std::size_t expected =
      plan_.like == nullptr ? 0 : static_cast<std::size_t>(plan_.like->file.file_size);
  FRAZIL_ASSIGN_OR_RETURN(auto encoder, parquet::ChunkEncoder::Open(schema.schema, encoder_version_,
                                                                    expected, plan_.output));
  open_.emplace(Open{.schema = std::move(schema),
                     .encoder = std::move(encoder),
                     .writers = writers,
                     .digest = {},
                     .has_rows = false});
  return {};
}

Status ChunkBuilder::FlushGroup() {
  if (group_.empty()) return {};
  refused_.reset();
  const Status status = EncodeGroup();
  if (!status.ok() && refused_) context_.refused.Set(status.error(), *refused_);
  return status;
}

Status ChunkBuilder::EncodeGroup() {
  const auto batch_of = [this]() {
    return decode::DecodeBlocks(OriginOfRecords(), open_->schema.schema, open_->schema.plans,
                                group_, decode::EnumForm::kDictionary);
  };
  FRAZIL_ASSIGN_OR_RETURN(const auto writers, GroupWriters());
  FRAZIL_RETURN_IF_ERROR(OpenFor(writers));
  FRAZIL_ASSIGN_OR_RETURN(auto batch, batch_of());
  const auto bytes = static_cast<std::size_t>(arrow::util::TotalBufferSize(*batch));
  const bool too_large =
      open_->encoder.bytes_written() + bytes > plan_.full_bytes + plan_.full_bytes / 2;
  if (plan_.like == nullptr && open_->has_rows && too_large) {
    FRAZIL_RETURN_IF_ERROR(Close(Offset(group_.front().records.front().offset)));
    FRAZIL_RETURN_IF_ERROR(OpenFor(writers));
    FRAZIL_ASSIGN_OR_RETURN(batch, batch_of());
  }
  context_.metrics.Increment(Metric::kRecordsDecodedTotal, {},
                             static_cast<double>(batch->num_rows()));
  FRAZIL_RETURN_IF_ERROR(open_->encoder.Append(*batch));
  batches_.Count(group_, open_->digest);
  open_->has_rows = true;
  const Offset next(group_.back().records.back().offset + 1);
  group_.clear();
  group_weight_ = 0;
  if (plan_.like != nullptr || open_->encoder.bytes_written() < plan_.full_bytes) return {};
  return Close(next);
}

Result<Sha256Digest> ChunkBuilder::ContentHash(const parquet::EncodedChunk& encoded) {
  if (encoder_version_ <= kLastEncoderHashedByFile) return Sha256(encoded.file);
  if (open_->digest.records() == encoded.record_count) return open_->digest.Finish();
  return Error(ErrorCode::kInternal,
               fmt::format("records came without the batches that hold them: {} of {}",
                           encoded.record_count - open_->digest.records(), encoded.record_count));
}

Status ChunkBuilder::Close(Offset end) {
  FRAZIL_ASSIGN_OR_RETURN(parquet::EncodedChunk encoded, open_->encoder.Finish());
  FRAZIL_ASSIGN_OR_RETURN(const Sha256Digest content_hash, ContentHash(encoded));
  const char* const cause = plan_.like != nullptr                               ? "read"
                            : plan_.output == parquet::EncoderOutput::kSizeOnly ? "count"
                                                                                : "cut";
  context_.metrics.Increment(Metric::kChunksEncodedTotal, {cause});
  const ChunkRange range{
      .generation = range_.generation, .partition = range_.partition, .start = start_, .end = end};
  BuiltChunk built;
  built.row = {.generation = range.generation,
               .partition = range.partition,
               .start = range.start,
               .end = range.end,
               .schema_version = open_->schema.schema.version,
               .encoder_version = encoder_version_,
               .content_hash = content_hash,
               .file = {.path = "",
                        .record_count = encoded.record_count,
                        .file_size = encoded.file_size,
                        .columns = std::move(encoded.columns)}};
  open_.reset();
  if (plan_.like != nullptr) {
    FRAZIL_RETURN_IF_ERROR(CheckLike(built));
    built.row = *plan_.like;
  } else {
    built.row.file.path = UrlOf(
        ChunkKey(context_.table, context_.schemas.format(), range, built.row.schema_version,
                 encoder_version_, plan_.named_by_content ? &built.row.content_hash : nullptr));
  }
  built.file = std::move(encoded.file);
  start_ = end;
  made_one_ = true;
  return sink_(std::move(built), end);
}

Status ChunkBuilder::CheckLike(const BuiltChunk& chunk) const {
  if (chunk.row.content_hash == plan_.like->content_hash &&
      chunk.row.file.file_size == plan_.like->file.file_size) {
    return {};
  }
  return Error(
      ErrorCode::kRecordsGone,
      fmt::format("Kafka no longer holds the records that this file was made of: they were "
                  "compacted away, or lost and written anew; load the table again: {} had "
                  "{} records and has {}",
                  plan_.like->file.path, plan_.like->file.record_count,
                  chunk.row.file.record_count));
}

Status ChunkBuilder::Finish() {
  FRAZIL_RETURN_IF_ERROR(FlushGroup());
  if (open_) return Close(range_.end);
  if (plan_.like == nullptr || made_one_) return {};
  return Error(
      ErrorCode::kRecordsGone,
      "Kafka no longer holds the records that this file was made of; load the table again: " +
          plan_.like->file.path);
}

}  // namespace frazil::table
