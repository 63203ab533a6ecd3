// SPDX-License-Identifier: Apache-2.0
// An embedded schema registry for first runs and tests: the part of the Confluent schema registry
// API that serializers and Frazil use, for Avro, in memory.
#pragma once

#include <cstddef>
#include <memory>

#include "net/http_server.h"

namespace frazil::registry {

struct EmbeddedRegistryLimits {
  std::size_t schema_bytes = 1 << 20;
  std::size_t most_subjects = 10'000;
  // Of all subjects together.
  std::size_t most_versions = 100'000;
  // Of schemas' texts, each text once.
  std::size_t memory_bytes = std::size_t{256} << 20;
  std::size_t most_references = 100;
};

// A text gets one id, whichever subjects have it. The answer to what is not offered says so:
// compatibility levels other than NONE, schemas other than Avro, modes other than READWRITE.
std::unique_ptr<net::HttpHandler> MakeEmbeddedRegistry(const EmbeddedRegistryLimits& limits = {});

}  // namespace frazil::registry
