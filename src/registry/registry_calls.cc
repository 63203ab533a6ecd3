// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/encoding.h"
#include "base/mutex.h"
#include "registry/registry_answers_internal.h"
#include "registry/registry_calls_internal.h"

namespace frazil::registry {

namespace {

constexpr std::chrono::milliseconds kLongestBackoff{1000};

bool IsPassing(int status) { return status >= 500 || status == 429 || status == 408; }

// error_code of an unknown subject, version or id, and of a subject that was deleted softly.
bool SaysNotFound(std::int64_t error_code) { return error_code >= 40401 && error_code <= 40404; }

std::optional<Error> Ended(const CallScope& scope) {
  if (scope.stop.stop_requested()) {
    return Error(ErrorCode::kCancelled, "the question to the schema registry was stopped");
  }
  if (scope.deadline.Expired()) {
    return Error(ErrorCode::kDeadlineExceeded, "the schema registry has not answered in time");
  }
  return std::nullopt;
}

}  // namespace

Error RegistryCalls::At(const Error& error) const {
  return Error(error.code(), error.message() + ", registry " + Printable(url_));
}

Result<std::string> RegistryCalls::Get(const std::string& path, const CallScope& scope) {
  net::HttpRequest request;
  request.method = "GET";
  const auto query = path.find('?');
  request.raw_path = path.substr(0, query);
  if (query != std::string::npos) request.raw_query = path.substr(query + 1);
  request.headers.push_back({"Accept", "application/vnd.schemaregistry.v1+json, application/json"});
  const Deadline own = scope.deadline.Within(options_.timeout);
  std::chrono::milliseconds backoff =
      std::max(options_.first_backoff, std::chrono::milliseconds(1));
  while (true) {
    if (auto ended = Ended(scope); ended.has_value()) return At(*ended);
    auto answer = Attempt(request, own, scope.stop);
    if (answer.ok()) return answer;
    if (answer.error().code() != ErrorCode::kRegistryUnavailable) return At(answer.error());
    PauseUntil(own.Within(backoff), scope.stop);
    // The last refusal says more than that the time is over.
    if (own.Expired() && !scope.stop.stop_requested()) return At(answer.error());
    backoff = std::min(backoff * 2, kLongestBackoff);
  }
}

Result<std::string> RegistryCalls::Attempt(const net::HttpRequest& request, Deadline deadline,
                                           const std::stop_token& stop) {
  auto response = http_->Send(request, deadline, stop);
  const bool passing = response.ok() && IsPassing(response->status);
  metrics_.Increment(telemetry::Metric::kRegistryRequestsTotal,
                     {response.ok() && !passing ? "ok" : "error"});
  if (!response.ok()) {
    const Error& error = response.error();
    if (error.code() == ErrorCode::kCancelled) return error;
    const bool may_pass =
        error.code() == ErrorCode::kNetwork || error.code() == ErrorCode::kDeadlineExceeded;
    return Error(may_pass ? ErrorCode::kRegistryUnavailable : ErrorCode::kRegistryProtocol,
                 "the schema registry was not reached; check --registry and that it runs: " +
                     error.message());
  }
  if (passing) {
    return Error(ErrorCode::kRegistryUnavailable, "the schema registry cannot answer now: status " +
                                                      std::to_string(response->status));
  }
  if (response->status != 200) return Refusal(*response);
  return std::move(response->body);
}

Error RegistryCalls::Refusal(const net::HttpResponse& response) const {
  const auto error_code = ParseErrorCode(response.body);
  const std::string status = std::to_string(response.status);
  if (response.status == 404 && error_code.has_value() && SaysNotFound(*error_code)) {
    return Error(ErrorCode::kSchemaNotFound,
                 "the schema registry knows no such subject, version or schema id: error code " +
                     std::to_string(*error_code));
  }
  if (response.status == 404) {
    return Error(ErrorCode::kRegistryProtocol,
                 "nothing of the Confluent schema registry API is at the URL of --registry; check "
                 "its path: status 404");
  }
  if (response.status == 401 || response.status == 403) {
    return Error(ErrorCode::kRegistryProtocol,
                 "the schema registry refuses access; check its credentials: status " + status);
  }
  const std::string code =
      error_code.has_value() ? ", error code " + std::to_string(*error_code) : "";
  return Error(ErrorCode::kRegistryProtocol,
               "the schema registry refused a request: status " + status + code);
}

}  // namespace frazil::registry
