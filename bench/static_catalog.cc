// SPDX-License-Identifier: Apache-2.0
// A REST catalog and an S3 endpoint for one table that never changes, from memory: what a query
// costs when nothing is computed. Built on the HTTP server that Frazil answers with.
//   bench_static_catalog --port N --folder PATH
// Below the folder: `catalog.json`, an object of paths and the JSON that they answer; `objects/`,
// the bucket's keys as files. Signatures are not looked at. Ends at SIGTERM.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "bench/command_line.h"
#include "net/http.h"
#include "net/http_server.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace {

using frazil::Bytes;
using frazil::bench::Fail;
using frazil::net::HttpRequest;
using frazil::net::HttpResponse;

Bytes ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) Fail("cannot be read: " + path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Answer {
  std::string content_type;
  std::shared_ptr<const Bytes> bytes;
};

// [begin, end) of "bytes=a-b", "bytes=a-" or "bytes=-n"; the whole for anything else.
std::pair<std::size_t, std::size_t> ParseRange(std::string_view header, std::size_t size) {
  constexpr std::string_view kUnit = "bytes=";
  const auto dash = header.find('-');
  if (!header.starts_with(kUnit) || dash == std::string_view::npos) return {0, size};
  const std::string first(header.substr(kUnit.size(), dash - kUnit.size()));
  const std::string last(header.substr(dash + 1));
  if (first.empty()) return {size - std::min<std::size_t>(size, std::stoull(last)), size};
  const std::size_t end = last.empty() ? size : std::min<std::size_t>(size, std::stoull(last) + 1);
  return {std::min<std::size_t>(std::stoull(first), end), end};
}

// Threads: nothing changes after construction.
class StaticHandler final : public frazil::net::HttpHandler {
 public:
  explicit StaticHandler(const std::filesystem::path& folder) {
    const auto catalog = nlohmann::json::parse(ReadFile(folder / "catalog.json"));
    for (const auto& [path, body] : catalog.items()) {
      const std::string text = body.dump();
      answers_[path] = {"application/json",
                        std::make_shared<const Bytes>(text.begin(), text.end())};
    }
    const auto objects = folder / "objects";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(objects)) {
      if (!entry.is_regular_file()) continue;
      const std::string key = std::filesystem::relative(entry.path(), objects).generic_string();
      answers_["/" + key] = {"application/octet-stream",
                             std::make_shared<const Bytes>(ReadFile(entry.path()))};
    }
  }

  HttpResponse Handle(const HttpRequest& request,
                      const frazil::net::RequestContext& /*context*/) override {
    const auto found = answers_.find(request.raw_path);
    if (found == answers_.end()) return {.status = 404, .headers = {}, .body = "", .slice = {}};
    const std::size_t size = found->second.bytes->size();
    HttpResponse response;
    response.headers = {{"Content-Type", found->second.content_type},
                        {"Accept-Ranges", "bytes"},
                        {"ETag", "\"" + std::to_string(size) + "\""},
                        {"Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"}};
    if (request.method == "HEAD") {
      response.headers.push_back({"Content-Length", std::to_string(size)});
      return response;
    }
    std::pair<std::size_t, std::size_t> part{0, size};
    if (const auto range = frazil::net::FindHeader(request.headers, "Range")) {
      part = ParseRange(*range, size);
      response.status = 206;
      response.headers.push_back({"Content-Range", "bytes " + std::to_string(part.first) + "-" +
                                                       std::to_string(part.second - 1) + "/" +
                                                       std::to_string(size)});
    }
    response.slice = frazil::net::SharedSlice{
        .bytes = found->second.bytes, .begin = part.first, .length = part.second - part.first};
    return response;
  }

  HttpResponse Refuse(const frazil::Error& error) override {
    return {.status = 400, .headers = {}, .body = error.ToString(), .slice = {}};
  }

  bool MayTakeLong(const HttpRequest& /*request*/) const override { return false; }

 private:
  std::map<std::string, Answer> answers_;
};

}  // namespace

int main(int argc, char** argv) {
  const frazil::bench::Options options(argc, argv);
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  StaticHandler handler(options.Text("folder"));
  frazil::telemetry::Metrics metrics;
  const auto logger = frazil::telemetry::MakeStderrLogger(frazil::telemetry::LogLevel::kWarn,
                                                          frazil::telemetry::LogFormat::kText);
  frazil::net::HttpServerOptions server_options;
  server_options.address = {.host = "127.0.0.1",
                            .port = static_cast<std::uint16_t>(options.Number("port", 0))};
  server_options.endpoint = "catalog";
  auto server = frazil::net::StartHttpServer(server_options, handler, *logger, metrics);
  if (!server.ok()) Fail(server.error().ToString());
  std::cout << "{}" << std::endl;
  int signal = 0;
  sigwait(&ending, &signal);
  return 0;
}
