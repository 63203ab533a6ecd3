// SPDX-License-Identifier: Apache-2.0
#include "serve/catalog/catalog_handler.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "iceberg/rest.h"
#include "net/entity_tag.h"
#include "serve/catalog/content_coding.h"
#include "serve/catalog/page.h"
#include "serve/catalog/route.h"
#include "serve/catalog/table_access.h"

namespace frazil::serve::catalog {
namespace {

using net::HttpRequest;
using net::HttpResponse;

// Smaller bodies gain nothing from compression.
constexpr std::size_t kSmallestCompressed = 1024;

// Every operation that this server carries out, and no other: clients plan by this list.
const std::vector<std::string>& Endpoints() {
  static const std::vector<std::string> endpoints = {
      "GET /v1/{prefix}/namespaces",
      "GET /v1/{prefix}/namespaces/{namespace}",
      "HEAD /v1/{prefix}/namespaces/{namespace}",
      "GET /v1/{prefix}/namespaces/{namespace}/tables",
      "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
      "HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}",
      "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials",
  };
  return endpoints;
}

HttpResponse JsonAnswer(std::string body, int status = 200) {
  HttpResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "application/json"}};
  response.body = std::move(body);
  return response;
}

HttpResponse TextAnswer(std::string body, int status = 200) {
  HttpResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "text/plain; version=0.0.4"}};
  response.body = std::move(body);
  return response;
}

HttpResponse NoContent() {
  HttpResponse response;
  response.status = 204;
  return response;
}

// The answer of the OAuth protocol (RFC 6749 5.2), whose errors have a form of their own.
HttpResponse OauthAnswer() {
  return JsonAnswer(
      "{\"error\":\"unsupported_grant_type\",\"error_description\":\"this catalog has no "
      "authentication yet; connect without credentials (DuckDB: ATTACH with "
      "AUTHORIZATION_TYPE 'none'; others: leave out credential and token)\"}",
      400);
}

std::string JoinLevels(const std::vector<std::string>& levels) {
  std::string joined;
  for (const auto& level : levels) joined += (joined.empty() ? "" : ".") + level;
  return Printable(joined);
}

Error NoNamespace(const std::vector<std::string>& levels) {
  return Error(ErrorCode::kNamespaceNotFound, "namespace does not exist: " + JoinLevels(levels));
}

Error NoTable(const Route& route) {
  return Error(
      ErrorCode::kTableNotFound,
      "table does not exist: " + JoinLevels(route.namespace_levels) + "." + Printable(route.name));
}

Error TakesNoWrites(const std::string& what) {
  return Error(ErrorCode::kReadOnly, what + " is computed from Kafka and takes no writes");
}

class CatalogHandler final : public net::HttpHandler {
 public:
  CatalogHandler(CatalogOptions options, table::TableCatalog& tables,
                 const CredentialSource& credentials, ReadinessCheck ready,
                 telemetry::Logger& logger, telemetry::Metrics& metrics)
      : options_(std::move(options)),
        tables_(tables),
        credentials_(credentials),
        ready_(std::move(ready)),
        logger_(logger),
        metrics_(metrics) {}

  // Listing and loading tables asks Kafka, and so does /readyz; all else only remembers.
  bool MayTakeLong(const HttpRequest& request) const override {
    return request.raw_path.find("/tables") != std::string::npos ||
           request.raw_path.ends_with("/readyz");
  }

  HttpResponse Handle(const HttpRequest& request, const net::RequestContext& context) override {
    auto answer = Dispatch(request, context);
    HttpResponse response;
    if (answer.ok()) {
      response = std::move(answer).value();
    } else {
      LogFailure(request, context, answer.error());
      response = Refuse(answer.error());
      if (answer.error().code() == ErrorCode::kMethodNotAllowed) AddAllow(request, response);
    }
    Compress(request, response);
    if (request.method == "HEAD") response.body.clear();
    return response;
  }

  HttpResponse Refuse(const Error& error) override {
    HttpResponse response = JsonAnswer(iceberg::ErrorBody(error), error.row().http_status);
    // Clients that repeat a 503 wait as long as this says.
    if (error.row().http_status == 503) response.headers.emplace_back("Retry-After", "2");
    return response;
  }

 private:
  Result<HttpResponse> Dispatch(const HttpRequest& request, const net::RequestContext& context) {
    FRAZIL_ASSIGN_OR_RETURN(const Route route, ParseRoute(request.raw_path));
    if (!AllowsMethod(route.kind, request.method)) {
      return Error(ErrorCode::kMethodNotAllowed, "this path takes " +
                                                     std::string(AllowedMethods(route.kind)) +
                                                     ", not " + Printable(request.method));
    }
    if (route.prefix && *route.prefix != options_.warehouse) return NoWarehouse(*route.prefix);
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (!reads) return AnswerWrite(route, context);
    FRAZIL_ASSIGN_OR_RETURN(const auto query, net::ParseQuery(request.raw_query, true));
    return AnswerRead(route, query, request, context);
  }

  Result<HttpResponse> AnswerRead(const Route& route, const QueryParameters& query,
                                  const HttpRequest& request, const net::RequestContext& context) {
    switch (route.kind) {
      case RouteKind::kHealth:
        return TextAnswer("ok\n");
      case RouteKind::kReady:
        return Ready();
      case RouteKind::kMetrics:
        return TextAnswer(metrics_.Expose());
      case RouteKind::kConfig:
        return Config(query);
      case RouteKind::kNamespaces:
        return ListNamespaces(query);
      case RouteKind::kNamespace:
        return GetNamespace(route, request.method == "HEAD");
      case RouteKind::kTables:
        return ListTables(route, query, context);
      case RouteKind::kTable:
        if (request.method == "HEAD") return CheckTable(route, context);
        return LoadTable(route, query, request, context);
      case RouteKind::kTableCredentials:
        return TableCredentials(route, context);
      case RouteKind::kViews:
        if (!HasNamespace(route.namespace_levels)) return NoNamespace(route.namespace_levels);
        return JsonAnswer(iceberg::ListTablesBody(route.namespace_levels, {}, std::nullopt));
      case RouteKind::kView:
        return Error(ErrorCode::kViewNotFound,
                     "view does not exist: " + JoinLevels(route.namespace_levels) + "." +
                         Printable(route.name));
      default:
        return Error(ErrorCode::kUnsupported,
                     "this catalog offers no server-side planning and no remote signing");
    }
  }

  Result<HttpResponse> AnswerWrite(const Route& route, const net::RequestContext& context) {
    switch (route.kind) {
      case RouteKind::kOauthTokens:
        return OauthAnswer();
      case RouteKind::kTableMetrics: {
        FRAZIL_RETURN_IF_ERROR(Check(route, context));
        return NoContent();
      }
      case RouteKind::kTableExtra:
        return Error(ErrorCode::kUnsupported,
                     "this catalog offers no server-side planning and no remote signing");
      case RouteKind::kNamespaces:
        return Error(ErrorCode::kUnsupported,
                     "this catalog's namespaces are fixed and it makes no new ones");
      case RouteKind::kRename:
      case RouteKind::kTransaction:
        return TakesNoWrites("every table of this catalog");
      default:
        if (HasNamespace(route.namespace_levels)) {
          return TakesNoWrites(JoinLevels(route.namespace_levels));
        }
        if (route.kind == RouteKind::kTable) return NoTable(route);
        return NoNamespace(route.namespace_levels);
    }
  }

  Result<HttpResponse> Ready() {
    const Status status = ready_();
    if (status.ok()) return TextAnswer("ready\n");
    return TextAnswer("not ready: " + status.error().message() + "\n", 503);
  }

  Error NoWarehouse(std::string_view name) const {
    return Error(ErrorCode::kWarehouseNotFound, "the only warehouse here is " + options_.warehouse +
                                                    ", there is no " + Printable(name));
  }

  Result<HttpResponse> Config(const QueryParameters& query) {
    const auto warehouse = FindParameter(query, "warehouse");
    if (warehouse && !warehouse->empty() && *warehouse != options_.warehouse) {
      return NoWarehouse(*warehouse);
    }
    return JsonAnswer(iceberg::ConfigBody({}, {{"prefix", options_.warehouse}}, Endpoints()));
  }

  bool HasNamespace(const std::vector<std::string>& levels) const {
    if (levels.size() != 1) return false;
    const auto names = tables_.Namespaces();
    return std::find(names.begin(), names.end(), levels[0]) != names.end();
  }

  Result<HttpResponse> ListNamespaces(const QueryParameters& query) {
    const auto parent = FindParameter(query, "parent");
    if (parent && !parent->empty()) {
      const std::vector<std::string> levels = {std::string(*parent)};
      if (!HasNamespace(levels)) return NoNamespace(levels);
      return JsonAnswer(iceberg::ListNamespacesBody({}, std::nullopt));
    }
    auto names = tables_.Namespaces();
    std::sort(names.begin(), names.end());
    FRAZIL_ASSIGN_OR_RETURN(const NamePage page, PageOf(names, query));
    std::vector<std::vector<std::string>> namespaces;
    namespaces.reserve(page.names.size());
    for (const auto& name : page.names) namespaces.push_back({name});
    return JsonAnswer(iceberg::ListNamespacesBody(namespaces, page.next_token));
  }

  Result<HttpResponse> GetNamespace(const Route& route, bool head) {
    if (!HasNamespace(route.namespace_levels)) return NoNamespace(route.namespace_levels);
    if (head) return NoContent();
    return JsonAnswer(iceberg::NamespaceBody(route.namespace_levels, {}));
  }

  Result<HttpResponse> ListTables(const Route& route, const QueryParameters& query,
                                  const net::RequestContext& context) {
    if (!HasNamespace(route.namespace_levels)) return NoNamespace(route.namespace_levels);
    FRAZIL_ASSIGN_OR_RETURN(const auto names, tables_.ListTables(route.namespace_levels[0],
                                                                 context.deadline, context.stop));
    FRAZIL_ASSIGN_OR_RETURN(const NamePage page, PageOf(names, query));
    return JsonAnswer(iceberg::ListTablesBody(route.namespace_levels, page.names, page.next_token));
  }

  // Namespaces of several levels hold nothing: the metadata tables of Spark and Flink ask for them.
  Status Check(const Route& route, const net::RequestContext& context) {
    if (route.namespace_levels.size() != 1) return NoTable(route);
    return tables_.CheckTable(route.namespace_levels[0], route.name, context.deadline,
                              context.stop);
  }

  Result<HttpResponse> CheckTable(const Route& route, const net::RequestContext& context) {
    FRAZIL_RETURN_IF_ERROR(Check(route, context));
    return NoContent();
  }

  Result<HttpResponse> LoadTable(const Route& route, const QueryParameters& query,
                                 const HttpRequest& request, const net::RequestContext& context) {
    if (route.namespace_levels.size() != 1) return NoTable(route);
    const auto wanted = FindParameter(query, "snapshots").value_or("all");
    if (wanted != "all" && wanted != "refs") {
      return Error(ErrorCode::kInvalidArgument,
                   "snapshots must be all or refs, not " + Printable(wanted));
    }
    const auto selection =
        wanted == "all" ? table::SnapshotSelection::kAll : table::SnapshotSelection::kReferenced;
    FRAZIL_ASSIGN_OR_RETURN(const table::LoadedTable loaded,
                            tables_.LoadTable(route.namespace_levels[0], route.name, selection,
                                              context.deadline, context.stop));
    const VendedCredential credential = credentials_.Vend(loaded.uuid, loaded.location);
    const auto properties = StorageProperties(options_, route, credential);
    const std::string tag = LoadTag(loaded, selection, properties);
    HttpResponse response;
    const auto known = net::FindHeader(request.headers, "If-None-Match");
    if (known && net::NamesTag(*known, tag, net::TagComparison::kWeak)) {
      metrics_.Increment(telemetry::Metric::kTableLoadsTotal, {"not_modified"});
      response.status = 304;
    } else {
      response = JsonAnswer(
          iceberg::LoadTableBody(loaded.metadata_location, *loaded.metadata_json, properties,
                                 {StorageCredentialOf(loaded.location, properties)}));
    }
    response.headers.push_back({"ETag", '"' + tag + '"'});
    // The answer holds keys; a cache between may keep it for nobody else.
    response.headers.push_back({"Cache-Control", "private, no-cache"});
    return response;
  }

  Result<HttpResponse> TableCredentials(const Route& route, const net::RequestContext& context) {
    if (route.namespace_levels.size() != 1) return NoTable(route);
    FRAZIL_ASSIGN_OR_RETURN(
        const table::LoadedTable loaded,
        tables_.LoadTable(route.namespace_levels[0], route.name,
                          table::SnapshotSelection::kReferenced, context.deadline, context.stop));
    const auto properties =
        StorageProperties(options_, route, credentials_.Vend(loaded.uuid, loaded.location));
    HttpResponse response =
        JsonAnswer(iceberg::CredentialsBody({StorageCredentialOf(loaded.location, properties)}));
    response.headers.push_back({"Cache-Control", "no-store"});
    return response;
  }

  static void AddAllow(const HttpRequest& request, HttpResponse& response) {
    const auto route = ParseRoute(request.raw_path);
    if (!route.ok()) return;
    response.headers.push_back({"Allow", std::string(AllowedMethods(route->kind))});
  }

  static void Compress(const HttpRequest& request, HttpResponse& response) {
    if (response.body.size() <= kSmallestCompressed) return;
    response.headers.push_back({"Vary", "Accept-Encoding"});
    const auto accepted = net::FindHeader(request.headers, "Accept-Encoding");
    if (!accepted || !AcceptsGzip(*accepted)) return;
    auto compressed = Gzip(response.body);
    if (!compressed) return;
    response.body = std::move(*compressed);
    response.headers.push_back({"Content-Encoding", "gzip"});
  }

  void LogFailure(const HttpRequest& request, const net::RequestContext& context,
                  const Error& error) {
    const auto level =
        error.row().http_status >= 500 ? telemetry::LogLevel::kWarn : telemetry::LogLevel::kDebug;
    if (!logger_.Enabled(level)) return;
    logger_.Event(level, "catalog_request_failed",
                  {{"method", Printable(request.method)},
                   {"path", Printable(request.raw_path)},
                   {"status", error.row().http_status},
                   {"error", error.row().name},
                   {"cause", error.message()},
                   {"peer", context.peer}});
  }

  const CatalogOptions options_;
  table::TableCatalog& tables_;
  const CredentialSource& credentials_;
  const ReadinessCheck ready_;
  telemetry::Logger& logger_;
  telemetry::Metrics& metrics_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeCatalogHandler(
    const CatalogOptions& options, table::TableCatalog& tables, const CredentialSource& credentials,
    ReadinessCheck ready, telemetry::Logger& logger, telemetry::Metrics& metrics) {
  return std::make_unique<CatalogHandler>(options, tables, credentials, std::move(ready), logger,
                                          metrics);
}

}  // namespace frazil::serve::catalog
