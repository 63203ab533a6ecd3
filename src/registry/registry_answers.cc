// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "avro/bounded_json.h"
#include "registry/registry_answers_internal.h"

namespace frazil::registry {

namespace {

using Json = nlohmann::json;

// Beside the schema's text an answer holds names, metadata and rules.
constexpr std::size_t kOtherBytes = 1 << 20;
constexpr std::size_t kNesting = 64;

Error Unreadable(std::string_view reason) {
  return Error(ErrorCode::kRegistryProtocol,
               "the answer of the schema registry cannot be read: " + std::string(reason));
}

Result<Json> Parse(std::string_view body, std::size_t schema_bytes) {
  // Escapes may double the length of a schema that stands in a JSON text.
  auto json = avro::ParseBoundedJson(
      body, {.text_bytes = 2 * schema_bytes + kOtherBytes, .nesting = kNesting});
  if (!json.ok()) return Unreadable(json.error().message());
  return json;
}

// The value at `key`; null when there is none.
const Json* Find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int32_t> ToInt(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return static_cast<std::int32_t>(number);
  }
  const auto number = json.get<std::int64_t>();
  if (number < std::numeric_limits<std::int32_t>::min()) return std::nullopt;
  return static_cast<std::int32_t>(number);
}

Result<SchemaReference> ParseReference(const Json& json) {
  if (!json.is_object()) return Unreadable("a reference is no object");
  const Json* subject = Find(json, "subject");
  const Json* version = Find(json, "version");
  if (subject == nullptr || !subject->is_string()) return Unreadable("a reference has no subject");
  const auto number = version == nullptr ? std::nullopt : ToInt(*version);
  if (!number.has_value()) return Unreadable("a reference has no version");
  return SchemaReference{subject->get<std::string>(), *number};
}

Result<std::vector<SchemaReference>> ParseReferences(const Json& answer,
                                                     const AnswerLimits& limits) {
  std::vector<SchemaReference> references;
  const Json* array = Find(answer, "references");
  if (array == nullptr) return references;
  if (!array->is_array()) return Unreadable("references are no array");
  if (array->size() > limits.references) return Unreadable("a schema has too many references");
  for (const Json& json : *array) {
    FRAZIL_ASSIGN_OR_RETURN(auto reference, ParseReference(json));
    references.push_back(std::move(reference));
  }
  return references;
}

}  // namespace

Result<SchemaAnswer> ParseSchemaAnswer(std::string_view body, const AnswerLimits& limits) {
  FRAZIL_ASSIGN_OR_RETURN(const auto json, Parse(body, limits.schema_bytes));
  if (!json.is_object()) return Unreadable("a schema's answer is no object");
  SchemaAnswer answer;
  if (const Json* id = Find(json, "id"); id != nullptr) {
    answer.id = ToInt(*id);
    if (!answer.id.has_value()) return Unreadable("a schema's id is no 32-bit number");
  }
  const Json* type = Find(json, "schemaType");
  if (type != nullptr && !type->is_string()) return Unreadable("schemaType is no text");
  answer.format = type == nullptr ? "AVRO" : type->get<std::string>();
  const Json* text = Find(json, "schema");
  if (text == nullptr || !text->is_string()) return Unreadable("a schema has no text");
  answer.text = text->get<std::string>();
  if (answer.text.size() > limits.schema_bytes) return Unreadable("a schema is too long");
  FRAZIL_ASSIGN_OR_RETURN(answer.references, ParseReferences(json, limits));
  return answer;
}

Result<std::vector<std::int32_t>> ParseVersionList(std::string_view body,
                                                   const AnswerLimits& limits) {
  FRAZIL_ASSIGN_OR_RETURN(const auto json, Parse(body, 0));
  if (!json.is_array()) return Unreadable("a list of versions is no array");
  if (json.size() > limits.versions) return Unreadable("a subject has too many versions");
  std::vector<std::int32_t> versions;
  for (const Json& entry : json) {
    const auto version = ToInt(entry);
    if (!version.has_value() || *version < 1) return Unreadable("a version is no positive number");
    versions.push_back(*version);
  }
  std::sort(versions.begin(), versions.end());
  versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
  return versions;
}

std::optional<std::int64_t> ParseErrorCode(std::string_view body) {
  const auto json = Parse(body, 0);
  if (!json.ok() || !json->is_object()) return std::nullopt;
  const Json* code = Find(*json, "error_code");
  if (code == nullptr) return std::nullopt;
  return ToInt(*code);
}

}  // namespace frazil::registry
