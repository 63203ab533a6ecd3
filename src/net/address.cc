// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <arpa/inet.h>

#include "base/encoding.h"
#include "net/address_internal.h"
#include "net/ascii_internal.h"
#include "net/http_client.h"
#include "net/http_server.h"

namespace frazil::net {
namespace {

// RFC 1035's longest name.
constexpr std::size_t kLongestHost = 253;

bool IsIpv6(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool IsHostName(std::string_view host) {
  return !host.empty() && host.size() <= kLongestHost &&
         std::all_of(host.begin(), host.end(), [](char c) {
           return IsDigit(c) || IsLetter(c) || c == '-' || c == '.' || c == '_';
         });
}

Error BadUrl(std::string_view what, std::string_view text) {
  return {ErrorCode::kInvalidArgument,
          std::string(what) +
              "; write it like http://registry:8081 or http://host:80/path: " + Printable(text)};
}

}  // namespace

std::optional<HostPort> ParseHostPort(std::string_view text) {
  HostPort parsed;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    parsed.host = text.substr(1, end - 1);
    if (!IsIpv6(parsed.host)) return std::nullopt;
    rest = text.substr(end + 1);
  } else {
    const std::size_t end = std::min(text.find(':'), text.size());
    parsed.host = text.substr(0, end);
    if (!IsHostName(parsed.host)) return std::nullopt;
    rest = text.substr(end);
  }
  if (rest.empty()) return parsed;
  if (!rest.starts_with(':')) return std::nullopt;
  const auto port = ParseDecimal(rest.substr(1));
  if (!port || *port > 65535) return std::nullopt;
  parsed.port = static_cast<std::uint16_t>(*port);
  return parsed;
}

std::string JoinHostPort(const std::string& host, std::uint16_t port) {
  const bool bracket = host.find(':') != std::string::npos;
  return (bracket ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<ListenAddress> ListenAddress::Parse(std::string_view text) {
  auto parsed = ParseHostPort(text);
  if (!parsed || !parsed->port) {
    return Error(ErrorCode::kInvalidArgument,
                 "A listen address must be a host and a port, like 127.0.0.1:8181, [::1]:8181 or "
                 "0.0.0.0:8181 for every interface: " +
                     Printable(text));
  }
  return ListenAddress{std::move(parsed->host), *parsed->port};
}

bool ListenAddress::IsLoopback() const {
  if (EqualsIgnoringCase(host, "localhost")) return true;
  in_addr v4{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return ::inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string ListenAddress::ToString() const { return JoinHostPort(host, port); }

Result<HttpUrl> HttpUrl::Parse(std::string_view text) {
  const std::size_t separator = text.find("://");
  if (separator == std::string_view::npos) return BadUrl("A URL must begin with http://", text);
  HttpUrl url;
  for (const char c : text.substr(0, separator)) url.scheme.push_back(ToLower(c));
  if (url.scheme == "https") {
    return Error(
        ErrorCode::kUnsupported,
        "TLS towards HTTP servers is not supported yet; use an http:// URL: " + Printable(text));
  }
  if (url.scheme != "http") return BadUrl("A URL must begin with http://", text);

  const std::string_view rest = text.substr(separator + 3);
  const std::size_t path = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, path);
  if (authority.find('@') != std::string_view::npos) {
    // The text is not repeated: it holds a password.
    return Error(ErrorCode::kInvalidArgument,
                 "A URL must not hold a user or password; give credentials in their own setting");
  }
  auto parsed = ParseHostPort(authority);
  if (!parsed || parsed->port == 0) return BadUrl("The URL's host or port cannot be read", text);
  url.host = std::move(parsed->host);
  url.port = parsed->port.value_or(80);

  url.base_path = rest.substr(path);
  while (url.base_path.ends_with('/')) url.base_path.pop_back();
  for (const char c : url.base_path) {
    if (IsControl(c) || c == ' ' || c == '?' || c == '#') {
      return BadUrl("A URL's path must be without spaces, '?' and '#'", text);
    }
  }
  return url;
}

std::string HttpUrl::ToString() const {
  return scheme + "://" + JoinHostPort(host, port) + base_path;
}

}  // namespace frazil::net
