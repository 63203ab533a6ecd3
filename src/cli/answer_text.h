// SPDX-License-Identifier: Apache-2.0
// The answers of /frazil/v1/ (docs/reference/api.md) as text for people. What an answer lacks, or
// holds in another form, shows as "-": another version of the server may have sent it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace frazil::cli {

// Errors of all: network: the text is no JSON object, so no Frazil server sent it.
Result<std::string> TopicsText(std::string_view body);
Result<std::string> TablesText(std::string_view body);
Result<std::string> TableText(std::string_view body);
Result<std::string> StatusText(std::string_view body);

// The error that a body of a refused request tells. `http_status` is for bodies that tell none.
Error ErrorOf(std::string_view body, int http_status);

}  // namespace frazil::cli
