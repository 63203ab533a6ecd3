// SPDX-License-Identifier: Apache-2.0
// A blocking HTTP/1.1 client with kept-alive connections.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "net/http.h"

namespace frazil::net {

struct HttpUrl {
  std::string scheme;  // "http"; "https" is refused for now with `unsupported`
  std::string host;
  std::uint16_t port = 80;
  // Without a trailing slash; "" or "/apis/ccompat/v7".
  std::string base_path;

  // Errors: invalid_argument, saying what a URL must look like.
  static Result<HttpUrl> Parse(std::string_view text);
  std::string ToString() const;
};

struct HttpClientOptions {
  std::size_t header_bytes = 64 << 10;
  std::size_t body_bytes = 16 << 20;
  std::size_t kept_connections = 4;
  std::chrono::milliseconds idle_timeout{30000};
};

// Threads: Send may be called from several threads at once.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // Sends to `base_path + request.raw_path`. An answer of any status is a value. A kept connection
  // that the server had closed is replaced once by a new one.
  // Errors: network (refused, broken, unreadable answer), deadline_exceeded, cancelled.
  virtual Result<HttpResponse> Send(const HttpRequest& request, Deadline deadline,
                                    const std::stop_token& stop) = 0;
};

std::unique_ptr<HttpClient> MakeHttpClient(HttpUrl url, const HttpClientOptions& options = {});

}  // namespace frazil::net
