// SPDX-License-Identifier: Apache-2.0
// `frazil serve`: everything wired together and listening.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/settings.gen.h"
#include "base/result.h"
#include "telemetry/log.h"

namespace frazil::app {

class Server {
 public:
  virtual ~Server() = default;  // stops
  // What clients are told: "http://127.0.0.1:8181", without a slash at the end.
  virtual const std::string& catalog_url() const = 0;
  virtual const std::string& s3_url() const = 0;
  // Closes the listeners and waits for requests that are being answered.
  virtual void Stop() = 0;
};

// Opens the ledger and the listeners. Kafka and the registry need not be reachable yet.
// Errors: config_invalid, listen_failed, ledger.
// `version` is what /frazil/v1/status tells.
// Owns: nothing of `logger`, which must outlive it.
Result<std::unique_ptr<Server>> StartServer(const Settings& settings, std::string version,
                                            telemetry::Logger& logger);

}  // namespace frazil::app
