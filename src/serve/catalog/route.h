// SPDX-License-Identifier: Apache-2.0
// Which operation a request's path names. Spec: Apache Iceberg REST Catalog OpenAPI, paths.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frazil::serve::catalog {

enum class RouteKind {
  kHealth,
  kReady,
  kMetrics,
  kConfig,
  kOauthTokens,
  kNamespaces,
  kNamespace,
  kNamespaceProperties,
  kTables,
  kTable,
  kTableCredentials,
  kTableMetrics,
  // Server-side planning and remote signing, which are not offered.
  kTableExtra,
  kRegister,
  kViews,
  kView,
  kRename,
  kTransaction,
};

struct Route {
  RouteKind kind = RouteKind::kHealth;
  // nullopt where the path has none.
  std::optional<std::string> prefix;
  std::vector<std::string> namespace_levels;
  // Of the table or view.
  std::string name;
};

// Names are percent-decoded once, '+' stays '+'; namespace levels are parted by %1F. Slashes before
// the first segment and one after the last are forgiven.
// Errors: malformed_request for a broken escape or a name that is no UTF-8; not_found for a path
// that names no operation.
Result<Route> ParseRoute(std::string_view raw_path);

// The methods that a route takes, as an Allow header has them: "GET, HEAD".
std::string_view AllowedMethods(RouteKind kind);
bool AllowsMethod(RouteKind kind, std::string_view method);

}  // namespace frazil::serve::catalog
