// SPDX-License-Identifier: Apache-2.0
#include "serve/catalog/route.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/encoding.h"

namespace frazil::serve::catalog {
namespace {

constexpr char kLevelSeparator = '\x1f';
// Of v1, prefix, "namespaces", namespace, "tables", table, "plan", plan id.
constexpr std::size_t kMostSegments = 8;

using Segments = std::span<const std::string>;

struct RouteMethods {
  RouteKind kind;
  std::string_view methods;
};

constexpr std::array<RouteMethods, 18> kRouteMethods = {{
    {RouteKind::kHealth, "GET, HEAD"},
    {RouteKind::kReady, "GET, HEAD"},
    {RouteKind::kMetrics, "GET, HEAD"},
    {RouteKind::kConfig, "GET, HEAD"},
    {RouteKind::kOauthTokens, "POST"},
    {RouteKind::kNamespaces, "GET, HEAD, POST"},
    {RouteKind::kNamespace, "GET, HEAD, DELETE"},
    {RouteKind::kNamespaceProperties, "POST"},
    {RouteKind::kTables, "GET, HEAD, POST"},
    {RouteKind::kTable, "GET, HEAD, POST, DELETE"},
    {RouteKind::kTableCredentials, "GET, HEAD"},
    {RouteKind::kTableMetrics, "POST"},
    {RouteKind::kTableExtra, "GET, HEAD, POST, DELETE"},
    {RouteKind::kRegister, "POST"},
    {RouteKind::kViews, "GET, HEAD, POST"},
    {RouteKind::kView, "GET, HEAD, POST, DELETE"},
    {RouteKind::kRename, "POST"},
    {RouteKind::kTransaction, "POST"},
}};

Error NoRoute(std::string_view raw_path) {
  if (raw_path.find("/v1/v1/") != std::string_view::npos) {
    return Error(ErrorCode::kNotFound,
                 "the catalog's URL must be given without /v1 at its end; nothing is at " +
                     Printable(raw_path));
  }
  return Error(ErrorCode::kNotFound, "nothing is at " + Printable(raw_path));
}

// Errors: malformed_request; not_found for too many segments or an empty one.
Result<std::vector<std::string>> SplitPath(std::string_view raw_path) {
  std::string_view rest = raw_path;
  while (rest.starts_with('/')) rest.remove_prefix(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  std::vector<std::string> segments;
  while (true) {
    const auto slash = rest.find('/');
    const std::string_view raw = rest.substr(0, slash);
    if (raw.empty() || segments.size() == kMostSegments) return NoRoute(raw_path);
    auto decoded = PercentDecode(raw);
    if (!decoded || !IsUtf8(AsBytes(*decoded))) {
      return Error(ErrorCode::kMalformedRequest,
                   "the path has a broken percent escape or is no UTF-8: " + Printable(raw_path));
    }
    segments.push_back(std::move(*decoded));
    if (slash == std::string_view::npos) return segments;
    rest.remove_prefix(slash + 1);
  }
}

std::vector<std::string> SplitLevels(std::string_view text) {
  std::vector<std::string> levels;
  while (true) {
    const auto end = text.find(kLevelSeparator);
    levels.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return levels;
    text.remove_prefix(end + 1);
  }
}

// What follows namespaces/{namespace}/tables/{table}.
std::optional<RouteKind> TableRoute(Segments rest) {
  if (rest.empty()) return RouteKind::kTable;
  if (rest.size() == 1 && rest[0] == "credentials") return RouteKind::kTableCredentials;
  if (rest.size() == 1 && rest[0] == "metrics") return RouteKind::kTableMetrics;
  const bool extra = rest[0] == "plan" || rest[0] == "tasks" || rest[0] == "sign";
  if (extra && (rest.size() == 1 || (rest.size() == 2 && rest[0] == "plan"))) {
    return RouteKind::kTableExtra;
  }
  return std::nullopt;
}

// What follows namespaces/{namespace}/.
std::optional<RouteKind> NamespaceRoute(Segments rest, std::string& name) {
  if (rest.empty()) return RouteKind::kNamespace;
  const std::string& what = rest[0];
  if (rest.size() == 1) {
    if (what == "properties") return RouteKind::kNamespaceProperties;
    if (what == "tables") return RouteKind::kTables;
    if (what == "views") return RouteKind::kViews;
    if (what == "register" || what == "register-view") return RouteKind::kRegister;
    return std::nullopt;
  }
  name = rest[1];
  if (what == "tables") return TableRoute(rest.subspan(2));
  if (what == "views" && rest.size() == 2) return RouteKind::kView;
  return std::nullopt;
}

// What follows v1/ or v1/{prefix}/.
std::optional<RouteKind> CatalogRoute(Segments rest, Route& route) {
  if (rest.empty()) return std::nullopt;
  if (rest[0] == "namespaces") {
    if (rest.size() == 1) return RouteKind::kNamespaces;
    route.namespace_levels = SplitLevels(rest[1]);
    return NamespaceRoute(rest.subspan(2), route.name);
  }
  if (rest.size() != 2) return std::nullopt;
  if ((rest[0] == "tables" || rest[0] == "views") && rest[1] == "rename") {
    return RouteKind::kRename;
  }
  if (rest[0] == "transactions" && rest[1] == "commit") return RouteKind::kTransaction;
  return std::nullopt;
}

std::optional<RouteKind> FindRoute(Segments segments, Route& route) {
  if (segments.size() == 1) {
    if (segments[0] == "healthz") return RouteKind::kHealth;
    if (segments[0] == "readyz") return RouteKind::kReady;
    if (segments[0] == "metrics") return RouteKind::kMetrics;
  }
  if (segments[0] != "v1") return std::nullopt;
  const Segments rest = segments.subspan(1);
  if (rest.size() == 1 && rest[0] == "config") return RouteKind::kConfig;
  if (rest.size() == 2 && rest[0] == "oauth" && rest[1] == "tokens") {
    return RouteKind::kOauthTokens;
  }
  if (auto kind = CatalogRoute(rest, route)) return kind;
  if (rest.empty() || rest[0] == "namespaces") return std::nullopt;
  route.prefix = rest[0];
  return CatalogRoute(rest.subspan(1), route);
}

}  // namespace

Result<Route> ParseRoute(std::string_view raw_path) {
  FRAZIL_ASSIGN_OR_RETURN(const auto segments, SplitPath(raw_path));
  Route route;
  const auto kind = FindRoute(segments, route);
  if (!kind) return NoRoute(raw_path);
  route.kind = *kind;
  return route;
}

std::string_view AllowedMethods(RouteKind kind) {
  const auto* row = std::find_if(kRouteMethods.begin(), kRouteMethods.end(),
                                 [kind](const RouteMethods& r) { return r.kind == kind; });
  return row->methods;
}

bool AllowsMethod(RouteKind kind, std::string_view method) {
  std::string_view rest = AllowedMethods(kind);
  while (!rest.empty()) {
    const auto comma = rest.find(", ");
    if (rest.substr(0, comma) == method) return true;
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 2);
  }
  return false;
}

}  // namespace frazil::serve::catalog
