// SPDX-License-Identifier: Apache-2.0
// One topic's schema versions, kept in step with the registry and in the ledger (R2, R3, R5).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/result.h"
#include "decode/avro_plan.h"
#include "decode/block_decoder.h"
#include "decode/value_format.h"
#include "decode/writer_schema.h"
#include "iceberg/schema.h"
#include "ledger/ledger.h"
#include "table/schema_source.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace frazil::table {

// A table schema version and the plans that fill it.
struct ChunkSchema {
  iceberg::Schema schema;
  decode::PlansById plans;
};

// Threads: every member may be called from several threads at once.
class TopicSchemas {
 public:
  struct Context {
    SchemaSource& source;
    ledger::Ledger& ledger;
    telemetry::Logger& logger;
    telemetry::Metrics& metrics;
    const Clock& clock;
    // How long the newest version is believed.
    std::chrono::milliseconds cache{1000};
    // How long the registry may take.
    std::chrono::milliseconds timeout{5000};
  };

  // Whether a topic that the ledger does not know can be shown. Enters nothing.
  // Errors: those of Refresh.
  static Status CheckShowable(const std::string& topic, const Context& context, Deadline deadline,
                              const std::stop_token& stop);

  // Reads the topic's versions from the ledger.
  static Result<std::unique_ptr<TopicSchemas>> Open(const ledger::TopicRow& topic,
                                                    const Context& context);

  // How the topic's values are read, as of the last Refresh: kRaw for a topic whose subject the
  // registry does not have. It changes from kRaw to kAvro when the subject appears, as long as the
  // ledger has not pinned it, and never back.
  decode::ValueFormat format() const;

  // What a user should know of the topic's schemas, as a sentence: that a subject is not used
  // because records were shown without it, or that versions of it were passed over.
  std::optional<std::string> Notice() const;

  // When the registry was first found away since it last answered; absent while it answers (R5).
  std::optional<UnixMillis> StaleSince() const;

  // Asks the registry for new versions unless it was asked just now, and returns all versions. When
  // the registry cannot be reached, or the subject is gone, the last known ones serve. Versions
  // before the newest that cannot be followed are passed over.
  // Errors: schema_incompatible with the reason when the newest version cannot be followed,
  // registry_* while no version is known.
  Result<std::vector<iceberg::Schema>> Refresh(Deadline deadline, const std::stop_token& stop);

  // Whether half the time has passed for which the registry's last answer is believed, and nobody
  // has asked ahead.
  bool ShouldAskAhead() const;
  // Asks the registry beside the loads, so that the next Refresh need not wait for it. What it
  // answers counts from that Refresh on: within a load nothing changes. A failure counts as not
  // asked.
  void AskAhead(const std::stop_token& stop);

  // The schemas known now, ascending.
  std::vector<iceberg::Schema> Versions() const;

  // Of a topic read as kRaw: its one version, without plans. Else: the oldest version that holds
  // all fields of these writers' records (R5), with its plans. Where none does, because fields were
  // dropped meanwhile, the newest one: what it leaves out is in no snapshot that can list the
  // chunk. Errors: schema_incompatible when a writer has a field that no version has;
  // schema_not_found for an id that the registry does not know; registry_*.
  Result<ChunkSchema> ForWriters(const std::set<WriterSchemaId>& writers, Deadline deadline,
                                 const std::stop_token& stop);

  // The same for a chunk whose version is known. Errors: as above.
  Result<ChunkSchema> ForVersion(SchemaVersion version, const std::set<WriterSchemaId>& writers,
                                 Deadline deadline, const std::stop_token& stop);

 private:
  // A writer's schema and the columns that its fields were mapped to.
  struct Writer {
    decode::WriterSchema schema;
    iceberg::Schema columns;
  };
  using Writers = std::map<WriterSchemaId, Writer>;

  TopicSchemas(const ledger::TopicRow& topic, const Context& context);

  using Answer = Result<std::vector<SubjectVersion>>;
  struct AheadAnswer {
    Answer answer;
    // As long as any answer, from when it was asked for.
    Deadline believed_until;
  };

  // What the registry was asked ahead, if it is still to be believed.
  std::optional<AheadAnswer> TakeAhead() FRAZIL_REQUIRES(mutex_);
  Answer Ask(Deadline deadline, const std::stop_token& stop) const FRAZIL_EXCLUDES(mutex_);
  Status TakeAnswer(const Answer& versions) FRAZIL_EXCLUDES(mutex_);
  Status Follow(const std::vector<SubjectVersion>& versions) FRAZIL_EXCLUDES(mutex_);
  // The registry has no such subject.
  Status FollowNothing(const Error& cause) FRAZIL_EXCLUDES(mutex_);
  // Whether the topic is read as kRaw for good.
  Result<bool> IsPinnedRaw() const FRAZIL_EXCLUDES(mutex_);
  // Logs what is new of it.
  void SetNotice(std::optional<std::string> notice) FRAZIL_REQUIRES(mutex_);
  // What the ledger holds of the topic, and what a look at the subject adds to it.
  struct Known {
    std::vector<iceberg::Schema> versions;
    std::map<WriterSchemaId, SchemaVersion> writers;
    FieldId next_field_id;
  };
  struct Addition {
    Known known;
    std::vector<ledger::SchemaRow> schemas;
    std::vector<ledger::WriterRow> writers;
    // Versions that cannot be followed, and why.
    std::vector<std::pair<SubjectVersion, Error>> passed_over;
  };
  using Parsed = std::vector<Result<decode::WriterSchema>>;
  // Follows the subject from what is known. Errors: those of the newest version.
  static Result<Addition> Map(const std::string& topic, Known known,
                              const std::vector<SubjectVersion>& subject_versions,
                              const Parsed& parsed);
  // Adds a version of the subject to `addition`.
  static Status MapOne(const SubjectVersion& version, const Result<decode::WriterSchema>& parsed,
                       Addition& addition);
  Result<decode::WriterSchema> Parse(const RegisteredSchema& schema) const;
  Result<Writers> FindWriters(const std::set<WriterSchemaId>& ids, Deadline deadline,
                              const std::stop_token& stop);
  Result<Writer> FindWriter(WriterSchemaId id, Deadline deadline, const std::stop_token& stop);
  // Adopts a writer that the subject does not have: it must fit the newest version by name.
  Status Adopt(const RegisteredSchema& registered, const decode::WriterSchema& schema)
      FRAZIL_EXCLUDES(mutex_);
  // How long to wait for the registry: less once it was found away.
  std::chrono::milliseconds Patience() const FRAZIL_EXCLUDES(mutex_);
  Result<ChunkSchema> Compile(const iceberg::Schema& target, const Writers& writers) const;

  const std::int64_t topic_key_;
  const std::string topic_;
  const Context context_;
  mutable Mutex mutex_;
  Known known_ FRAZIL_GUARDED_BY(mutex_);
  std::map<WriterSchemaId, decode::WriterSchema> parsed_ FRAZIL_GUARDED_BY(mutex_);
  // Of versions of the subject that were passed over.
  std::map<WriterSchemaId, Error> passed_over_ FRAZIL_GUARDED_BY(mutex_);
  std::optional<std::string> notice_ FRAZIL_GUARDED_BY(mutex_);
  // Since when the last known versions serve because the registry is away.
  std::optional<UnixMillis> stale_since_ FRAZIL_GUARDED_BY(mutex_);
  Deadline believed_until_ FRAZIL_GUARDED_BY(mutex_){Deadline::TimePoint::min()};
  std::optional<AheadAnswer> ahead_ FRAZIL_GUARDED_BY(mutex_);
  std::int64_t answers_taken_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

}  // namespace frazil::table
