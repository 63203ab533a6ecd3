// SPDX-License-Identifier: Apache-2.0
// The commands that ask a running server: topics, tables, describe, status.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/command_line.h"

namespace frazil::cli {

inline constexpr const char* kDefaultServer = "http://127.0.0.1:8181";

// What the command prints. Requires: line.command is one of the above, line.server is set.
// Errors: invalid_argument: a URL or a table's name that cannot be read; network: no Frazil server
// answers at the URL; those that the server tells.
Result<std::string> AskServer(const CommandLine& line, Deadline deadline);

}  // namespace frazil::cli
