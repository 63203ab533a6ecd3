// SPDX-License-Identifier: Apache-2.0
#include "serve/console/console_handler.h"

#include <string>
#include <utility>
#include <vector>

#include "base/encoding.h"

namespace frazil::serve::console {
namespace {

using net::HttpRequest;
using net::HttpResponse;

// Status asks Kafka for every table; what does not answer in this time is told as such.
constexpr std::chrono::milliseconds kStatusPatience{10000};
constexpr std::size_t kMostSegments = 5;

HttpResponse JsonAnswer(std::string body, int status = 200) {
  HttpResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
  response.body = std::move(body);
  return response;
}

Error NothingAt(std::string_view path) {
  return Error(ErrorCode::kNotFound,
               "nothing is at this path; there are /frazil/v1/topics, tables, "
               "tables/NAMESPACE/NAME and status: " +
                   Printable(path));
}

// The segments of a path, each percent-decoded once.
Result<std::vector<std::string>> SplitPath(std::string_view path) {
  std::vector<std::string> segments;
  std::string_view rest = path.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  while (true) {
    const std::size_t slash = rest.find('/');
    auto segment = PercentDecode(rest.substr(0, slash));
    if (!segment || !IsUtf8(AsBytes(*segment))) {
      return Error(ErrorCode::kMalformedRequest,
                   "the path has a broken percent escape or is no UTF-8: " + Printable(path));
    }
    if (segments.size() == kMostSegments) return NothingAt(path);
    segments.push_back(std::move(*segment));
    if (slash == std::string_view::npos) return segments;
    rest.remove_prefix(slash + 1);
  }
}

class ConsoleHandler final : public net::HttpHandler {
 public:
  ConsoleHandler(table::CatalogInspector& tables, ServerProbe probe, telemetry::Logger& logger)
      : tables_(tables), probe_(std::move(probe)), logger_(logger) {}

  HttpResponse Handle(const HttpRequest& request, const net::RequestContext& context) override {
    auto answer = Answer(request, context);
    if (!answer.ok()) {
      logger_.Event(telemetry::LogLevel::kDebug, "console_request_failed",
                    {{"path", Printable(request.raw_path)},
                     {"error", answer.error().row().name},
                     {"cause", answer.error().message()}});
    }
    HttpResponse response = answer.ok() ? std::move(answer).value() : Refuse(answer.error());
    if (!answer.ok() && answer.error().code() == ErrorCode::kMethodNotAllowed) {
      response.headers.push_back({"Allow", "GET, HEAD"});
    }
    if (request.method == "HEAD") response.body.clear();
    return response;
  }

  HttpResponse Refuse(const Error& error) override {
    return JsonAnswer(ErrorBody(error), error.row().http_status);
  }

 private:
  Result<HttpResponse> Answer(const HttpRequest& request, const net::RequestContext& context) {
    if (!request.raw_path.starts_with(kConsoleRoot)) return NothingAt(request.raw_path);
    FRAZIL_ASSIGN_OR_RETURN(const auto path, SplitPath(request.raw_path));
    if (path.size() < 3 || path[1] != "v1") return NothingAt(request.raw_path);
    const bool one_table = path.size() == 5 && path[2] == "tables";
    const bool known =
        one_table ||
        (path.size() == 3 && (path[2] == "topics" || path[2] == "tables" || path[2] == "status"));
    if (!known) return NothingAt(request.raw_path);
    if (request.method != "GET" && request.method != "HEAD") {
      return Error(ErrorCode::kMethodNotAllowed,
                   "this path takes GET, not " + Printable(request.method));
    }
    if (one_table) return OneTable(path[3], path[4], context);
    if (path[2] == "topics") return Topics(context);
    if (path[2] == "tables") return Tables(context);
    return ServerStatus(context);
  }

  Result<HttpResponse> Topics(const net::RequestContext& context) {
    FRAZIL_ASSIGN_OR_RETURN(const auto topics, tables_.Topics(context.deadline, context.stop));
    return JsonAnswer(TopicsBody(topics));
  }

  Result<HttpResponse> Tables(const net::RequestContext& context) {
    FRAZIL_ASSIGN_OR_RETURN(
        const auto tables, tables_.Tables(table::Detail::kSummary, context.deadline, context.stop));
    return JsonAnswer(TablesBody(tables));
  }

  Result<HttpResponse> OneTable(const std::string& namespace_name, const std::string& name,
                                const net::RequestContext& context) {
    FRAZIL_ASSIGN_OR_RETURN(const auto table,
                            tables_.DescribeTable(namespace_name, name, table::Detail::kFull,
                                                  context.deadline, context.stop));
    return JsonAnswer(TableBody(table));
  }

  Result<HttpResponse> ServerStatus(const net::RequestContext& context) {
    const Deadline deadline = context.deadline.Within(kStatusPatience);
    const ServerState server = probe_(deadline, context.stop);
    const auto detail = server.kafka.failure ? table::Detail::kSummary : table::Detail::kStatus;
    auto tables = tables_.Tables(detail, deadline, context.stop);
    if (!tables.ok()) return JsonAnswer(StatusBody(server, {}, tables.error()));
    return JsonAnswer(StatusBody(server, *tables, std::nullopt));
  }

  table::CatalogInspector& tables_;
  const ServerProbe probe_;
  telemetry::Logger& logger_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeConsoleHandler(table::CatalogInspector& tables,
                                                     ServerProbe probe, telemetry::Logger& logger) {
  return std::make_unique<ConsoleHandler>(tables, std::move(probe), logger);
}

}  // namespace frazil::serve::console
