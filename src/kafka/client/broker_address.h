// SPDX-License-Identifier: Apache-2.0
// Where a broker listens.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace frazil::kafka {

struct BrokerAddress {
  std::string host;
  std::uint16_t port = 0;

  friend auto operator<=>(const BrokerAddress&, const BrokerAddress&) = default;

  // "host:port"; an IPv6 address stands in brackets.
  std::string ToString() const;

  // Errors: config_invalid unless `text` has the form that ToString gives.
  static Result<BrokerAddress> Parse(std::string_view text);
};

}  // namespace frazil::kafka
