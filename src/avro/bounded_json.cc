// SPDX-License-Identifier: Apache-2.0
#include "avro/bounded_json.h"

#include <exception>
#include <string>

namespace frazil::avro {
namespace {

// The deepest nesting of brackets outside strings. Exact for valid JSON, never too low for what
// the parser accepts before its first error.
std::size_t DeepestNesting(std::string_view text) {
  std::size_t deepest = 0;
  std::size_t nesting = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++nesting);
    } else if ((c == '}' || c == ']') && nesting > 0) {
      --nesting;
    }
  }
  return deepest;
}

}  // namespace

std::optional<std::string> PassedLimit(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.text_bytes) {
    return "longer than the limit of " + std::to_string(limits.text_bytes) +
           " bytes: " + std::to_string(text.size());
  }
  if (DeepestNesting(text) > limits.nesting) {
    return "nested deeper than the limit of " + std::to_string(limits.nesting) + " levels";
  }
  return std::nullopt;
}

Result<nlohmann::json> ParseBoundedJson(std::string_view text, const JsonLimits& limits) {
  if (const auto passed = PassedLimit(text, limits); passed.has_value()) {
    return Error(ErrorCode::kCorruptData, "the JSON text is " + *passed);
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    return Error(ErrorCode::kCorruptData,
                 "the text is no valid JSON: the parser stopped at byte " + std::to_string(e.byte));
  } catch (const std::exception& e) {
    return Error(ErrorCode::kCorruptData,
                 std::string("the text holds JSON that cannot be kept: ") + e.what());
  }
}

}  // namespace frazil::avro
