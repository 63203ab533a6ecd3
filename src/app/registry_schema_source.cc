// SPDX-License-Identifier: Apache-2.0
#include "app/registry_schema_source.h"

#include <utility>

namespace frazil::app {
namespace {

table::RegisteredSchema ToRegistered(registry::Schema schema) {
  return {.id = schema.id,
          .format = std::move(schema.format),
          .text = std::move(schema.text),
          .references = std::move(schema.references)};
}

}  // namespace

Result<std::vector<table::SubjectVersion>> RegistrySchemaSource::Versions(
    const std::string& subject, Deadline deadline, const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(auto versions, client_.Versions(subject, deadline, stop));
  std::vector<table::SubjectVersion> converted;
  converted.reserve(versions.size());
  for (registry::SubjectVersion& version : versions) {
    converted.push_back(
        {.version = version.version, .schema = ToRegistered(std::move(version.schema))});
  }
  return converted;
}

Result<table::RegisteredSchema> RegistrySchemaSource::ById(WriterSchemaId id, Deadline deadline,
                                                           const std::stop_token& stop) {
  FRAZIL_ASSIGN_OR_RETURN(auto schema, client_.ById(id, deadline, stop));
  return ToRegistered(std::move(schema));
}

Result<std::vector<table::SubjectVersion>> NoSchemaSource::Versions(
    const std::string& subject, Deadline /*deadline*/, const std::stop_token& /*stop*/) {
  return Error(ErrorCode::kSchemaNotFound,
               "no registry is set (--registry), so there is no subject " + subject);
}

Result<table::RegisteredSchema> NoSchemaSource::ById(WriterSchemaId id, Deadline /*deadline*/,
                                                     const std::stop_token& /*stop*/) {
  return Error(
      ErrorCode::kSchemaNotFound,
      "no registry is set (--registry), so there is no schema " + std::to_string(id.value()));
}

}  // namespace frazil::app
