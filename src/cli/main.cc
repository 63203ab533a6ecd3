// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <pthread.h>
#include <signal.h>
#include <string>

#include "app/server.h"
#include "app/settings_reader.h"
#include "base/allocator.h"
#include "cli/command_line.h"
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

int Serve(const CommandLine& line) {
  LetAllocatorGiveBack();
  const auto settings = SettingsOf(line);
  if (!settings.ok()) return Fail(settings.error());
  const sigset_t signals = BlockSignals();
  const std::unique_ptr<telemetry::Logger> logger = telemetry::MakeStderrLogger(
      LevelOf(settings->log_level),
      settings->log_format == "json" ? telemetry::LogFormat::kJson : telemetry::LogFormat::kText);
  auto server = app::StartServer(*settings, *logger);
  if (!server.ok()) return Fail(server.error());
  std::printf("catalog %s\ns3 %s\n", (*server)->catalog_url().c_str(), (*server)->s3_url().c_str());
  std::fflush(stdout);
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
