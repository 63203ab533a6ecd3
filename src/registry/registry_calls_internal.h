// SPDX-License-Identifier: Apache-2.0
// One question to the registry: repeated while that can help, its refusals told apart.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "net/http_client.h"
#include "registry/registry_client.h"
#include "telemetry/metrics.h"

namespace frazil::registry {

// How long the whole may take, and who may stop it.
struct CallScope {
  Deadline deadline;
  const std::stop_token& stop;
};

// Threads: Get may be called from several threads at once.
class RegistryCalls {
 public:
  RegistryCalls(std::unique_ptr<net::HttpClient> http, std::string url, telemetry::Metrics& metrics,
                const ClientOptions& options)
      : http_(std::move(http)), url_(std::move(url)), metrics_(metrics), options_(options) {}

  // The body of the answer to GET `path`.
  // Errors: schema_not_found, registry_unavailable, registry_protocol, deadline_exceeded,
  // cancelled.
  Result<std::string> Get(const std::string& path, const CallScope& scope);

  Error At(const Error& error) const;

 private:
  // One attempt. An error that a repetition may mend is registry_unavailable.
  Result<std::string> Attempt(const net::HttpRequest& request, Deadline deadline,
                              const std::stop_token& stop);
  Error Refusal(const net::HttpResponse& response) const;

  std::unique_ptr<net::HttpClient> http_;
  const std::string url_;
  telemetry::Metrics& metrics_;
  const ClientOptions options_;
};

}  // namespace frazil::registry
