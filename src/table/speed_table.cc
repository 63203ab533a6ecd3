// SPDX-License-Identifier: Apache-2.0
#include "table/speed_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "decode/kafka_columns.h"
#include "table/chunk_ladder.h"
#include "table/cut_vector.h"
#include "table/guarded_call.h"
#include "table/retirement.h"
#include "table/table_files.h"

namespace frazil::table {
namespace {

using telemetry::LogLevel;
using telemetry::Metric;

// Loads that find the topic changed between the look at it and the reading look again.
constexpr int kMostAttempts = 4;
constexpr std::chrono::minutes kPurgeInterval{1};

TopicSchemas::Context SchemaContext(const TableContext& context) {
  return {.source = context.schemas,
          .ledger = context.ledger,
          .logger = context.logger,
          .metrics = context.metrics,
          .clock = context.clock,
          .cache = context.options.schema_cache,
          .timeout = context.options.registry_timeout};
}

// Ranges of the step, then what is listed anew.
std::vector<IndexRange> RangesToIndex(const CutStep& step, const Retirement& retirement,
                                      bool compacted) {
  std::vector<IndexRange> ranges;
  for (const StepRange& range : step.ranges) {
    ranges.push_back({.range = range.range, .epoch = range.epoch, .named_by_content = compacted});
  }
  // Another file may have had the range and the name.
  for (const ChunkRange& range : retirement.anew) {
    ranges.push_back({.range = range, .epoch = LeaderEpoch(-1), .named_by_content = true});
  }
  return ranges;
}

std::vector<ledger::ChunkRow> Flatten(const std::vector<std::vector<ledger::ChunkRow>>& chunks,
                                      std::size_t begin, std::size_t end) {
  std::vector<ledger::ChunkRow> flat;
  for (std::size_t i = begin; i < end; ++i) {
    flat.insert(flat.end(), chunks[i].begin(), chunks[i].end());
  }
  return flat;
}

// What was listed anew and came out as it was stays.
void KeepUnchanged(const ChunkSet& set, std::vector<ChunkId>& removed,
                   std::vector<ledger::ChunkRow>& anew) {
  std::erase_if(removed, [&](ChunkId id) {
    const ledger::ChunkRow& old = set.at(id);
    const auto same = std::find_if(anew.begin(), anew.end(), [&](const ledger::ChunkRow& row) {
      return row.generation == old.generation && row.partition == old.partition &&
             row.start == old.start && row.end == old.end &&
             row.schema_version == old.schema_version && row.content_hash == old.content_hash;
    });
    if (same == anew.end()) return false;
    anew.erase(same);
    return true;
  });
}

}  // namespace

SpeedTable::SpeedTable(const ledger::TopicRow& topic, const ledger::TableRow& table,
                       const TableContext& context, std::unique_ptr<TopicSchemas> schemas,
                       std::vector<ledger::GenerationRow> generations, ledger::CurrentView view)
    : context_(context),
      topic_key_(topic.key),
      table_key_(table.key),
      identity_{.namespace_name = table.namespace_name,
                .name = topic.name,
                .topic = topic.name,
                .uuid = table.uuid},
      schemas_(std::move(schemas)),
      gate_(context.options.cut_interval),
      current_(std::make_unique<CurrentTable>(std::move(view))),
      generations_(std::move(generations)),
      versions_(schemas_->Versions()),
      format_pinned_(!topic.value_format.empty()),
      indexed_format_(schemas_->format()),
      observer_(topic.name, context.records,
                {.timeout = context.options.kafka_timeout,
                 .second_look = context.options.divergence_second_look}),
      indexer_(IndexContextOf()),
      merger_(IndexContextOf(), context.background) {}

SpeedTable::~SpeedTable() {
  closing_.request_stop();
  while (purging_ || asking_ahead_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

IndexContext SpeedTable::IndexContextOf() {
  return {.source = context_.records,
          .pool = context_.pool,
          .cache = context_.cache,
          .memory = context_.memory,
          .builder = {.table = identity_,
                      .schemas = *schemas_,
                      .metrics = context_.metrics,
                      .refused = refused_record_},
          .full_bytes = context_.options.chunk_bytes,
          .encoder_version = context_.options.encoder_version};
}

Result<std::unique_ptr<SpeedTable>> SpeedTable::Open(const std::string& topic,
                                                     const TableContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto topic_row, context.ledger.FindTopic(topic));
  if (!topic_row) return std::unique_ptr<SpeedTable>();
  FRAZIL_ASSIGN_OR_RETURN(const auto table_row,
                          context.ledger.FindTable(topic_row->key, std::string(kSpeedNamespace)));
  if (!table_row) return std::unique_ptr<SpeedTable>();
  FRAZIL_ASSIGN_OR_RETURN(auto schemas, TopicSchemas::Open(*topic_row, SchemaContext(context)));
  FRAZIL_ASSIGN_OR_RETURN(auto generations, context.ledger.Generations(topic_row->key));
  FRAZIL_ASSIGN_OR_RETURN(auto view, context.ledger.Current(table_row->key));
  return std::unique_ptr<SpeedTable>(new SpeedTable(*topic_row, *table_row, context,
                                                    std::move(schemas), std::move(generations),
                                                    std::move(view)));
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
  FRAZIL_RETURN_IF_ERROR(
      context.ledger.CreateTable(topic_row->key, std::string(kSpeedNamespace), Uuid::Random()));
  return Open(topic, context);
}

Result<LoadedTable> SpeedTable::Load(SnapshotSelection selection, Deadline deadline,
                                     const std::stop_token& stop) {
  const auto outcome = gate_.Run(
      [&](LoadGate::TimePoint first_call) {
        first_call_ = first_call;
        return TakeCut(deadline, stop);
      },
      deadline, stop);
  if (!outcome.ok()) return outcome.error();
  AskAhead();
  // A state that came after the outcome's own shows all that it has to show, and more.
  MutexLock lock(mutex_);
  const ledger::StateView& view = current_->View();
  LoadedTable loaded{.uuid = identity_.uuid,
                     .location = identity_.Location(),
                     .metadata_location = UrlOf(MetadataKey(identity_, view.state)),
                     .metadata_json = nullptr};
  if (rendered_.state != view.state.number) {
    rendered_ = {.state = view.state.number, .all = nullptr, .referenced = nullptr};
  }
  std::shared_ptr<const std::string>& json =
      selection == SnapshotSelection::kAll ? rendered_.all : rendered_.referenced;
  if (!json) {
    json = std::make_shared<const std::string>(
        MetadataJson(identity_, versions_, view, selection, texts_));
  }
  loaded.metadata_json = json;
  return loaded;
}

Result<LoadOutcome> SpeedTable::TakeCut(Deadline deadline, const std::stop_token& stop) {
  const auto started = std::chrono::steady_clock::now();
  Result<LoadOutcome> outcome = TryCut(deadline, stop);
  for (int attempt = 1; attempt < kMostAttempts && !outcome.ok(); ++attempt) {
    const ErrorCode code = outcome.error().code();
    // What was read is not any more what was looked at.
    const bool moved = code == ErrorCode::kRecordsGone || code == ErrorCode::kTopicRecreated;
    if (!moved || deadline.Expired() || stop.stop_requested()) break;
    outcome = TryCut(deadline, stop);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  context_.metrics.Observe(Metric::kTableLoadSeconds, took.count());
  context_.metrics.Increment(Metric::kTableLoadsTotal, {!outcome.ok()      ? "error"
                                                        : outcome->changed ? "new_cut"
                                                                           : "unchanged"});
  return outcome;
}

Result<LoadOutcome> SpeedTable::TryCut(Deadline deadline, const std::stop_token& stop) {
  if (must_read_again_) FRAZIL_RETURN_IF_ERROR(ReadAgain());
  FRAZIL_ASSIGN_OR_RETURN(const auto versions, schemas_->Refresh(deadline, stop));
  const SchemaVersion schema_version = versions.back().version;
  if (schemas_->format() != indexed_format_) {
    indexer_.Forget();
    indexed_format_ = schemas_->format();
  }
  const CurrentTable* current = nullptr;
  std::vector<ledger::GenerationRow> generations;
  {
    MutexLock lock(mutex_);
    versions_ = versions;
    current = current_.get();
    generations = generations_;
  }
  merger_.AwaitLongTails(*current, deadline.Within(context_.options.load_wait), stop);
  FRAZIL_ASSIGN_OR_RETURN(const ObservedTopic topic,
                          observer_.Observe(generations, current->Partitions(), deadline, stop));
  bool has_stale = false;
  {
    MutexLock lock(mutex_);
    seen_topic_ = topic.state;
    stale_.merge(merger_.TakeSuspects());
    std::erase_if(stale_, [&](ChunkId id) { return !current->chunks().contains(id); });
    has_stale = !stale_.empty();
  }
  const CutStep step = NextCut(topic.change, current->Partitions(), topic.state);
  const ledger::StateRow* state = current->LastState();
  if (state == nullptr || step.changes() || topic.change.opens_generation() || has_stale) {
    return RecordStep(topic, step, deadline, stop);
  }
  if (state->schema_version != schema_version) return RecordSchemaOnly(schema_version);
  return LoadOutcome{.state = state->number, .changed = false};
}

Result<bool> SpeedTable::MayBeCompacted(Deadline deadline, const std::stop_token& stop) {
  if (compacted_ && !compacted_until_.Expired()) return *compacted_;
  FRAZIL_ASSIGN_OR_RETURN(
      const std::optional<bool> told,
      context_.records.IsCompacted(identity_.topic, deadline.Within(context_.options.kafka_timeout),
                                   stop));
  compacted_ = told.value_or(true);
  compacted_until_ = Deadline::After(context_.options.policy_cache);
  return *compacted_;
}

Result<LoadOutcome> SpeedTable::RecordStep(const ObservedTopic& topic, const CutStep& step,
                                           Deadline deadline, const std::stop_token& stop) {
  for (const ledger::LostRange& lost : step.lost) {
    context_.logger.Event(LogLevel::kWarn, "records_lost",
                          {{"topic", identity_.topic},
                           {"reason", lost.reason},
                           {"generation", std::int64_t{lost.generation.value()}},
                           {"partition", std::int64_t{lost.partition.value()}},
                           {"start", lost.start.value()},
                           {"end", lost.end.value()}});
  }
  FRAZIL_ASSIGN_OR_RETURN(const bool compacted, MayBeCompacted(deadline, stop));
  const CurrentTable* current = nullptr;
  Retirement retirement;
  {
    MutexLock lock(mutex_);
    current = current_.get();
    retirement = Retire(step.retired, current->chunks(), stale_);
  }
  const std::vector<IndexRange> ranges = RangesToIndex(step, retirement, compacted);
  FRAZIL_ASSIGN_OR_RETURN(const auto chunks,
                          indexer_.Index(topic.state.topic_id, ranges,
                                         deadline.Within(context_.options.load_wait), stop));
  std::vector<ledger::ChunkRow> added = Flatten(chunks, 0, step.ranges.size());
  std::vector<ledger::ChunkRow> anew = Flatten(chunks, step.ranges.size(), chunks.size());
  std::vector<ChunkId> removed = retirement.removed;
  KeepUnchanged(current->chunks(), removed, anew);
  FRAZIL_RETURN_IF_ERROR(PinFormat(added));

  // Indexing may have met writers whose version came after the look at the registry.
  const std::vector<iceberg::Schema> versions = schemas_->Versions();
  {
    MutexLock lock(mutex_);
    versions_ = versions;
  }
  StatePlan plan({.identity = identity_,
                  .current = *current,
                  .schemas = versions,
                  .schema_version = versions.back().version,
                  .nonce = context_.ledger.BootNonce(),
                  .writer_version = kWriterVersion});
  const bool first = current->LastState() == nullptr;
  if (!first &&
      (step.retires || !step.lost.empty() || topic.change.opens_generation() || !removed.empty())) {
    plan.Replace(step.retired, std::move(anew), removed, step.lost);
  }
  std::vector<ChunkMerge> merges;
  if (first || !step.ranges.empty()) {
    merges = merger_.Ready(*current);
    std::erase_if(merges, [&](const ChunkMerge& merge) {
      return std::any_of(merge.removed.begin(), merge.removed.end(), [&](ChunkId id) {
        return std::binary_search(retirement.removed.begin(), retirement.removed.end(), id);
      });
    });
    if (!merges.empty() || plan.manifest_count() >= kManifestsToMerge) {
      std::vector<ledger::ChunkRow> merged;
      std::vector<ChunkId> replaced;
      for (const ChunkMerge& merge : merges) {
        merged.insert(merged.end(), merge.chunks.begin(), merge.chunks.end());
        replaced.insert(replaced.end(), merge.removed.begin(), merge.removed.end());
      }
      std::sort(replaced.begin(), replaced.end());
      plan.Replace(step.retired, std::move(merged), std::move(replaced), {});
    }
    plan.Append(step.partitions, std::move(added));
  }
  Result<LoadOutcome> outcome = [&]() -> Result<LoadOutcome> {
    if (plan.empty()) {
      return LoadOutcome{.state = current->LastState()->number, .changed = false};
    }
    std::optional<ledger::GenerationRow> generation;
    if (topic.change.opens_generation()) {
      generation = {.generation = topic.change.generation, .topic_id = topic.state.topic_id};
    }
    return RecordPlan(plan, generation);
  }();
  if (!outcome.ok()) return outcome;
  indexer_.Forget();
  merger_.Forget(merges);
  {
    MutexLock lock(mutex_);
    for (const ChunkId id : retirement.removed) stale_.erase(id);
  }
  FollowUp(topic, compacted);
  return outcome;
}

Status SpeedTable::PinFormat(const std::vector<ledger::ChunkRow>& chunks) {
  if (format_pinned_ || chunks.empty()) return {};
  FRAZIL_RETURN_IF_ERROR(
      context_.ledger.PinValueFormat(topic_key_, std::string(decode::NameOf(indexed_format_))));
  format_pinned_ = true;
  return {};
}

// A client that asked before it took a look at its own clock must not find the snapshot in the
// future of that look, however long the load took.
std::chrono::milliseconds SpeedTable::Backdate() const {
  const auto took = std::chrono::steady_clock::now() - first_call_;
  return context_.options.snapshot_backdate +
         std::chrono::duration_cast<std::chrono::milliseconds>(took);
}

Result<LoadOutcome> SpeedTable::RecordSchemaOnly(SchemaVersion schema_version) {
  std::int64_t expected = 0;
  {
    MutexLock lock(mutex_);
    expected = current_->LastState()->number;
  }
  const ledger::NewState planned{.cuts = {},
                                 .schema_version = schema_version,
                                 .writer_version = kWriterVersion,
                                 .backdate = Backdate(),
                                 .unlisted = {},
                                 .generation = std::nullopt};
  const auto recorded = context_.ledger.RecordState(table_key_, expected, planned);
  if (!recorded.ok()) {
    must_read_again_ = true;
    return recorded.error();
  }
  MutexLock lock(mutex_);
  current_->Apply(planned, *recorded);
  return LoadOutcome{.state = recorded->state.number, .changed = true};
}

Result<LoadOutcome> SpeedTable::RecordPlan(StatePlan& plan,
                                           std::optional<ledger::GenerationRow> generation) {
  ledger::NewState planned = plan.Finish(Limits(), Backdate());
  planned.generation = generation;
  std::int64_t expected = 0;
  {
    MutexLock lock(mutex_);
    if (const ledger::StateRow* state = current_->LastState()) expected = state->number;
  }
  const auto recorded = context_.ledger.RecordState(table_key_, expected, planned);
  if (!recorded.ok()) {
    // Whether it was recorded is not known: names must not be used for other bytes.
    must_read_again_ = true;
    return recorded.error();
  }
  for (const auto& [key, bytes] : plan.manifest_files()) {
    context_.cache.Put(key, MakeShared(bytes, context_.memory.Charge(bytes.size())));
  }
  MutexLock lock(mutex_);
  current_->Apply(planned, *recorded);
  if (generation) generations_.push_back(*generation);
  return LoadOutcome{.state = recorded->state.number, .changed = true};
}

Status SpeedTable::ReadAgain() {
  FRAZIL_ASSIGN_OR_RETURN(auto generations, context_.ledger.Generations(topic_key_));
  FRAZIL_ASSIGN_OR_RETURN(auto view, context_.ledger.Current(table_key_));
  indexer_.Forget();
  MutexLock lock(mutex_);
  generations_ = std::move(generations);
  current_ = std::make_unique<CurrentTable>(std::move(view));
  rendered_ = {};
  texts_ = {};
  must_read_again_ = false;
  return {};
}

void SpeedTable::FollowUp(const ObservedTopic& topic, bool compacted) {
  const CurrentTable* current = nullptr;
  {
    MutexLock lock(mutex_);
    current = current_.get();
  }
  merger_.Consider(topic.state.topic_id, *current, compacted);
  if (!purge_again_.Expired() || purging_.exchange(true)) return;
  purge_again_ = Deadline::After(kPurgeInterval);
  if (!context_.background.Submit([this] { PurgeNow(); })) purging_ = false;
}

void SpeedTable::PurgeNow() {
  while (!closing_.stop_requested()) {
    const auto gone = GuardedCall(
        [&] { return context_.ledger.Purge(table_key_, context_.options.history_retention); });
    if (!gone.ok()) {
      context_.logger.Event(LogLevel::kWarn, "purge_failed",
                            {{"topic", identity_.topic}, {"error", gone.error().message()}});
    }
    if (!gone.ok() || *gone == 0) break;
  }
  purging_ = false;
}

void SpeedTable::AskAhead() {
  if (!schemas_->ShouldAskAhead() || asking_ahead_.exchange(true)) return;
  const auto ask = [this] {
    IgnoreError(GuardedCall([this]() -> Status {
      schemas_->AskAhead(closing_.get_token());
      return {};
    }));
    asking_ahead_ = false;
  };
  if (!context_.background.Submit(ask)) asking_ahead_ = false;
}

std::int64_t SpeedTable::OpenTransactionRecords() const {
  MutexLock lock(mutex_);
  std::int64_t most = 0;
  if (!seen_topic_) return most;
  for (const PartitionState& partition : seen_topic_->partitions) {
    most = std::max<std::int64_t>(most, partition.high_watermark - partition.end);
  }
  return most;
}

std::optional<ledger::StateView> SpeedTable::LastState() const {
  MutexLock lock(mutex_);
  if (current_->LastState() == nullptr) return std::nullopt;
  return current_->View();
}

Result<std::vector<ledger::LostRange>> SpeedTable::LostRanges() const {
  return context_.ledger.LostRanges(table_key_);
}

}  // namespace frazil::table
