// SPDX-License-Identifier: Apache-2.0
// A writer's schema, whatever its format: what the modules above hold without knowing formats.
// Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frazil::avro {
struct Schema;
}

namespace frazil::decode {

// Immutable and cheap to copy; copies share the parsed schema.
class WriterSchema {
 public:
  // `format` is the registry's word: "AVRO"; `references` are texts that `text` uses, each after
  // those that it uses itself.
  // Errors: schema_incompatible for a format that is not shown as a table yet, and for a schema
  // that passes a limit of avro::SchemaLimits; corrupt_data for a text that cannot be read.
  static Result<WriterSchema> Parse(std::string_view format, std::string_view text,
                                    const std::vector<std::string>& references);

  const avro::Schema& avro() const { return *avro_; }
  // Names of the fields at top level.
  std::vector<std::string> FieldNames() const;

 private:
  explicit WriterSchema(std::shared_ptr<const avro::Schema> schema) : avro_(std::move(schema)) {}

  std::shared_ptr<const avro::Schema> avro_;
};

}  // namespace frazil::decode
