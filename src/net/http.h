// SPDX-License-Identifier: Apache-2.0
// HTTP messages as values, shared by server and client.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"

namespace frazil::net {

struct HttpHeader {
  std::string name;
  std::string value;
};

using HttpHeaders = std::vector<HttpHeader>;

// The first header of that name, any case; nullopt when absent.
std::optional<std::string_view> FindHeader(const HttpHeaders& headers, std::string_view name);
// How many headers have that name.
std::size_t CountHeaders(const HttpHeaders& headers, std::string_view name);

struct HttpRequest {
  std::string method;
  // The target as sent, escapes untouched: path before '?', query after it.
  std::string raw_path;
  std::string raw_query;
  HttpHeaders headers;
  std::string body;
};

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

// Query parameters, percent-decoded once, '+' left as it is unless `plus_is_space`.
// Errors: malformed_request for a broken escape.
Result<QueryParameters> ParseQuery(std::string_view raw_query, bool plus_is_space = false);
// The first parameter of that name; nullopt when absent.
std::optional<std::string_view> FindParameter(const QueryParameters& query, std::string_view name);

// A body is text, or a slice of bytes that are shared with a cache and not copied.
struct SharedSlice {
  std::shared_ptr<const Bytes> bytes;
  std::size_t begin = 0;
  std::size_t length = 0;
};

struct HttpResponse {
  int status = 200;
  // Spelled as given. Content-Length, Connection and Date are the server's own, except that a
  // Content-Length set here answers a HEAD.
  HttpHeaders headers;
  std::string body;
  // When set, `body` is empty and this is sent.
  std::optional<SharedSlice> slice;
};

struct RequestContext {
  // Asked for when the server stops or the client has gone.
  std::stop_token stop;
  Deadline deadline;
  // "127.0.0.1:51234", for logs.
  std::string peer;
};

}  // namespace frazil::net
