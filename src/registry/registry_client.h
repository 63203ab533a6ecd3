// SPDX-License-Identifier: Apache-2.0
// A client of the Confluent schema registry API.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "net/http_client.h"
#include "telemetry/metrics.h"

namespace frazil::registry {

struct Schema {
  WriterSchemaId id;
  // "AVRO" (also where the registry leaves it out), "PROTOBUF", "JSON".
  std::string format;
  std::string text;
  // Texts of the schemas that it refers to, each after those that it uses itself.
  std::vector<std::string> references;
};

struct SubjectVersion {
  std::int32_t version = 0;
  Schema schema;
};

struct ClientOptions {
  // Longest wait for one answer of the registry, repeats included.
  std::chrono::milliseconds timeout{5000};
  std::chrono::milliseconds first_backoff{50};
  // How long "no such id" is believed: a registration may lag behind its first record.
  std::chrono::milliseconds missing_cache{1000};
  // Least recently used ones leave first, when either bound is passed.
  std::size_t cached_schemas = 10000;
  std::size_t cached_bytes = 64 << 20;
  std::size_t schema_bytes = 4 << 20;
  // Depth and number of references that are followed for one schema.
  std::size_t most_references = 100;
};

// Versions and ids never change and are cached; a subject's list of versions is asked each time.
// Threads: every member may be called from several threads at once; none holds a lock while it
// waits for the registry.
class Client {
 public:
  virtual ~Client() = default;

  // All versions of the subject that are not deleted, ascending.
  // Errors: schema_not_found when the registry says that there is no such subject;
  // registry_unavailable (not reached, 5xx, 429; repeated until the time is over),
  // registry_protocol (other refusals, unreadable answers), deadline_exceeded, cancelled.
  virtual Result<std::vector<SubjectVersion>> Versions(const std::string& subject,
                                                       Deadline deadline,
                                                       const std::stop_token& stop) = 0;

  // Errors: schema_not_found when the registry itself says so; the others as above.
  virtual Result<Schema> ById(WriterSchemaId id, Deadline deadline,
                              const std::stop_token& stop) = 0;
};

// Owns `http`. `url` is for messages.
std::unique_ptr<Client> MakeClient(std::unique_ptr<net::HttpClient> http, std::string url,
                                   telemetry::Metrics& metrics, const ClientOptions& options = {});

}  // namespace frazil::registry
