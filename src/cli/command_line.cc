// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/nearest_name.h"
#include "app/settings.gen.h"
#include "base/encoding.h"

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

// The commands' names, for whoever mistypes one.
constexpr std::string_view kCommands[] = {"serve",  "topics",  "tables", "describe",
                                          "status", "version", "help"};

Error RefuseExtra(const std::string& extra, const std::string& command) {
  if (!extra.starts_with("-")) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("this argument is not understood; see frazil {} --help: {}", command,
                             Printable(extra)));
  }
  const std::string name = extra.substr(std::min(extra.find_first_not_of('-'), extra.size()));
  const std::string flag = name.substr(0, name.find('='));
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("there is no flag {}{}", Printable(extra.substr(0, extra.find('='))),
                           command == "serve" ? app::NearestSetting(flag) : std::string()));
}

Error NoCommand(const std::string& name) {
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("there is no command {}{}; see frazil help", Printable(name),
                           app::DidYouMean(name, kCommands)));
}

struct Commands {
  CLI::App* serve = nullptr;
  CLI::App* topics = nullptr;
  CLI::App* tables = nullptr;
  CLI::App* describe = nullptr;
  CLI::App* status = nullptr;
  CLI::App* version = nullptr;
  CLI::App* help = nullptr;
};

struct Values {
  SettingFlags settings;
  bool print_version = false;
  std::string help_command;
};

CLI::App* AddRemote(CLI::App& app, CommandLine& line, const std::string& name,
                    const std::string& description) {
  CLI::App* command = app.add_subcommand(name, description);
  command
      ->add_option("--server", line.server,
                   "URL of the catalog of a running server. Default: the environment's "
                   "FRAZIL_SERVER, or http://127.0.0.1:8181.")
      ->type_name("URL");
  command->add_option("--output", line.output, "One of table|json. Default: table.")
      ->type_name("FORM")
      ->check(CLI::IsMember({"table", "json"}));
  return command;
}

Commands AddCommands(CLI::App& app, CommandLine& line, Values& values) {
  Commands commands;
  app.set_help_flag("--help,-h", "Print this text.");
  app.require_subcommand(0, 1);
  app.add_flag("--version", values.print_version, "Print the version.");
  commands.serve = app.add_subcommand("serve", "Serve the catalog and its files until SIGINT.");
  commands.serve->add_option("--config", line.config, "YAML file of settings; flags win over it.")
      ->type_name("FILE");
  AddSettings(*commands.serve, values.settings);
  commands.topics = AddRemote(app, line, "topics", "List the topics that a server sees.");
  commands.tables = AddRemote(app, line, "tables", "List the tables that a server shows.");
  commands.describe =
      AddRemote(app, line, "describe", "Show a table's columns, partitions and snapshots.");
  commands.describe->add_option("table", line.table, "The table, like speed.orders.")
      ->type_name("TABLE")
      ->required();
  commands.status = AddRemote(app, line, "status", "Show how a server and its tables are.");
  commands.version = app.add_subcommand("version", "Print the version.");
  commands.help = app.add_subcommand("help", "Print what a command takes.");
  commands.help->add_option("command", values.help_command, "The command.")->type_name("COMMAND");
  app.allow_extras();
  for (CLI::App* command : app.get_subcommands({})) command->allow_extras();
  return commands;
}

Command CommandOf(const Commands& commands) {
  if (commands.serve->parsed()) return Command::kServe;
  if (commands.topics->parsed()) return Command::kTopics;
  if (commands.tables->parsed()) return Command::kTables;
  if (commands.describe->parsed()) return Command::kDescribe;
  if (commands.status->parsed()) return Command::kStatus;
  if (commands.version->parsed()) return Command::kVersion;
  return Command::kHelp;
}

// CLI11's own texts name the flag and what it lacks, but not the command.
Error Misused(const CLI::App& app, const CLI::ParseError& error) {
  const auto parsed = app.get_subcommands();
  const std::string command = parsed.empty() ? "help" : parsed.front()->get_name() + " --help";
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("{}; see frazil {}", Printable(error.what()), command));
}

Result<CommandLine> HelpOn(CLI::App& app, const std::string& name, CommandLine line) {
  line.command = Command::kHelp;
  if (name.empty()) {
    // app.help() would give the help of the command `help`.
    line.help = app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
    return line;
  }
  for (CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() != name) continue;
    line.help = command->help();
    return line;
  }
  return NoCommand(name);
}

}  // namespace

Result<CommandLine> ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  Values values;
  CLI::App app("Frazil shows Kafka topics as Iceberg tables, computed when they are read.",
               "frazil");
  const Commands commands = AddCommands(app, line, values);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto parsed = app.get_subcommands();
    return HelpOn(app, parsed.empty() ? std::string() : parsed.front()->get_name(), line);
  } catch (const CLI::ParseError& error) {
    return Misused(app, error);
  }
  line.command = CommandOf(commands);
  const auto parsed = app.get_subcommands();
  const std::vector<std::string> extras = app.remaining(true);
  if (!extras.empty()) {
    if (parsed.empty() && !extras.front().starts_with('-')) return NoCommand(extras.front());
    return RefuseExtra(extras.front(), parsed.empty() ? "help" : parsed.front()->get_name());
  }
  if (parsed.empty() && values.print_version) line.command = Command::kVersion;
  if (line.command == Command::kHelp) return HelpOn(app, values.help_command, line);
  for (const auto& [name, text] : values.settings.texts) {
    if (commands.serve->count("--" + name) > 0) line.flags.emplace(name, text);
  }
  for (const auto& [name, set] : values.settings.flags) {
    if (set) line.flags.emplace(name, "true");
  }
  return line;
}

}  // namespace frazil::cli
