// SPDX-License-Identifier: Apache-2.0
// `frazil sandbox`: an embedded Kafka broker and schema registry in memory, for first runs and
// tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "telemetry/log.h"

namespace frazil::app {

struct SandboxSettings {
  // Addresses on loopback, port 0 for any free one. Behind "=" what clients that come there are
  // told to connect to: "127.0.0.1:9092=127.0.0.1:19092".
  std::vector<std::string> kafka_listen = {"127.0.0.1:9092"};
  std::string registry_listen = "127.0.0.1:8081";
  // MiB of records; beyond it the oldest ones go.
  int kafka_memory = 512;
  // Whether a topic that a producer names is created, and with how many partitions.
  bool create_topics = true;
  int partitions = 1;
};

class Sandbox {
 public:
  virtual ~Sandbox() = default;  // stops
  // "127.0.0.1:9092", in the order of the settings.
  virtual const std::vector<std::string>& kafka_addresses() const = 0;
  // "http://127.0.0.1:8081".
  virtual const std::string& registry_url() const = 0;
  virtual void Stop() = 0;
};

// Owns: nothing of `logger`, which must outlive it.
// Errors: invalid_argument for an address that cannot be read or lies beyond loopback;
// listen_failed.
Result<std::unique_ptr<Sandbox>> StartSandbox(const SandboxSettings& settings,
                                              telemetry::Logger& logger);

}  // namespace frazil::app
