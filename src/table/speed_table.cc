// SPDX-License-Identifier: Apache-2.0
#include "table/speed_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/encoding.h"
#include "base/sha256.h"
#include "decode/kafka_columns.h"
#include "table/cut_vector.h"

namespace frazil::table {
namespace {

using telemetry::LogLevel;
using telemetry::Metric;

TopicSchemas::Context SchemaContext(const TableContext& context) {
  return {.source = context.schemas,
          .ledger = context.ledger,
          .logger = context.logger,
          .metrics = context.metrics,
          .cache = context.options.schema_cache,
          .timeout = context.options.registry_timeout};
}

StepIndexer::Context IndexContext(const TableContext& context) {
  return {.source = context.records,
          .pool = context.pool,
          .cache = context.cache,
          .chunk_bytes = context.options.chunk_bytes};
}

}  // namespace

SpeedTable::SpeedTable(const ledger::TopicRow& topic, const ledger::TableRow& table,
                       const TableContext& context, std::unique_ptr<TopicSchemas> schemas,
                       ledger::TableHistory recorded)
    : context_(context),
      table_key_(table.key),
      topic_id_(topic.topic_id),
      generation_(topic.generation),
      identity_{.namespace_name = table.namespace_name,
                .name = table.name,
                .topic = topic.name,
                .uuid = table.uuid},
      schemas_(std::move(schemas)),
      builder_(identity_, *schemas_, context.metrics),
      indexer_(topic.name, builder_, IndexContext(context)),
      gate_(context.options.cut_interval),
      history_(identity_, std::move(recorded)) {
  MutexLock lock(mutex_);
  history_.SetSchemas(schemas_->Versions());
}

Result<std::unique_ptr<SpeedTable>> SpeedTable::Open(const std::string& topic,
                                                     const TableContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto topic_row, context.ledger.FindTopic(topic));
  FRAZIL_ASSIGN_OR_RETURN(const auto table_row,
                          context.ledger.FindTable(std::string(kSpeedNamespace), topic));
  if (!topic_row || !table_row) return std::unique_ptr<SpeedTable>();
  FRAZIL_ASSIGN_OR_RETURN(auto schemas, TopicSchemas::Open(*topic_row, SchemaContext(context)));
  FRAZIL_ASSIGN_OR_RETURN(auto recorded, context.ledger.History(table_row->key));
  return std::unique_ptr<SpeedTable>(
      new SpeedTable(*topic_row, *table_row, context, std::move(schemas), std::move(recorded)));
}

Result<std::unique_ptr<SpeedTable>> SpeedTable::Create(const std::string& topic,
                                                       const TableContext& context,
                                                       Deadline deadline,
                                                       const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(
      const TopicState state,
      context.records.Describe(topic, deadline.Within(context.options.kafka_timeout), stop));
  FRAZIL_RETURN_IF_ERROR(
      TopicSchemas::CheckShowable(topic, SchemaContext(context), deadline, stop));
  FRAZIL_ASSIGN_OR_RETURN(auto topic_row, context.ledger.FindTopic(topic));
  if (!topic_row) {
    FRAZIL_ASSIGN_OR_RETURN(
        topic_row, context.ledger.CreateTopic(topic, state.topic_id, decode::kFirstValueField));
  }
  FRAZIL_RETURN_IF_ERROR(context.ledger.CreateTable(topic_row->key, std::string(kSpeedNamespace),
                                                    topic, Uuid::Random()));
  return Open(topic, context);
}

std::vector<ledger::CutPartition> SpeedTable::LastPartitions() const {
  MutexLock lock(mutex_);
  const ledger::CutRow* last = history_.LastCut();
  return last == nullptr ? std::vector<ledger::CutPartition>() : last->cut.partitions;
}

Result<LoadedTable> SpeedTable::Load(SnapshotSelection selection, Deadline deadline,
                                     const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const LoadOutcome outcome,
                          gate_.Run([&] { return TakeCut(deadline, stop); }, deadline, stop));
  MutexLock lock(mutex_);
  const ledger::StateRow& state = history_.State(outcome.state);
  LoadedTable loaded{.uuid = identity_.uuid,
                     .location = identity_.Location(),
                     .metadata_location = history_.MetadataUrl(state),
                     .metadata_json = nullptr};
  if (rendered_.state != outcome.state) {
    rendered_ = {.state = outcome.state, .all = nullptr, .referenced = nullptr};
  }
  std::shared_ptr<const std::string>& json =
      selection == SnapshotSelection::kAll ? rendered_.all : rendered_.referenced;
  if (!json) json = std::make_shared<const std::string>(history_.MetadataJson(state, selection));
  loaded.metadata_json = json;
  return loaded;
}

Result<TopicState> SpeedTable::DescribeAfter(const std::vector<ledger::CutPartition>& last,
                                             Deadline deadline, const std::stop_token& stop) {
  const Deadline limit = deadline.Within(context_.options.kafka_timeout);
  constexpr std::chrono::milliseconds kPause{100};
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(TopicState state,
                            context_.records.Describe(identity_.topic, limit, stop));
    if (state.topic_id != topic_id_) {
      return Error(ErrorCode::kTopicRecreated,
                   fmt::format("topic {} was deleted and created again, and its table shows the "
                               "earlier one; start with another --data-dir to show the new one "
                               "(topic id {} is now {})",
                               identity_.topic, topic_id_.ToString(), state.topic_id.ToString()));
    }
    const std::optional<Error> behind = LiesBehind(identity_.topic, last, state);
    if (!behind) return state;
    // A leader that is just elected may tell a lower end for a moment: that alone proves nothing.
    if (limit.Remaining() <= kPause) return *behind;
    PauseUntil(Deadline::After(kPause), stop);
    if (stop.stop_requested()) {
      return Error(ErrorCode::kCancelled, "the client left before the table was loaded");
    }
  }
}

Result<LoadOutcome> SpeedTable::TakeCut(Deadline deadline, const std::stop_token& stop) {
  const auto started = std::chrono::steady_clock::now();
  const auto outcome = [&]() -> Result<LoadOutcome> {
    FRAZIL_ASSIGN_OR_RETURN(const auto versions, schemas_->Refresh(deadline, stop));
    const SchemaVersion schema_version = versions.back().version;
    const std::vector<ledger::CutPartition> last = LastPartitions();
    FRAZIL_ASSIGN_OR_RETURN(const TopicState topic, DescribeAfter(last, deadline, stop));
    std::int64_t state_number = 0;
    bool same_schema = false;
    {
      MutexLock lock(mutex_);
      history_.SetSchemas(versions);
      if (const ledger::StateRow* state = history_.LastState()) {
        state_number = state->number;
        same_schema = state->schema_version == schema_version;
      }
    }
    if (state_number == 0 || HasNewRecords(last, topic)) {
      return RecordCut(topic, last, deadline, stop);
    }
    if (same_schema) return LoadOutcome{.state = state_number, .changed = false};
    return RecordState({.cut = std::nullopt,
                        .schema_version = schema_version,
                        .writer_version = kWriterVersion,
                        .backdate = context_.options.snapshot_backdate});
  }();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  context_.metrics.Observe(Metric::kTableLoadSeconds, took.count());
  context_.metrics.Increment(Metric::kTableLoadsTotal, {!outcome.ok()      ? "error"
                                                        : outcome->changed ? "new_cut"
                                                                           : "unchanged"});
  return outcome;
}

Result<LoadOutcome> SpeedTable::RecordCut(const TopicState& topic,
                                          const std::vector<ledger::CutPartition>& last,
                                          Deadline deadline, const std::stop_token& stop) {
  const CutStep step = NextCut(generation_, last, topic);
  for (const LostRange& lost : step.lost) {
    context_.logger.Event(LogLevel::kWarn, "records_expired_unseen",
                          {{"topic", identity_.topic},
                           {"partition", std::int64_t{lost.partition.value()}},
                           {"start", lost.start.value()},
                           {"end", lost.end.value()}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto chunks, indexer_.Index(topic_id_, step.ranges, deadline, stop));
  // Indexing may have met writers whose version came after the look at the registry.
  const std::vector<iceberg::Schema> versions = schemas_->Versions();
  CutNumber number(1);
  {
    MutexLock lock(mutex_);
    if (const ledger::CutRow* cut = history_.LastCut()) number = cut->number + 1;
    history_.SetSchemas(versions);
  }
  ledger::NewCut cut{
      .snapshot_id = MakeSnapshotId(identity_.uuid, number, context_.ledger.BootNonce()),
      .operation = iceberg::Operation::kAppend,
      .partitions = step.partitions,
      .chunks = std::move(chunks)};
  auto outcome = RecordState({.cut = std::move(cut),
                              .schema_version = versions.back().version,
                              .writer_version = kWriterVersion,
                              .backdate = context_.options.snapshot_backdate});
  if (outcome.ok()) indexer_.Forget();
  return outcome;
}

Result<LoadOutcome> SpeedTable::RecordState(const ledger::NewState& state) {
  std::int64_t expected = 0;
  {
    MutexLock lock(mutex_);
    if (const ledger::StateRow* last = history_.LastState()) expected = last->number;
  }
  FRAZIL_ASSIGN_OR_RETURN(const ledger::RecordedState recorded,
                          context_.ledger.RecordState(table_key_, expected, state));
  MutexLock lock(mutex_);
  history_.Add(recorded);
  return LoadOutcome{.state = recorded.state.number, .changed = true};
}

std::string SpeedTable::EtagOf(std::string_view key) {
  const Sha256Digest digest = Sha256(AsBytes(key));
  return HexEncode(ByteView(digest).first(16));
}

Result<SharedBytes> SpeedTable::RenderedFile(std::string_view key) {
  MutexLock lock(mutex_);
  FRAZIL_ASSIGN_OR_RETURN(const TableHistory::Resolved resolved, history_.Resolve(key));
  FRAZIL_ASSIGN_OR_RETURN(Bytes bytes, history_.Render(resolved));
  return std::make_shared<const Bytes>(std::move(bytes));
}

Result<SpeedTable::Found> SpeedTable::Find(std::string_view key) const {
  MutexLock lock(mutex_);
  FRAZIL_ASSIGN_OR_RETURN(const TableHistory::Resolved resolved, history_.Resolve(key));
  Found found{.info = {.size = 0, .etag = EtagOf(key), .last_modified = resolved.stamp()},
              .chunk = std::nullopt};
  if (resolved.chunk != nullptr) {
    found.chunk = *resolved.chunk;
    found.info.size = resolved.chunk->file.file_size;
  }
  return found;
}

Result<ObjectInfo> SpeedTable::Stat(std::string_view key) {
  FRAZIL_ASSIGN_OR_RETURN(const Found found, Find(key));
  if (found.chunk) return found.info;
  FRAZIL_ASSIGN_OR_RETURN(
      const Object object,
      Read(key, Deadline::After(context_.options.kafka_timeout), std::stop_token()));
  return object.info;
}

Result<Object> SpeedTable::Read(std::string_view key, Deadline deadline,
                                const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(Found found, Find(key));
  const std::optional<ledger::ChunkRow>& chunk = found.chunk;
  Object object{.info = std::move(found.info), .bytes = nullptr};
  const auto make = [&]() -> Result<SharedBytes> {
    return chunk ? MakeChunk(*chunk, deadline, stop) : RenderedFile(key);
  };
  const auto cost = chunk ? ObjectCache::Cost::kHigh : ObjectCache::Cost::kCheap;
  FRAZIL_ASSIGN_OR_RETURN(object.bytes,
                          context_.cache.GetOrMake(std::string(key), cost, make, deadline, stop));
  object.info.size = static_cast<std::int64_t>(object.bytes->size());
  return object;
}

Result<SharedBytes> SpeedTable::MakeChunk(const ledger::ChunkRow& chunk, Deadline deadline,
                                          const std::stop_token& stop) {
  if (chunk.generation != generation_) {
    return Error(ErrorCode::kRecordsGone,
                 "the topic that this file was made of exists no more: " + chunk.file.path);
  }
  const ChunkRange range{.generation = chunk.generation,
                         .partition = chunk.partition,
                         .start = chunk.start,
                         .end = chunk.end};
  if (chunk.file.path != UrlOf(ChunkKey(identity_, schemas_->format(), range, chunk.schema_version,
                                        chunk.encoder_version))) {
    return Error(ErrorCode::kPathNotReproducible,
                 "records are decoded in another way since this file was shown; load the table "
                 "again: " +
                     chunk.file.path);
  }
  const RangeRequest request{.topic = identity_.topic,
                             .topic_id = topic_id_,
                             .partition = chunk.partition,
                             .epoch = LeaderEpoch(-1),
                             .start = chunk.start,
                             .end = chunk.end};
  std::vector<decode::RecordBlock> blocks;
  const auto sink = [&blocks](decode::RecordBlock block) -> Status {
    blocks.push_back(std::move(block));
    return {};
  };
  FRAZIL_RETURN_IF_ERROR(context_.records.ReadRange(request, sink, deadline, stop));
  FRAZIL_ASSIGN_OR_RETURN(const BuiltChunk built,
                          builder_.Build(range, blocks, &chunk, deadline, stop));
  return built.file;
}

Result<ObjectListing> SpeedTable::List(std::string_view prefix, std::string_view start_after,
                                       std::size_t limit) {
  std::vector<std::string> keys;
  {
    MutexLock lock(mutex_);
    keys = history_.CurrentKeys();
  }
  ObjectListing listing;
  for (const std::string& key : keys) {
    if (!key.starts_with(prefix) || key <= start_after) continue;
    if (listing.objects.size() == limit) {
      listing.truncated = true;
      break;
    }
    FRAZIL_ASSIGN_OR_RETURN(const ObjectInfo info, Stat(key));
    listing.objects.push_back({.key = key, .info = info});
  }
  return listing;
}

}  // namespace frazil::table
