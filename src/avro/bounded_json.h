// SPDX-License-Identifier: Apache-2.0
// JSON text from outside as a tree, with its size and nesting bounded before it is parsed: what
// walks the tree may recurse. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace frazil::avro {

struct JsonLimits {
  std::size_t text_bytes = 4 << 20;
  // Arrays and objects within one another.
  std::size_t nesting = 256;
};

// Which limit the text passes, as the end of a sentence; nullopt: none.
std::optional<std::string> PassedLimit(std::string_view text, const JsonLimits& limits);

// Of keys that stand twice in an object the last one counts.
// Errors: corrupt_data for text that is no JSON, or passes a limit.
Result<nlohmann::json> ParseBoundedJson(std::string_view text, const JsonLimits& limits = {});

}  // namespace frazil::avro
