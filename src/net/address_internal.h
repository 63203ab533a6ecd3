// SPDX-License-Identifier: Apache-2.0
// The "host:port" that listen addresses and URLs share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frazil::net {

struct HostPort {
  // Without brackets.
  std::string host;
  std::optional<std::uint16_t> port;
};

// Takes "name", "name:1", "1.2.3.4:1", "[::1]", "[::1]:1"; nullopt for anything else.
std::optional<HostPort> ParseHostPort(std::string_view text);

// "host:port", an IPv6 address in brackets.
std::string JoinHostPort(const std::string& host, std::uint16_t port);

}  // namespace frazil::net
