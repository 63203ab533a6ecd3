// SPDX-License-Identifier: Apache-2.0
// What `table` asks for schemas: a registry::Client, or nothing.
#pragma once

#include <string>
#include <vector>

#include "registry/registry_client.h"
#include "table/schema_source.h"

namespace frazil::app {

// Owns: nothing; the client must outlive it.
class RegistrySchemaSource final : public table::SchemaSource {
 public:
  explicit RegistrySchemaSource(registry::Client& client) : client_(client) {}

  Result<std::vector<table::SubjectVersion>> Versions(const std::string& subject, Deadline deadline,
                                                      const std::stop_token& stop) override;
  Result<table::RegisteredSchema> ById(WriterSchemaId id, Deadline deadline,
                                       const std::stop_token& stop) override;

 private:
  registry::Client& client_;
};

// The source of a server without a registry: it knows no subject.
class NoSchemaSource final : public table::SchemaSource {
 public:
  Result<std::vector<table::SubjectVersion>> Versions(const std::string& subject, Deadline deadline,
                                                      const std::stop_token& stop) override;
  Result<table::RegisteredSchema> ById(WriterSchemaId id, Deadline deadline,
                                       const std::stop_token& stop) override;
};

}  // namespace frazil::app
