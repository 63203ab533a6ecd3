// SPDX-License-Identifier: Apache-2.0
// What `table` needs of a schema registry. `app` connects it to `registry`.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"

namespace frazil::table {

struct RegisteredSchema {
  WriterSchemaId id;
  // "AVRO", "PROTOBUF", "JSON".
  std::string format;
  std::string text;
  // Texts of the schemas that it refers to, each after those that it uses.
  std::vector<std::string> references;
};

struct SubjectVersion {
  std::int32_t version = 0;
  RegisteredSchema schema;
};

// Threads: may be called from several threads at once. Versions and ids never change, so they are
// cached without end; only the list of a subject's versions is asked again.
class SchemaSource {
 public:
  virtual ~SchemaSource() = default;

  // All versions of a subject that are not deleted, ascending.
  // Errors: schema_not_found when there is no such subject; registry_unavailable,
  // registry_protocol, deadline_exceeded, cancelled.
  virtual Result<std::vector<SubjectVersion>> Versions(const std::string& subject,
                                                       Deadline deadline,
                                                       const std::stop_token& stop) = 0;

  // Errors: schema_not_found when the registry itself says so; the others as above.
  virtual Result<RegisteredSchema> ById(WriterSchemaId id, Deadline deadline,
                                        const std::stop_token& stop) = 0;
};

}  // namespace frazil::table
