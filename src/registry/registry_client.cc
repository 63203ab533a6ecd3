// SPDX-License-Identifier: Apache-2.0
#include "registry/registry_client.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/encoding.h"
#include "base/mutex.h"
#include "registry/bounded_cache_internal.h"
#include "registry/registry_answers_internal.h"
#include "registry/registry_calls_internal.h"

namespace frazil::registry {

namespace {

std::size_t SizeOf(const Schema& schema) {
  std::size_t size = sizeof(Schema) + schema.format.size() + schema.text.size();
  for (const std::string& text : schema.references) size += text.size();
  return size;
}

std::string PathOf(const SchemaReference& version) {
  return "/subjects/" + PercentEncode(version.subject) + "/versions/" +
         std::to_string(version.version);
}

// Ids that the registry has said it does not know.
class MissingIds {
 public:
  explicit MissingIds(std::chrono::milliseconds believed) : believed_(believed) {}

  bool Contains(WriterSchemaId id) {
    MutexLock lock(mutex_);
    ForgetOld();
    return until_.contains(id);
  }

  void Add(WriterSchemaId id) {
    MutexLock lock(mutex_);
    ForgetOld();
    // Whoever writes records can invent ids: what does not fit is asked for again.
    if (until_.size() < kMost) until_.insert_or_assign(id, Deadline::After(believed_));
  }

 private:
  static constexpr std::size_t kMost = 10000;

  void ForgetOld() FRAZIL_REQUIRES(mutex_) {
    std::erase_if(until_, [](const auto& entry) { return entry.second.Expired(); });
  }

  const std::chrono::milliseconds believed_;
  Mutex mutex_;
  std::map<WriterSchemaId, Deadline> until_ FRAZIL_GUARDED_BY(mutex_);
};

// Collects the texts that a schema refers to, each after those that it uses itself.
class ReferenceWalk {
 public:
  ReferenceWalk(RegistryCalls& calls, const CallScope& scope, const ClientOptions& options,
                const AnswerLimits& limits)
      : calls_(calls), scope_(scope), options_(options), limits_(limits) {}

  Status Add(const std::vector<SchemaReference>& references) {
    for (const SchemaReference& reference : references) {
      if (done_.contains(reference)) continue;
      if (!open_.insert(reference).second) return Refused("a schema refers to itself", reference);
      if (open_.size() + done_.size() > options_.most_references) {
        return Refused("a schema has too many references", reference);
      }
      FRAZIL_RETURN_IF_ERROR(AddOne(reference));
      open_.erase(reference);
      done_.insert(reference);
    }
    return {};
  }

  std::vector<std::string> Take() { return std::move(texts_); }

 private:
  Status AddOne(const SchemaReference& reference) {
    // A schema that is still referred to may have been deleted softly.
    const auto body = calls_.Get(PathOf(reference) + "?deleted=true", scope_);
    if (!body.ok()) return body.error().Within("reference " + Printable(reference.subject));
    auto answer = ParseSchemaAnswer(*body, limits_);
    if (!answer.ok()) return calls_.At(answer.error());
    FRAZIL_RETURN_IF_ERROR(Add(answer->references));
    bytes_ += answer->text.size();
    if (bytes_ > options_.schema_bytes) {
      return Refused("the schemas that a schema refers to are too long", reference);
    }
    texts_.push_back(std::move(answer->text));
    return {};
  }

  Error Refused(std::string_view reason, const SchemaReference& reference) const {
    return calls_.At(Error(ErrorCode::kRegistryProtocol,
                           std::string(reason) + ": subject " + Printable(reference.subject) +
                               ", version " + std::to_string(reference.version)));
  }

  RegistryCalls& calls_;
  const CallScope& scope_;
  const ClientOptions& options_;
  const AnswerLimits& limits_;
  std::set<SchemaReference> open_;
  std::set<SchemaReference> done_;
  std::vector<std::string> texts_;
  std::size_t bytes_ = 0;
};

class HttpRegistryClient final : public Client {
 public:
  HttpRegistryClient(std::unique_ptr<net::HttpClient> http, std::string url,
                     telemetry::Metrics& metrics, const ClientOptions& options)
      : options_(options),
        limits_{.schema_bytes = options.schema_bytes,
                .references = options.most_references,
                .versions = options.cached_schemas},
        calls_(std::move(http), std::move(url), metrics, options),
        by_id_(options.cached_schemas, options.cached_bytes),
        by_version_(options.cached_schemas, options.cached_bytes),
        missing_(options.missing_cache) {}

  Result<std::vector<SubjectVersion>> Versions(const std::string& subject, Deadline deadline,
                                               const std::stop_token& stop) override {
    const CallScope scope{deadline, stop};
    FRAZIL_ASSIGN_OR_RETURN(const auto numbers, ListVersions(subject, scope));
    // A number that is deleted for good can be given out again, for another schema.
    by_version_.EraseIf([&](const SchemaReference& version) {
      return version.subject == subject &&
             !std::binary_search(numbers.begin(), numbers.end(), version.version);
    });
    std::vector<SubjectVersion> versions;
    for (const std::int32_t number : numbers) {
      auto version = ByVersion({subject, number}, scope);
      if (version.ok()) {
        versions.push_back(*std::move(version).value());
      } else if (version.error().code() != ErrorCode::kSchemaNotFound) {
        return version.error();
      }
      // Else it was deleted since the list was made.
    }
    return versions;
  }

  Result<Schema> ById(WriterSchemaId id, Deadline deadline, const std::stop_token& stop) override {
    if (const auto cached = by_id_.Find(id)) return *cached;
    const std::string text = std::to_string(id.value());
    if (missing_.Contains(id)) {
      return calls_.At(Error(ErrorCode::kSchemaNotFound,
                             "the schema registry knows no such schema id: " + text));
    }
    const CallScope scope{deadline, stop};
    const auto body = calls_.Get("/schemas/ids/" + text, scope);
    if (!body.ok()) {
      if (body.error().code() == ErrorCode::kSchemaNotFound) missing_.Add(id);
      return body.error().Within("schema id " + text);
    }
    FRAZIL_ASSIGN_OR_RETURN(auto answer, Parse(*body));
    FRAZIL_ASSIGN_OR_RETURN(auto schema, Complete(id, std::move(answer), scope));
    by_id_.Insert(id, std::make_shared<const Schema>(schema), SizeOf(schema));
    return schema;
  }

 private:
  Result<std::vector<std::int32_t>> ListVersions(const std::string& subject,
                                                 const CallScope& scope) {
    const auto body = calls_.Get("/subjects/" + PercentEncode(subject) + "/versions", scope);
    if (!body.ok()) {
      if (body.error().code() == ErrorCode::kSchemaNotFound) {
        by_version_.EraseIf(
            [&](const SchemaReference& version) { return version.subject == subject; });
      }
      return body.error().Within("subject " + Printable(subject));
    }
    auto numbers = ParseVersionList(*body, limits_);
    if (!numbers.ok()) return calls_.At(numbers.error());
    return numbers;
  }

  Result<std::shared_ptr<const SubjectVersion>> ByVersion(const SchemaReference& version,
                                                          const CallScope& scope) {
    if (auto cached = by_version_.Find(version)) return cached;
    const auto body = calls_.Get(PathOf(version), scope);
    if (!body.ok()) {
      return body.error().Within("subject " + Printable(version.subject) + ", version " +
                                 std::to_string(version.version));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto answer, Parse(*body));
    if (!answer.id.has_value()) {
      return calls_.At(Error(ErrorCode::kRegistryProtocol,
                             "the answer of the schema registry cannot be read: a subject's "
                             "version has no id"));
    }
    const WriterSchemaId id(*answer.id);
    FRAZIL_ASSIGN_OR_RETURN(auto schema, Complete(id, std::move(answer), scope));
    const std::size_t size = SizeOf(schema);
    auto made = std::make_shared<const SubjectVersion>(
        SubjectVersion{.version = version.version, .schema = std::move(schema)});
    by_version_.Insert(version, made, size);
    return made;
  }

  Result<SchemaAnswer> Parse(const std::string& body) const {
    auto answer = ParseSchemaAnswer(body, limits_);
    if (!answer.ok()) return calls_.At(answer.error());
    return answer;
  }

  Result<Schema> Complete(WriterSchemaId id, SchemaAnswer answer, const CallScope& scope) {
    ReferenceWalk walk(calls_, scope, options_, limits_);
    if (const auto walked = walk.Add(answer.references); !walked.ok()) {
      // That a part is missing does not mean that the whole is not registered.
      if (walked.error().code() == ErrorCode::kSchemaNotFound) {
        return Error(ErrorCode::kRegistryProtocol,
                     "a schema refers to one that is not there: " + walked.error().message());
      }
      return walked.error();
    }
    return Schema{.id = id,
                  .format = std::move(answer.format),
                  .text = std::move(answer.text),
                  .references = walk.Take()};
  }

  const ClientOptions options_;
  const AnswerLimits limits_;
  RegistryCalls calls_;
  BoundedCache<WriterSchemaId, Schema> by_id_;
  BoundedCache<SchemaReference, SubjectVersion> by_version_;
  MissingIds missing_;
};

}  // namespace

std::unique_ptr<Client> MakeClient(std::unique_ptr<net::HttpClient> http, std::string url,
                                   telemetry::Metrics& metrics, const ClientOptions& options) {
  return std::make_unique<HttpRegistryClient>(std::move(http), std::move(url), metrics, options);
}

}  // namespace frazil::registry
