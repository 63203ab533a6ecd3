// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <utility>
#include <vector>

#include "net/ascii_internal.h"
#include "net/listener_internal.h"

namespace frazil::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr int kBacklog = 4096;

std::string AdviceFor(const boost::system::error_code& error) {
  if (error == asio::error::address_in_use) {
    return "another process listens there already; stop it or choose another port";
  }
  if (error == asio::error::access_denied || error.value() == EPERM) {
    return "this user may not open that port; choose one above 1023";
  }
  if (error.value() == EADDRNOTAVAIL) {
    return "no interface of this machine has that address; choose one that it has, or 0.0.0.0 for "
           "all";
  }
  return error.message();
}

Result<std::vector<tcp::endpoint>> Resolve(asio::io_context& io, const ListenAddress& address) {
  std::vector<tcp::endpoint> endpoints;
  boost::system::error_code error;
  if (EqualsIgnoringCase(address.host, "localhost")) {
    // Never whatever else a hosts file says: no authentication is asked for on loopback.
    endpoints.emplace_back(asio::ip::address_v4::loopback(), address.port);
    endpoints.emplace_back(asio::ip::address_v6::loopback(), address.port);
    return endpoints;
  }
  const auto literal = asio::ip::make_address(address.host, error);
  if (!error) {
    endpoints.emplace_back(literal, address.port);
    return endpoints;
  }
  tcp::resolver resolver(io);
  const auto found =
      resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, error);
  if (error) return ListenFailed(address, "the name cannot be resolved (" + error.message() + ")");
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  return endpoints;
}

boost::system::error_code Open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  boost::system::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  // Accepted sockets inherit it: one system call less for each connection.
  if (!error) acceptor.set_option(tcp::no_delay(true), error);
  if (!error) acceptor.listen(kBacklog, error);
  if (error) {
    boost::system::error_code ignored;
    acceptor.close(ignored);
  }
  return error;
}

}  // namespace

Error ListenFailed(const ListenAddress& address, const std::string& cause) {
  return {ErrorCode::kListenFailed, "Cannot listen on " + address.ToString() + ": " + cause};
}

Result<std::uint16_t> OpenListener(asio::io_context& io, const ListenAddress& address,
                                   tcp::acceptor& acceptor) {
  FRAZIL_ASSIGN_OR_RETURN(const auto endpoints, Resolve(io, address));
  boost::system::error_code error = asio::error::host_not_found;
  for (const tcp::endpoint& endpoint : endpoints) {
    error = Open(acceptor, endpoint);
    if (!error) break;
  }
  if (error) return ListenFailed(address, AdviceFor(error));
  const std::uint16_t port = acceptor.local_endpoint(error).port();
  if (error) return ListenFailed(address, error.message());
  return port;
}

}  // namespace frazil::net
