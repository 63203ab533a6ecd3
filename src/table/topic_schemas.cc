// SPDX-License-Identifier: Apache-2.0
#include "table/topic_schemas.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "decode/kafka_columns.h"
#include "decode/schema_mapping.h"

namespace frazil::table {
namespace {

using telemetry::LogLevel;
using telemetry::Metric;

bool RegistryIsAway(const Error& error) {
  return error.code() == ErrorCode::kRegistryUnavailable ||
         error.code() == ErrorCode::kRegistryProtocol || error.code() == ErrorCode::kNetwork ||
         error.code() == ErrorCode::kDeadlineExceeded;
}

// schema_not_found: the registry has no such subject.
Result<std::vector<SubjectVersion>> AskSubject(const std::string& topic, SchemaSource& source,
                                               Deadline deadline, const std::stop_token& stop) {
  const std::string subject = topic + "-value";
  FRAZIL_ASSIGN_OR_RETURN(auto versions, source.Versions(subject, deadline, stop));
  if (versions.empty()) {
    return Error(ErrorCode::kRegistryProtocol,
                 "the subject changed while its versions were read; ask again: " + subject);
  }
  return versions;
}

bool IsMissing(const Error& error) { return error.code() == ErrorCode::kSchemaNotFound; }

// The widest type that each column ever had, by its id.
void CollectWidest(const std::vector<iceberg::NestedField>& fields,
                   std::map<FieldId, iceberg::Type>& widest) {
  for (const iceberg::NestedField& field : fields) {
    if (!field.type.is_primitive()) {
      CollectWidest(field.type.fields, widest);
    } else if (const auto [found, added] = widest.emplace(field.id, field.type);
               !added && iceberg::IsPromotion(found->second, field.type)) {
      found->second = field.type;
    }
  }
}

void Widen(const std::map<FieldId, iceberg::Type>& widest,
           std::vector<iceberg::NestedField>& fields) {
  for (iceberg::NestedField& field : fields) {
    if (field.type.is_primitive()) {
      field.type = widest.at(field.id);
    } else {
      Widen(widest, field.type.fields);
    }
  }
}

// The fields of an older version, each as wide as any later version has made it: what the table
// shows when the subject goes back to that version.
iceberg::Schema Restore(const std::vector<iceberg::Schema>& versions, SchemaVersion older) {
  std::map<FieldId, iceberg::Type> widest;
  for (const iceberg::Schema& version : versions) CollectWidest(version.fields, widest);
  iceberg::Schema restored = versions[static_cast<std::size_t>(older.value())];
  Widen(widest, restored.fields);
  restored.version = SchemaVersion(static_cast<std::int32_t>(versions.size()));
  return restored;
}

}  // namespace

TopicSchemas::TopicSchemas(const ledger::TopicRow& topic, const Context& context)
    : topic_key_(topic.key),
      topic_(topic.name),
      context_(context),
      known_{.versions = {}, .writers = {}, .next_field_id = topic.next_field_id} {}

Result<std::unique_ptr<TopicSchemas>> TopicSchemas::Open(const ledger::TopicRow& topic,
                                                         const Context& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto schemas, context.ledger.Schemas(topic.key));
  FRAZIL_ASSIGN_OR_RETURN(const auto writers, context.ledger.Writers(topic.key));
  std::unique_ptr<TopicSchemas> opened(new TopicSchemas(topic, context));
  MutexLock lock(opened->mutex_);
  for (const ledger::SchemaRow& row : schemas) opened->known_.versions.push_back(row.schema);
  for (const ledger::WriterRow& row : writers) {
    if (row.version.value() < 0 ||
        static_cast<std::size_t>(row.version.value()) >= opened->known_.versions.size()) {
      return Error(ErrorCode::kCorruptData,
                   fmt::format("the ledger maps schema {} of topic {} to version {}, which it does "
                               "not hold; restore the data folder from a backup",
                               row.writer_schema_id.value(), topic.name, row.version.value()));
    }
    opened->known_.writers[row.writer_schema_id] = row.version;
    auto parsed = decode::WriterSchema::Parse(row.format, row.text, row.references);
    if (!parsed.ok()) {
      return parsed.error().Within(fmt::format("the ledger's text of schema {} of topic {}",
                                               row.writer_schema_id.value(), topic.name));
    }
    opened->parsed_.insert_or_assign(row.writer_schema_id, std::move(*parsed));
  }
  return opened;
}

std::vector<iceberg::Schema> TopicSchemas::Versions() const {
  MutexLock lock(mutex_);
  return known_.versions;
}

Result<std::vector<iceberg::Schema>> TopicSchemas::Refresh(Deadline deadline,
                                                           const std::stop_token& stop) {
  std::optional<AheadAnswer> ahead;
  {
    MutexLock lock(mutex_);
    if (!believed_until_.Expired()) return known_.versions;
    ahead = TakeAhead();
  }
  const Status asked = TakeAnswer(ahead ? ahead->answer : Ask(deadline.Within(Patience()), stop));
  MutexLock lock(mutex_);
  const bool away = !asked.ok() && RegistryIsAway(asked.error()) && !known_.versions.empty();
  if (!asked.ok() && !away) return asked.error();
  if (away != stale_since_.has_value()) {
    context_.metrics.Add(Metric::kTopicsStale, away ? 1 : -1);
    stale_since_ = away ? std::optional(context_.clock.Now()) : std::nullopt;
  }
  if (away) {
    context_.logger.Event(LogLevel::kWarn, "registry_stale",
                          {{"topic", topic_}, {"cause", asked.error().message()}});
  }
  // A registry that is away must not cost each load its time-out.
  believed_until_ =
      ahead ? ahead->believed_until
            : Deadline::After(away ? std::max(context_.cache, context_.timeout) : context_.cache);
  return known_.versions;
}

std::optional<TopicSchemas::AheadAnswer> TopicSchemas::TakeAhead() {
  std::optional<AheadAnswer> ahead = std::exchange(ahead_, std::nullopt);
  if (ahead && ahead->believed_until.Expired()) ahead.reset();
  return ahead;
}

bool TopicSchemas::ShouldAskAhead() const {
  MutexLock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  return context_.cache.count() > 0 && !ahead_ && !stale_since_ &&
         now + context_.cache / 2 > believed_until_.moment();
}

void TopicSchemas::AskAhead(const std::stop_token& stop) {
  const Deadline believed_until = Deadline::After(context_.cache);
  std::int64_t taken = 0;
  {
    MutexLock lock(mutex_);
    taken = answers_taken_;
  }
  Answer answer = Ask(Deadline::After(context_.timeout), stop);
  if (!answer.ok() && !IsMissing(answer.error())) return;
  MutexLock lock(mutex_);
  // A load that asked meanwhile may know more.
  if (taken != answers_taken_) return;
  ahead_ = AheadAnswer{.answer = std::move(answer), .believed_until = believed_until};
}

std::chrono::milliseconds TopicSchemas::Patience() const {
  constexpr int kShare = 5;
  MutexLock lock(mutex_);
  return stale_since_ ? context_.timeout / kShare : context_.timeout;
}

namespace {

// Where a table's schema has no writer's.
constexpr WriterSchemaId kNoWriter{-1};

ledger::WriterRow RowOf(const RegisteredSchema& schema, SchemaVersion version) {
  return {.writer_schema_id = schema.id,
          .version = version,
          .format = schema.format,
          .text = schema.text,
          .references = schema.references};
}

Result<decode::WriterSchema> ParseRegistered(const std::string& topic,
                                             const RegisteredSchema& schema) {
  auto parsed = decode::WriterSchema::Parse(schema.format, schema.text, schema.references);
  if (!parsed.ok()) {
    return parsed.error().Within(fmt::format("topic {}, schema {}", topic, schema.id.value()));
  }
  return parsed;
}

}  // namespace

Status TopicSchemas::CheckShowable(const std::string& topic, const Context& context,
                                   Deadline deadline, const std::stop_token& stop) {
  const auto versions = AskSubject(topic, context.source, deadline.Within(context.timeout), stop);
  if (!versions.ok()) return IsMissing(versions.error()) ? Status() : versions.error();
  Parsed parsed;
  for (const SubjectVersion& version : *versions) {
    parsed.push_back(ParseRegistered(topic, version.schema));
  }
  const Known nothing{.versions = {}, .writers = {}, .next_field_id = decode::kFirstValueField};
  FRAZIL_RETURN_IF_ERROR(Map(topic, nothing, *versions, parsed));
  return {};
}

decode::ValueFormat TopicSchemas::format() const {
  MutexLock lock(mutex_);
  return known_.versions.empty() ? decode::ValueFormat::kAvro
                                 : decode::FormatOf(known_.versions.back());
}

std::optional<std::string> TopicSchemas::Notice() const {
  MutexLock lock(mutex_);
  return notice_;
}

std::optional<UnixMillis> TopicSchemas::StaleSince() const {
  MutexLock lock(mutex_);
  return stale_since_;
}

void TopicSchemas::SetNotice(std::optional<std::string> notice) {
  if (notice.has_value() && notice != notice_) {
    context_.logger.Event(LogLevel::kWarn, "schema_not_followed",
                          {{"topic", topic_}, {"cause", *notice}});
  }
  notice_ = std::move(notice);
}

TopicSchemas::Answer TopicSchemas::Ask(Deadline deadline, const std::stop_token& stop) const {
  return AskSubject(topic_, context_.source, deadline, stop);
}

Status TopicSchemas::TakeAnswer(const Answer& versions) {
  {
    MutexLock lock(mutex_);
    ++answers_taken_;
    ahead_.reset();
  }
  if (versions.ok()) return Follow(*versions);
  return IsMissing(versions.error()) ? FollowNothing(versions.error()) : versions.error();
}

Status TopicSchemas::FollowNothing(const Error& cause) {
  MutexLock lock(mutex_);
  if (!known_.versions.empty()) {
    const bool raw = decode::FormatOf(known_.versions.back()) == decode::ValueFormat::kRaw;
    SetNotice(
        raw ? std::nullopt
            : std::optional("the last known versions of the subject serve because it is gone: " +
                            cause.message()));
    return {};
  }
  const iceberg::Schema schema = decode::RawSchema();
  FRAZIL_RETURN_IF_ERROR(context_.ledger.AppendSchemas(
      topic_key_, {{.schema = schema, .writer_schema_id = kNoWriter}}, {}, known_.next_field_id));
  known_.versions.push_back(schema);
  return {};
}

Result<decode::WriterSchema> TopicSchemas::Parse(const RegisteredSchema& schema) const {
  {
    MutexLock lock(mutex_);
    if (const auto found = parsed_.find(schema.id); found != parsed_.end()) return found->second;
  }
  return ParseRegistered(topic_, schema);
}

Status TopicSchemas::MapOne(const SubjectVersion& version,
                            const Result<decode::WriterSchema>& parsed, Addition& addition) {
  if (!parsed.ok()) return parsed.error();
  std::vector<iceberg::Schema>& versions = addition.known.versions;
  const WriterSchemaId id = version.schema.id;
  const avro::Schema& schema = parsed->avro();
  FRAZIL_ASSIGN_OR_RETURN(
      auto mapped, versions.empty() ? decode::MapFirstSchema(schema, addition.known.next_field_id)
                                    : decode::MapNextSchema(versions.back(), schema,
                                                            addition.known.next_field_id));
  if (versions.empty() || mapped.schema.version != versions.back().version) {
    versions.push_back(mapped.schema);
    addition.schemas.push_back({.schema = mapped.schema, .writer_schema_id = id});
  }
  addition.known.next_field_id = mapped.next_field_id;
  addition.known.writers[id] = versions.back().version;
  addition.writers.push_back(RowOf(version.schema, versions.back().version));
  return {};
}

Result<TopicSchemas::Addition> TopicSchemas::Map(
    const std::string& topic, Known known, const std::vector<SubjectVersion>& subject_versions,
    const Parsed& parsed) {
  Addition addition{.known = std::move(known), .schemas = {}, .writers = {}, .passed_over = {}};
  std::vector<iceberg::Schema>& versions = addition.known.versions;
  std::map<WriterSchemaId, SchemaVersion>& writers = addition.known.writers;
  // What is older than a version that was followed before was passed over then.
  std::size_t followed = 0;
  for (std::size_t i = 0; i < subject_versions.size(); ++i) {
    if (writers.contains(subject_versions[i].schema.id)) followed = i;
  }
  for (std::size_t i = 0; i < subject_versions.size(); ++i) {
    if (writers.contains(subject_versions[i].schema.id)) continue;
    const bool newest = i + 1 == subject_versions.size();
    Status mapped = i < followed
                        ? Error(ErrorCode::kSchemaIncompatible,
                                "the table's schema went on without this version of the subject")
                        : MapOne(subject_versions[i], parsed[i], addition);
    if (mapped.ok()) continue;
    Error error = mapped.error().Within(
        fmt::format("topic {}, subject version {}", topic, subject_versions[i].version));
    if (newest) return error;
    addition.passed_over.emplace_back(subject_versions[i], std::move(error));
  }
  const WriterSchemaId newest = subject_versions.back().schema.id;
  if (writers[newest] != versions.back().version) {
    const iceberg::Schema restored = Restore(versions, writers[newest]);
    if (restored.fields != versions.back().fields) {
      versions.push_back(restored);
      addition.schemas.push_back({.schema = restored, .writer_schema_id = newest});
    }
  }
  return addition;
}

Result<bool> TopicSchemas::IsPinnedRaw() const {
  if (format() != decode::ValueFormat::kRaw) return false;
  FRAZIL_ASSIGN_OR_RETURN(const auto topic, context_.ledger.FindTopic(topic_));
  return topic.has_value() && topic->value_format == decode::NameOf(decode::ValueFormat::kRaw);
}

Status TopicSchemas::Follow(const std::vector<SubjectVersion>& subject_versions) {
  FRAZIL_ASSIGN_OR_RETURN(const bool pinned_raw, IsPinnedRaw());
  if (pinned_raw) {
    MutexLock lock(mutex_);
    SetNotice(
        fmt::format("the subject {}-value, which the registry has now, is not used because "
                    "records of the topic were shown without a schema",
                    topic_));
    return {};
  }
  Parsed parsed;
  for (const SubjectVersion& version : subject_versions) parsed.push_back(Parse(version.schema));
  MutexLock lock(mutex_);
  FRAZIL_ASSIGN_OR_RETURN(Addition addition, Map(topic_, known_, subject_versions, parsed));
  if (!addition.schemas.empty() || !addition.writers.empty()) {
    FRAZIL_RETURN_IF_ERROR(context_.ledger.AppendSchemas(
        topic_key_, addition.schemas, addition.writers, addition.known.next_field_id));
  }
  known_ = std::move(addition.known);
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    if (parsed[i].ok()) parsed_.insert_or_assign(subject_versions[i].schema.id, *parsed[i]);
  }
  std::optional<std::string> notice;
  for (const auto& [version, error] : addition.passed_over) {
    // The first reason is the true one; later the version is only known to be passed over.
    const Error& reason = passed_over_.emplace(version.schema.id, error).first->second;
    if (!notice) notice = "a version of the subject was passed over: " + reason.message();
  }
  SetNotice(std::move(notice));
  return {};
}

Result<TopicSchemas::Writer> TopicSchemas::FindWriter(WriterSchemaId id, Deadline deadline,
                                                      const std::stop_token& stop) {
  for (bool asked = false;; asked = true) {
    {
      MutexLock lock(mutex_);
      const auto version = known_.writers.find(id);
      const auto schema = parsed_.find(id);
      if (version != known_.writers.end() && schema != parsed_.end()) {
        return Writer{
            .schema = schema->second,
            .columns = known_.versions[static_cast<std::size_t>(version->second.value())]};
      }
    }
    if (asked) break;
    const Deadline wait = deadline.Within(context_.timeout);
    FRAZIL_ASSIGN_OR_RETURN(const RegisteredSchema registered,
                            context_.source.ById(id, wait, stop));
    FRAZIL_ASSIGN_OR_RETURN(const decode::WriterSchema schema, Parse(registered));
    bool known = false;
    {
      MutexLock lock(mutex_);
      parsed_.insert_or_assign(id, schema);
      known = known_.writers.contains(id);
    }
    // A version that was registered after the last look at the subject.
    if (!known) {
      const Status followed = TakeAnswer(Ask(wait, stop));
      if (!followed.ok() && !RegistryIsAway(followed.error())) return followed.error();
    }
    FRAZIL_RETURN_IF_ERROR(Adopt(registered, schema));
  }
  return Error(
      ErrorCode::kInternal,
      fmt::format("schema {} of topic {} was adopted and is not there", id.value(), topic_));
}

Status TopicSchemas::Adopt(const RegisteredSchema& registered, const decode::WriterSchema& schema) {
  const WriterSchemaId id = registered.id;
  MutexLock lock(mutex_);
  if (known_.writers.contains(id)) return {};
  if (known_.versions.empty()) {
    return Error(ErrorCode::kSchemaNotFound,
                 "no version of the subject " + topic_ + "-value is known");
  }
  const iceberg::Schema& newest = known_.versions.back();
  const auto plan = decode::AvroPlan::Compile(schema.avro(), newest, newest);
  if (!plan.ok()) {
    if (const auto found = passed_over_.find(id); found != passed_over_.end()) {
      return Error(ErrorCode::kSchemaIncompatible,
                   fmt::format("records of topic {} were written with schema {}, a version of the "
                               "subject that the table cannot follow: {}",
                               topic_, id.value(), found->second.message()));
    }
    for (const std::string& field : schema.FieldNames()) {
      if (iceberg::FindField(newest, field) != nullptr) continue;
      return Error(ErrorCode::kSchemaIncompatible,
                   fmt::format("records of topic {} were written with schema {}, which the subject "
                               "{}-value does not hold and which has a field that the table lacks; "
                               "register that schema under the subject: field {}",
                               topic_, id.value(), topic_, field));
    }
    return plan.error().Within(fmt::format("topic {}, schema {}", topic_, id.value()));
  }
  FRAZIL_RETURN_IF_ERROR(context_.ledger.AppendSchemas(
      topic_key_, {}, {RowOf(registered, newest.version)}, known_.next_field_id));
  known_.writers[id] = newest.version;
  return {};
}

Result<TopicSchemas::Writers> TopicSchemas::FindWriters(const std::set<WriterSchemaId>& ids,
                                                        Deadline deadline,
                                                        const std::stop_token& stop) {
  Writers writers;
  for (WriterSchemaId id : ids) {
    auto writer = FindWriter(id, deadline, stop);
    if (!writer.ok()) {
      return writer.error().Within(
          fmt::format("records of topic {} name schema {}", topic_, id.value()));
    }
    writers.emplace(id, std::move(*writer));
  }
  return writers;
}

Result<ChunkSchema> TopicSchemas::Compile(const iceberg::Schema& target,
                                          const Writers& writers) const {
  ChunkSchema compiled{.schema = target, .plans = {}};
  for (const auto& [id, writer] : writers) {
    auto plan = decode::AvroPlan::Compile(writer.schema.avro(), writer.columns, target);
    if (!plan.ok()) {
      return plan.error().Within(fmt::format("topic {}, schema {}", topic_, id.value()));
    }
    compiled.plans.emplace(id, std::move(*plan));
  }
  return compiled;
}

Result<ChunkSchema> TopicSchemas::ForWriters(const std::set<WriterSchemaId>& writers,
                                             Deadline deadline, const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const Writers found, FindWriters(writers, deadline, stop));
  const std::vector<iceberg::Schema> versions = Versions();
  if (versions.empty()) {
    return Error(ErrorCode::kSchemaNotFound,
                 "no version of the subject " + topic_ + "-value is known");
  }
  const decode::ValueFormat format = decode::FormatOf(versions.back());
  for (const iceberg::Schema& version : versions) {
    // From before the subject was there.
    if (decode::FormatOf(version) != format) continue;
    const bool holds = std::all_of(found.begin(), found.end(), [&](const auto& entry) {
      const Writer& writer = entry.second;
      return decode::FieldsNotHeld(writer.schema.avro(), writer.columns, version).empty();
    });
    if (!holds) continue;
    // A version before a widening holds the fields but not the values.
    if (auto compiled = Compile(version, found); compiled.ok()) return compiled;
  }
  return Compile(versions.back(), found);
}

Result<ChunkSchema> TopicSchemas::ForVersion(SchemaVersion version,
                                             const std::set<WriterSchemaId>& writers,
                                             Deadline deadline, const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const Writers found, FindWriters(writers, deadline, stop));
  const std::vector<iceberg::Schema> versions = Versions();
  if (version.value() < 0 || static_cast<std::size_t>(version.value()) >= versions.size()) {
    return Error(ErrorCode::kPathNotReproducible,
                 fmt::format("topic {} has no schema version {}", topic_, version.value()));
  }
  return Compile(versions[static_cast<std::size_t>(version.value())], found);
}

}  // namespace frazil::table
