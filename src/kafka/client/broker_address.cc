// SPDX-License-Identifier: Apache-2.0
#include "kafka/client/broker_address.h"

#include <charconv>

#include "base/encoding.h"

namespace frazil::kafka {

std::string BrokerAddress::ToString() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<BrokerAddress> BrokerAddress::Parse(std::string_view text) {
  const Error error(
      ErrorCode::kConfigInvalid,
      "A Kafka broker's address must have the form HOST:PORT, but is '" + Printable(text) + "'.");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return error;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of("[]:/ \t") != std::string_view::npos) {
    return error;
  }
  BrokerAddress address{std::string(host), 0};
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (failure != std::errc() || end != digits.data() + digits.size() || address.port == 0) {
    return error;
  }
  return address;
}

}  // namespace frazil::kafka
