// SPDX-License-Identifier: Apache-2.0
#include "cli/sandbox_command.h"

#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "telemetry/log.h"

namespace frazil::cli {

CLI::App* AddSandboxCommand(CLI::App& app, app::SandboxSettings& settings) {
  CLI::App* sandbox = app.add_subcommand(
      "sandbox",
      "Run an embedded Kafka broker and schema registry in memory, for first runs and tests, until "
      "SIGINT.");
  sandbox
      ->add_option("--kafka-listen", settings.kafka_listen,
                   "Addresses on loopback for Kafka clients; behind '=' what clients that come "
                   "there are told to connect to.")
      ->type_name("LIST")
      ->delimiter(',')
      ->capture_default_str();
  sandbox
      ->add_option("--registry-listen", settings.registry_listen,
                   "Address on loopback for the schema registry.")
      ->type_name("TEXT")
      ->capture_default_str();
  sandbox
      ->add_option("--kafka-memory", settings.kafka_memory,
                   "MiB of records; beyond it the oldest ones go.")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sandbox
      ->add_option("--create-topics", settings.create_topics,
                   "Whether a topic that a producer names is created.")
      ->type_name("true|false")
      ->capture_default_str();
  sandbox->add_option("--partitions", settings.partitions, "Partitions of topics created so.")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  return sandbox;
}

Status RunSandbox(const app::SandboxSettings& settings, const sigset_t& signals) {
  const auto logger =
      telemetry::MakeStderrLogger(telemetry::LogLevel::kInfo, telemetry::LogFormat::kText);
  FRAZIL_ASSIGN_OR_RETURN(const auto sandbox, app::StartSandbox(settings, *logger));
  for (const std::string& address : sandbox->kafka_addresses()) {
    std::printf("kafka %s\n", address.c_str());
  }
  std::printf("registry %s\n", sandbox->registry_url().c_str());
  std::fflush(stdout);
  int signal_number = 0;
  sigwait(&signals, &signal_number);
  logger->Event(telemetry::LogLevel::kInfo, "stopping", {{"signal", signal_number}});
  sandbox->Stop();
  return {};
}

}  // namespace frazil::cli
