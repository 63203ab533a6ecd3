// SPDX-License-Identifier: Apache-2.0
// The Iceberg REST catalog, read side, and /healthz, /readyz, /metrics beside it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/http_server.h"
#include "serve/catalog/credential_source.h"
#include "table/table_catalog.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace frazil::serve::catalog {

struct CatalogOptions {
  // "http://127.0.0.1:8182/", with a slash at the end: what S3 clients are told.
  std::string s3_endpoint;
  std::string region = "us-east-1";
  // The one warehouse, and the prefix of its paths.
  std::string warehouse = "frazil";
};

// Whether the server can answer: no value, or what is missing.
using ReadinessCheck = std::function<Status()>;

// Owns: nothing of its arguments, which must outlive it.
std::unique_ptr<net::HttpHandler> MakeCatalogHandler(
    const CatalogOptions& options, table::TableCatalog& tables, const CredentialSource& credentials,
    ReadinessCheck ready, telemetry::Logger& logger, telemetry::Metrics& metrics);

}  // namespace frazil::serve::catalog
