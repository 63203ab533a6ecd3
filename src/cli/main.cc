// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <pthread.h>
#include <signal.h>
#include <string>

#include "app/server.h"
#include "app/settings_file.h"
#include "app/settings_reader.h"
#include "base/allocator.h"
#include "cli/command_line.h"
#include "cli/remote_commands.h"
#include "cli/sandbox_command.h"
#include "telemetry/log.h"

namespace frazil::cli {
namespace {

int Fail(const Error& error) {
  std::fprintf(stderr, "frazil: %s\n", error.message().c_str());
  return error.row().exit_code;
}

telemetry::LogLevel LevelOf(const std::string& name) {
  if (name == "debug") return telemetry::LogLevel::kDebug;
  if (name == "warn") return telemetry::LogLevel::kWarn;
  if (name == "error") return telemetry::LogLevel::kError;
  return telemetry::LogLevel::kInfo;
}

Result<app::Settings> SettingsOf(const CommandLine& line) {
  app::SettingTexts file;
  if (!line.config.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(file, app::ReadSettingsFile(line.config));
  }
  return app::MakeSettings(file, line.flags);
}

// Blocked in every thread, so that only Wait below receives them.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

void PrintHowToAttach(const app::Server& server) {
  const char* catalog = server.catalog_url().c_str();
  std::printf(
      "catalog %s\ns3 %s\n\n"
      "DuckDB:    ATTACH '' AS frazil (TYPE iceberg, ENDPOINT '%s', AUTHORIZATION_TYPE 'none');\n"
      "PyIceberg: load_catalog(\"frazil\", type=\"rest\", uri=\"%s\")\n"
      "Tables:    frazil tables --server %s\n",
      catalog, server.s3_url().c_str(), catalog, catalog, catalog);
  std::fflush(stdout);
}

// The server that the command line names, or else the environment.
int Ask(CommandLine line) {
  constexpr std::chrono::seconds kPatience{30};
  if (line.server.empty()) {
    const char* named = std::getenv("FRAZIL_SERVER");
    line.server = named != nullptr && *named != '\0' ? named : kDefaultServer;
  }
  const auto text = AskServer(line, Deadline::After(kPatience));
  if (!text.ok()) return Fail(text.error());
  std::fwrite(text->data(), 1, text->size(), stdout);
  return std::fflush(stdout) == 0 ? 0 : Fail(Error(ErrorCode::kIo, "standard output is closed"));
}

int Serve(const CommandLine& line) {
  LetAllocatorGiveBack();
  const auto settings = SettingsOf(line);
  if (!settings.ok()) return Fail(settings.error());
  const sigset_t signals = BlockSignals();
  const std::unique_ptr<telemetry::Logger> logger = telemetry::MakeStderrLogger(
      LevelOf(settings->log_level),
      settings->log_format == "json" ? telemetry::LogFormat::kJson : telemetry::LogFormat::kText);
  auto server = app::StartServer(*settings, FRAZIL_VERSION, *logger);
  if (!server.ok()) return Fail(server.error());
  PrintHowToAttach(**server);
  int signal_number = 0;
  sigwait(&signals, &signal_number);
  logger->Event(telemetry::LogLevel::kInfo, "stopping", {{"signal", signal_number}});
  (*server)->Stop();
  return 0;
}

int Run(int argc, const char* const* argv) {
  const auto line = ParseCommandLine(argc, argv);
  if (!line.ok()) return Fail(line.error());
  switch (line->command) {
    case Command::kServe:
      return Serve(*line);
    case Command::kSandbox: {
      const Status ended = RunSandbox(line->sandbox, BlockSignals());
      return ended.ok() ? 0 : Fail(ended.error());
    }
    case Command::kTopics:
    case Command::kTables:
    case Command::kDescribe:
    case Command::kStatus:
      return Ask(*line);
    case Command::kVersion:
      std::printf("frazil %s\n", FRAZIL_VERSION);
      return 0;
    case Command::kHelp:
      std::printf("%s", line->help.c_str());
      return 0;
  }
  return 0;
}

}  // namespace
}  // namespace frazil::cli

int main(int argc, char** argv) { return frazil::cli::Run(argc, argv); }
