// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <set>

#include "avro/bounded_json.h"
#include "avro/schema.h"
#include "base/encoding.h"
#include "registry/embedded_schemas_internal.h"

namespace frazil::registry {
namespace {

using Json = nlohmann::ordered_json;

// References that refer to others.
constexpr std::size_t kDeepestReference = 32;

EmbeddedAnswer NoSubject(const std::string& subject) {
  return RefuseWith(40401, "Subject '" + Printable(subject) + "' not found.");
}

EmbeddedAnswer NoVersion(const std::string& version) {
  return RefuseWith(40402, "Version " + Printable(version) + " not found.");
}

EmbeddedAnswer NoSchema() { return RefuseWith(40403, "Schema not found"); }

EmbeddedAnswer BadVersion(const std::string& version) {
  return RefuseWith(42202,
                    "The specified version '" + Printable(version) +
                        "' is not a valid version id. Allowed values are between [1, 2^31-1] "
                        "and the string \"latest\"");
}

EmbeddedAnswer BadSchema(const std::string& why) {
  return RefuseWith(42201, "Invalid schema: " + why);
}

std::optional<std::int32_t> ParsePositive(const std::string& text) {
  std::int32_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || number < 1) {
    return std::nullopt;
  }
  return number;
}

Json ToJson(const std::vector<NamedReference>& references) {
  Json json = Json::array();
  for (const NamedReference& reference : references) {
    json.push_back({{"name", reference.name},
                    {"subject", reference.to.subject},
                    {"version", reference.to.version}});
  }
  return json;
}

}  // namespace

EmbeddedAnswer RefuseWith(int error_code, const std::string& message) {
  return {error_code >= 1000 ? error_code / 100 : error_code,
          {{"error_code", error_code}, {"message", message}}};
}

Status EmbeddedSchemas::CollectLocked(const std::vector<NamedReference>& references,
                                      std::size_t depth, std::vector<std::string>& texts) const {
  if (depth > kDeepestReference) {
    return Error(ErrorCode::kResourceExhausted, "references refer to others too deeply");
  }
  for (const NamedReference& reference : references) {
    const auto subject = subjects_.find(reference.to.subject);
    const auto missing =
        Error(ErrorCode::kSchemaNotFound, "No schema reference found for subject \"" +
                                              Printable(reference.to.subject) + "\" and version " +
                                              std::to_string(reference.to.version));
    if (subject == subjects_.end()) return missing;
    const auto version = subject->second.find(reference.to.version);
    if (version == subject->second.end() || version->second.deleted) return missing;
    const Registered& found = schemas_[static_cast<std::size_t>(version->second.id - 1)];
    if (std::ranges::find(texts, found.text) != texts.end()) continue;
    FRAZIL_RETURN_IF_ERROR(CollectLocked(found.references, depth + 1, texts));
    if (texts.size() >= limits_.most_references) {
      return Error(ErrorCode::kResourceExhausted, "the schema needs too many others");
    }
    texts.push_back(found.text);
  }
  return {};
}

std::optional<EmbeddedAnswer> EmbeddedSchemas::CheckLocked(const SchemaToRegister& schema,
                                                           Identity& identity,
                                                           std::string& text) const {
  if (schema.references.size() > limits_.most_references) {
    return BadSchema("it has too many references");
  }
  const auto sorted = avro::ParseBoundedJson(schema.text, {.text_bytes = limits_.schema_bytes});
  if (!sorted.ok()) return BadSchema(sorted.error().message());
  std::vector<std::string> references;
  const Status collected = CollectLocked(schema.references, 0, references);
  if (!collected.ok()) return BadSchema(collected.error().message());
  const auto parsed = avro::ParseSchema(schema.text, references);
  if (!parsed.ok()) return BadSchema(parsed.error().message());
  // Errors of the encoding have been found above; what is left is replaced, not thrown.
  constexpr auto kReplace = Json::error_handler_t::replace;
  identity = {sorted->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
              schema.references};
  text = Json::parse(schema.text, nullptr, false).dump(-1, ' ', false, kReplace);
  return std::nullopt;
}

EmbeddedAnswer EmbeddedSchemas::Register(const std::string& subject,
                                         const SchemaToRegister& schema) {
  MutexLock lock(mutex_);
  Identity identity;
  std::string text;
  if (auto refusal = CheckLocked(schema, identity, text); refusal.has_value()) return *refusal;
  const auto known = ids_.find(identity);
  const auto found = subjects_.find(subject);
  if (known != ids_.end() && found != subjects_.end()) {
    for (const auto& [number, version] : found->second) {
      if (version.id == known->second && !version.deleted) return {200, {{"id", version.id}}};
    }
  }
  const std::size_t more = known == ids_.end() ? text.size() + identity.first.size() : 0;
  const bool no_subject = found == subjects_.end() && subjects_.size() >= limits_.most_subjects;
  if (no_subject || versions_ >= limits_.most_versions || bytes_ + more > limits_.memory_bytes) {
    return RefuseWith(50001, "The embedded registry is full; use a real one for so many schemas.");
  }
  std::int32_t id = 0;
  if (known != ids_.end()) {
    id = known->second;
  } else {
    schemas_.push_back({std::move(text), schema.references});
    id = static_cast<std::int32_t>(schemas_.size());
    ids_.emplace(std::move(identity), id);
    bytes_ += more;
  }
  Versions& versions = subjects_[subject];
  const std::int32_t next = versions.empty() ? 1 : versions.rbegin()->first + 1;
  versions.emplace(next, Version{id, false});
  ++versions_;
  return {200, {{"id", id}}};
}

const EmbeddedSchemas::Versions* EmbeddedSchemas::FindSubjectLocked(const std::string& subject,
                                                                    bool with_deleted) const {
  const auto found = subjects_.find(subject);
  if (found == subjects_.end()) return nullptr;
  const auto is_alive = [](const auto& entry) { return !entry.second.deleted; };
  const bool shown =
      with_deleted ? !found->second.empty() : std::ranges::any_of(found->second, is_alive);
  return shown ? &found->second : nullptr;
}

std::int32_t EmbeddedSchemas::FindVersionLocked(const Versions& versions,
                                                const VersionText& version,
                                                bool with_deleted) const {
  if (version == "latest" || version == "-1") {
    for (auto entry = versions.rbegin(); entry != versions.rend(); ++entry) {
      if (with_deleted || !entry->second.deleted) return entry->first;
    }
    return 0;
  }
  const auto number = ParsePositive(version);
  if (!number.has_value()) return -1;
  const auto found = versions.find(*number);
  if (found == versions.end() || (found->second.deleted && !with_deleted)) return 0;
  return *number;
}

Json EmbeddedSchemas::DescribeLocked(const std::string& subject, std::int32_t version) const {
  const std::int32_t id = subjects_.at(subject).at(version).id;
  const Registered& schema = schemas_[static_cast<std::size_t>(id - 1)];
  Json json = {{"subject", subject}, {"version", version}, {"id", id}};
  if (!schema.references.empty()) json["references"] = ToJson(schema.references);
  json["schema"] = schema.text;
  return json;
}

EmbeddedAnswer EmbeddedSchemas::LookUp(const std::string& subject, const SchemaToRegister& schema,
                                       bool with_deleted) const {
  MutexLock lock(mutex_);
  const Versions* versions = FindSubjectLocked(subject, with_deleted);
  if (versions == nullptr) return NoSubject(subject);
  Identity identity;
  std::string text;
  if (auto refusal = CheckLocked(schema, identity, text); refusal.has_value()) return *refusal;
  const auto known = ids_.find(identity);
  if (known == ids_.end()) return NoSchema();
  for (auto entry = versions->rbegin(); entry != versions->rend(); ++entry) {
    if (entry->second.id != known->second || (entry->second.deleted && !with_deleted)) continue;
    return {200, DescribeLocked(subject, entry->first)};
  }
  return NoSchema();
}

EmbeddedAnswer EmbeddedSchemas::ListSubjects(bool with_deleted, const std::string& prefix) const {
  MutexLock lock(mutex_);
  Json names = Json::array();
  for (const auto& [name, versions] : subjects_) {
    if (!name.starts_with(prefix) || FindSubjectLocked(name, with_deleted) == nullptr) continue;
    names.push_back(name);
  }
  return {200, std::move(names)};
}

EmbeddedAnswer EmbeddedSchemas::ListVersions(const std::string& subject, bool with_deleted) const {
  MutexLock lock(mutex_);
  const Versions* versions = FindSubjectLocked(subject, with_deleted);
  if (versions == nullptr) return NoSubject(subject);
  Json numbers = Json::array();
  for (const auto& [number, version] : *versions) {
    if (with_deleted || !version.deleted) numbers.push_back(number);
  }
  return {200, std::move(numbers)};
}

EmbeddedAnswer EmbeddedSchemas::GetVersion(const std::string& subject, const VersionText& version,
                                           bool with_deleted) const {
  MutexLock lock(mutex_);
  const Versions* versions = FindSubjectLocked(subject, with_deleted);
  if (versions == nullptr) return NoSubject(subject);
  const std::int32_t number = FindVersionLocked(*versions, version, with_deleted);
  if (number < 0) return BadVersion(version);
  if (number == 0) return NoVersion(version);
  return {200, DescribeLocked(subject, number)};
}

EmbeddedAnswer EmbeddedSchemas::GetText(const std::string& subject,
                                        const VersionText& version) const {
  EmbeddedAnswer answer = GetVersion(subject, version, false);
  if (answer.status != 200) return answer;
  return {200, Json::parse(answer.body["schema"].get<std::string>(), nullptr, false)};
}

const EmbeddedSchemas::Registered* EmbeddedSchemas::FindIdLocked(const std::string& id) const {
  const auto number = ParsePositive(id);
  if (!number.has_value() || static_cast<std::size_t>(*number) > schemas_.size()) return nullptr;
  return &schemas_[static_cast<std::size_t>(*number - 1)];
}

EmbeddedAnswer EmbeddedSchemas::GetById(const std::string& id) const {
  MutexLock lock(mutex_);
  const Registered* schema = FindIdLocked(id);
  if (schema == nullptr) return NoSchema();
  Json json = {{"schema", schema->text}};
  if (!schema->references.empty()) json["references"] = ToJson(schema->references);
  return {200, std::move(json)};
}

EmbeddedAnswer EmbeddedSchemas::GetUsers(const std::string& id) const {
  MutexLock lock(mutex_);
  if (FindIdLocked(id) == nullptr) return NoSchema();
  const std::int32_t wanted = ParsePositive(id).value_or(0);
  Json users = Json::array();
  for (const auto& [name, versions] : subjects_) {
    for (const auto& [number, version] : versions) {
      if (version.id != wanted || version.deleted) continue;
      users.push_back({{"subject", name}, {"version", number}});
    }
  }
  return {200, std::move(users)};
}

bool EmbeddedSchemas::IsReferredToLocked(const std::string& subject, std::int32_t version) const {
  const SchemaReference wanted{subject, version};
  for (const auto& [name, versions] : subjects_) {
    for (const auto& [number, user] : versions) {
      if (user.deleted) continue;
      const Registered& schema = schemas_[static_cast<std::size_t>(user.id - 1)];
      const auto refers = [&wanted](const NamedReference& at) { return at.to == wanted; };
      if (std::ranges::any_of(schema.references, refers)) return true;
    }
  }
  return false;
}

EmbeddedAnswer EmbeddedSchemas::DeleteSubject(const std::string& subject, bool permanent) {
  MutexLock lock(mutex_);
  const auto found = subjects_.find(subject);
  if (found == subjects_.end()) return NoSubject(subject);
  const bool alive = FindSubjectLocked(subject, false) != nullptr;
  if (permanent && alive) {
    return RefuseWith(40405, "Subject '" + Printable(subject) +
                                 "' was not deleted first before being permanently deleted");
  }
  if (!permanent && !alive) {
    return RefuseWith(40404, "Subject '" + Printable(subject) + "' was soft deleted.");
  }
  Json numbers = Json::array();
  for (auto& [number, version] : found->second) {
    if (!permanent && version.deleted) continue;
    if (!permanent && IsReferredToLocked(subject, number)) {
      return RefuseWith(42206, "One or more references exist to the schema of version " +
                                   std::to_string(number) + ".");
    }
    numbers.push_back(number);
  }
  if (permanent) {
    versions_ -= found->second.size();
    subjects_.erase(found);
  } else {
    for (auto& [number, version] : found->second) version.deleted = true;
  }
  return {200, std::move(numbers)};
}

EmbeddedAnswer EmbeddedSchemas::DeleteVersion(const std::string& subject,
                                              const VersionText& version, bool permanent) {
  MutexLock lock(mutex_);
  const Versions* versions = FindSubjectLocked(subject, true);
  if (versions == nullptr) return NoSubject(subject);
  const std::int32_t number = FindVersionLocked(*versions, version, true);
  if (number < 0) return BadVersion(version);
  if (number == 0) return NoVersion(version);
  Version& found = subjects_[subject][number];
  const std::string named =
      "Subject '" + Printable(subject) + "' Version " + std::to_string(number);
  if (permanent && !found.deleted) {
    return RefuseWith(40407, named + " was not deleted first before being permanently deleted");
  }
  if (!permanent && found.deleted) return RefuseWith(40406, named + " was soft deleted.");
  if (!permanent && IsReferredToLocked(subject, number)) {
    return RefuseWith(42206, "One or more references exist to the schema of " + named + ".");
  }
  if (permanent) {
    subjects_[subject].erase(number);
    if (subjects_[subject].empty()) subjects_.erase(subject);
    --versions_;
  } else {
    found.deleted = true;
  }
  return {200, number};
}

EmbeddedAnswer EmbeddedSchemas::CheckCompatibility(const std::string& subject,
                                                   const VersionText& version,
                                                   const SchemaToRegister& schema) const {
  const EmbeddedAnswer with = GetVersion(subject, version, false);
  if (with.status != 200) return with;
  MutexLock lock(mutex_);
  Identity identity;
  std::string text;
  if (auto refusal = CheckLocked(schema, identity, text); refusal.has_value()) return *refusal;
  return {200, {{"is_compatible", true}}};
}

}  // namespace frazil::registry
