// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <map>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/settings.gen.h"
#include "base/encoding.h"
#include "cli/sandbox_command.h"

namespace frazil::cli {
namespace {

std::string HelpOf(const app::SettingRow& row) {
  std::string text(row.description);
  if (row.required) text += " Required.";
  if (!row.allowed.empty()) text += fmt::format(" One of {}.", row.allowed);
  const bool shown = !row.default_text.empty() && row.type != app::SettingType::kFlag;
  if (shown) text += fmt::format(" Default: {}.", row.default_text);
  return text;
}

std::string PlaceholderOf(const app::SettingRow& row) {
  switch (row.type) {
    case app::SettingType::kList:
      return "LIST";
    case app::SettingType::kInteger:
      return "NUMBER";
    case app::SettingType::kBytes:
      return "SIZE";
    case app::SettingType::kDuration:
      return "DURATION";
    case app::SettingType::kString:
    case app::SettingType::kFlag:
      break;
  }
  return "TEXT";
}

// The values that CLI11 fills while it parses.
struct SettingFlags {
  std::map<std::string, std::string> texts;
  std::map<std::string, bool> flags;
};

void AddSettings(CLI::App& serve, SettingFlags& values) {
  for (const app::SettingRow& row : app::SettingTable()) {
    const std::string name(row.name);
    if (row.type == app::SettingType::kFlag) {
      serve.add_flag("--" + name, values.flags[name], HelpOf(row));
    } else {
      serve.add_option("--" + name, values.texts[name], HelpOf(row))->type_name(PlaceholderOf(row));
    }
  }
}

Error RefuseExtra(const std::string& extra) {
  if (!extra.starts_with("--")) {
    return Error(ErrorCode::kInvalidArgument,
                 "this argument is not understood; see frazil serve --help: " + Printable(extra));
  }
  const std::string name = extra.substr(2, extra.find('=') - 2);
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("there is no flag --{}{}", Printable(name), app::NearestSetting(name)));
}

}  // namespace

Result<CommandLine> ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  SettingFlags values;
  CLI::App app("Frazil shows Kafka topics as Iceberg tables, computed when they are read.",
               "frazil");
  app.set_help_flag("--help,-h", "Print this text.");
  app.require_subcommand(0, 1);
  CLI::App* serve = app.add_subcommand("serve", "Serve the catalog and its files until SIGINT.");
  CLI::App* sandbox = AddSandboxCommand(app, line.sandbox);
  CLI::App* version = app.add_subcommand("version", "Print the version.");
  serve->add_option("--config", line.config, "YAML file of settings; flags win over it.")
      ->type_name("FILE");
  AddSettings(*serve, values);
  bool print_version = false;
  app.add_flag("--version", print_version, "Print the version.");
  app.allow_extras();
  serve->allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line.help = (serve->parsed() ? serve : sandbox->parsed() ? sandbox : &app)->help();
    return line;
  } catch (const CLI::ParseError& error) {
    return Error(ErrorCode::kInvalidArgument, error.what());
  }
  if (sandbox->parsed()) {
    line.command = Command::kSandbox;
    return line;
  }
  const std::vector<std::string> extras = app.remaining(true);
  if (serve->parsed() || version->parsed() || print_version) {
    if (!extras.empty()) return RefuseExtra(extras.front());
    line.command = serve->parsed() ? Command::kServe : Command::kVersion;
    for (const auto& [name, text] : values.texts) {
      if (serve->count("--" + name) > 0) line.flags.emplace(name, text);
    }
    for (const auto& [name, set] : values.flags) {
      if (set) line.flags.emplace(name, "true");
    }
    return line;
  }
  if (!extras.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "there is no such command; there are serve, sandbox and version: " +
                     Printable(extras.front()));
  }
  line.help = app.help();
  return line;
}

}  // namespace frazil::cli
