// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <string>

#include "app/settings_reader.h"
#include "base/result.h"

namespace frazil::cli {

enum class Command { kServe, kTopics, kTables, kDescribe, kStatus, kVersion, kHelp };

struct CommandLine {
  Command command = Command::kHelp;
  // Settings given as flags.
  app::SettingTexts flags;
  // The file that --config names; empty: none.
  std::string config;
  // kHelp: what to print.
  std::string help;
  // The commands that ask a running server: its URL, empty when it is not given, and "table" or
  // "json".
  std::string server;
  std::string output = "table";
  // kDescribe: "speed.orders".
  std::string table;
};

// Errors: invalid_argument for an unknown command or flag, naming the nearest that exists, and for
// a flag without its value.
Result<CommandLine> ParseCommandLine(int argc, const char* const* argv);

}  // namespace frazil::cli
