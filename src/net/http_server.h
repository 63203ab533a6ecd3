// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server: connections asynchronous inside, handlers synchronous on a bounded pool.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/http.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace frazil::net {

// "127.0.0.1:8181", "[::1]:8181", "localhost:0".
struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;

  // Errors: invalid_argument.
  static Result<ListenAddress> Parse(std::string_view text);
  // Whether only this machine can reach it: 127.0.0.0/8, ::1, "localhost".
  bool IsLoopback() const;
  std::string ToString() const;
};

// Threads: Handle is called from several threads at once.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual HttpResponse Handle(const HttpRequest& request, const RequestContext& context) = 0;
  // The answer to a request that the server itself refuses (too large, unreadable), in the
  // protocol's own words.
  virtual HttpResponse Refuse(const Error& error) = 0;
  // Whether answering may take long, for instance because another system is asked. Requests that
  // may not have threads of their own, so that a probe is answered while others wait. Called on the
  // I/O thread: quick, and from the request's line alone.
  virtual bool MayTakeLong(const HttpRequest& /*request*/) const { return true; }
};

struct HttpServerOptions {
  ListenAddress address;
  // "catalog" or "s3": the value of the metrics' endpoint label, and in logs.
  std::string endpoint;
  std::size_t threads = 8;
  // For requests that do not take long.
  std::size_t quick_threads = 2;
  // Requests waiting for a thread; beyond that new ones get 503.
  std::size_t longest_queue = 4096;
  // Beyond it the connection that has been idle longest is closed, or, when none is idle, new ones
  // wait in the system's queue.
  std::size_t most_connections = 4096;
  std::size_t header_bytes = 64 << 10;
  std::size_t body_bytes = 8 << 20;
  // Memory for requests that are being received or handled, over all connections; beyond it large
  // ones get 503.
  std::size_t buffered_bytes = 256 << 20;
  // From connection or last answer to the request's last byte.
  std::chrono::milliseconds read_timeout{30000};
  std::chrono::milliseconds idle_timeout{120000};
  // For every 64 KiB of an answer, or every tenth of a larger one: a slow reader of a large one
  // lives, and has it after ten times this at the latest.
  std::chrono::milliseconds write_timeout{60000};
  // Deadline that handlers get.
  std::chrono::milliseconds handle_timeout{60000};
};

// Keep-alive, pipelining answered in order, HEAD without body, `Expect: 100-continue` answered at
// once, slow or oversize requests refused, absent clients noticed. The handler's exceptions become
// a 500 and a log event.
class HttpServer {
 public:
  virtual ~HttpServer() = default;  // stops
  // The port in use; interesting when 0 was asked for.
  virtual std::uint16_t port() const = 0;
  // Closes the listener, asks running handlers to stop, waits for them and sends their answers.
  // Requires: not called from a handler.
  virtual void Stop() = 0;
};

// Owns: nothing; handler, logger and metrics must outlive the server.
// Errors: listen_failed, naming the address and the cause.
Result<std::unique_ptr<HttpServer>> StartHttpServer(const HttpServerOptions& options,
                                                    HttpHandler& handler, telemetry::Logger& logger,
                                                    telemetry::Metrics& metrics);

}  // namespace frazil::net
