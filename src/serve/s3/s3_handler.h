// SPDX-License-Identifier: Apache-2.0
// The S3 endpoint, read side: GET with ranges, HEAD, ListObjectsV2, and clear refusals of the rest.
#pragma once

#include <memory>

#include "base/clock.h"
#include "net/http_server.h"
#include "serve/s3/vended_keys.h"
#include "table/table_catalog.h"
#include "telemetry/log.h"

namespace frazil::serve::s3 {

// Owns: nothing of its arguments, which must outlive it.
std::unique_ptr<net::HttpHandler> MakeS3Handler(table::TableCatalog& tables, const VendedKeys& keys,
                                                const Clock& clock, telemetry::Logger& logger);

}  // namespace frazil::serve::s3
