// SPDX-License-Identifier: Apache-2.0
// What the embedded registry knows: schemas, subjects and their versions. Each member is one
// request of the Confluent schema registry API, without HTTP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/mutex.h"
#include "base/result.h"
#include "registry/embedded_registry.h"
#include "registry/registry_answers_internal.h"

namespace frazil::registry {

struct EmbeddedAnswer {
  int status = 200;
  nlohmann::ordered_json body;
};

// An error of the API. Its HTTP status is the error code itself, or the first three digits of five.
EmbeddedAnswer RefuseWith(int error_code, const std::string& message);

struct NamedReference {
  std::string name;
  SchemaReference to;

  friend auto operator<=>(const NamedReference&, const NamedReference&) = default;
};

struct SchemaToRegister {
  std::string text;
  std::vector<NamedReference> references;
};

// What a request names as a version: a number, or "latest".
using VersionText = std::string;

// Threads: every member may be called from several threads at once.
class EmbeddedSchemas {
 public:
  explicit EmbeddedSchemas(const EmbeddedRegistryLimits& limits) : limits_(limits) {}

  EmbeddedAnswer Register(const std::string& subject, const SchemaToRegister& schema);
  EmbeddedAnswer LookUp(const std::string& subject, const SchemaToRegister& schema,
                        bool with_deleted) const;
  EmbeddedAnswer ListSubjects(bool with_deleted, const std::string& prefix) const;
  EmbeddedAnswer ListVersions(const std::string& subject, bool with_deleted) const;
  EmbeddedAnswer GetVersion(const std::string& subject, const VersionText& version,
                            bool with_deleted) const;
  // The schema alone.
  EmbeddedAnswer GetText(const std::string& subject, const VersionText& version) const;
  EmbeddedAnswer GetById(const std::string& id) const;
  // The subjects and versions that have it.
  EmbeddedAnswer GetUsers(const std::string& id) const;
  EmbeddedAnswer DeleteSubject(const std::string& subject, bool permanent);
  EmbeddedAnswer DeleteVersion(const std::string& subject, const VersionText& version,
                               bool permanent);
  // Whether the level NONE lets the schema in: any that can be read.
  EmbeddedAnswer CheckCompatibility(const std::string& subject, const VersionText& version,
                                    const SchemaToRegister& schema) const;

 private:
  struct Registered {
    std::string text;
    std::vector<NamedReference> references;
  };
  struct Version {
    std::int32_t id = 0;
    bool deleted = false;
  };
  using Versions = std::map<std::int32_t, Version>;
  // The same for texts that differ in white space and the order of keys.
  using Identity = std::pair<std::string, std::vector<NamedReference>>;

  // Texts that `references` need, each after those that it uses itself.
  // Errors: schema_not_found, naming the reference; resource_exhausted.
  Status CollectLocked(const std::vector<NamedReference>& references, std::size_t depth,
                       std::vector<std::string>& texts) const FRAZIL_REQUIRES(mutex_);
  // What is wrong with the schema; otherwise its identity, and the text to keep.
  std::optional<EmbeddedAnswer> CheckLocked(const SchemaToRegister& schema, Identity& identity,
                                            std::string& text) const FRAZIL_REQUIRES(mutex_);
  // nullptr where there is none that is alive, or with `with_deleted` none at all.
  const Versions* FindSubjectLocked(const std::string& subject, bool with_deleted) const
      FRAZIL_REQUIRES(mutex_);
  // 0 where there is no such version, -1 where the text names none.
  std::int32_t FindVersionLocked(const Versions& versions, const VersionText& version,
                                 bool with_deleted) const FRAZIL_REQUIRES(mutex_);
  bool IsReferredToLocked(const std::string& subject, std::int32_t version) const
      FRAZIL_REQUIRES(mutex_);
  nlohmann::ordered_json DescribeLocked(const std::string& subject, std::int32_t version) const
      FRAZIL_REQUIRES(mutex_);
  const Registered* FindIdLocked(const std::string& id) const FRAZIL_REQUIRES(mutex_);

  const EmbeddedRegistryLimits limits_;
  mutable Mutex mutex_;
  // The schema with id n stands at n - 1.
  std::vector<Registered> schemas_ FRAZIL_GUARDED_BY(mutex_);
  std::map<Identity, std::int32_t> ids_ FRAZIL_GUARDED_BY(mutex_);
  std::map<std::string, Versions> subjects_ FRAZIL_GUARDED_BY(mutex_);
  std::size_t versions_ FRAZIL_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ FRAZIL_GUARDED_BY(mutex_) = 0;
};

}  // namespace frazil::registry
