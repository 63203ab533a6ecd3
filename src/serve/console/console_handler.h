// SPDX-License-Identifier: Apache-2.0
// Answers GET /frazil/v1/{topics,tables,tables/{namespace}/{name},status}.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

#include "base/clock.h"
#include "net/http_server.h"
#include "serve/console/console_json.h"
#include "table/table_description.h"
#include "telemetry/log.h"

namespace frazil::serve::console {

// The path below which this handler answers.
inline constexpr std::string_view kConsoleRoot = "/frazil/";

// Looks at the systems around now.
using ServerProbe = std::function<ServerState(Deadline deadline, const std::stop_token& stop)>;

// Owns: nothing of `tables` and `logger`, which must outlive it.
std::unique_ptr<net::HttpHandler> MakeConsoleHandler(table::CatalogInspector& tables,
                                                     ServerProbe probe, telemetry::Logger& logger);

}  // namespace frazil::serve::console
