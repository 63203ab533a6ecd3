// SPDX-License-Identifier: Apache-2.0
// The JSON answers of the Confluent schema registry API as values. No input or output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frazil::registry {

struct SchemaReference {
  std::string subject;
  std::int32_t version = 0;

  friend auto operator<=>(const SchemaReference&, const SchemaReference&) = default;
};

struct SchemaAnswer {
  // Only where a subject's version was asked for.
  std::optional<std::int32_t> id;
  std::string format;
  std::string text;
  std::vector<SchemaReference> references;
};

struct AnswerLimits {
  std::size_t schema_bytes = 4 << 20;
  std::size_t references = 100;
  std::size_t versions = 10000;
};

// Of GET /schemas/ids/{id} and GET /subjects/{subject}/versions/{version}.
// Errors: registry_protocol for what is not such an answer, or passes a limit.
Result<SchemaAnswer> ParseSchemaAnswer(std::string_view body, const AnswerLimits& limits);

// Of GET /subjects/{subject}/versions; ascending, each once.
// Errors: registry_protocol.
Result<std::vector<std::int32_t>> ParseVersionList(std::string_view body,
                                                   const AnswerLimits& limits);

// The error_code of an error's body; nullopt when there is none.
std::optional<std::int64_t> ParseErrorCode(std::string_view body);

}  // namespace frazil::registry
