// SPDX-License-Identifier: Apache-2.0
// A listening socket for either kind of server.
#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/result.h"
#include "net/http_server.h"

namespace frazil::net {

// Resolves the name, and listens on the first of its addresses that lets it, with TCP_NODELAY for
// what will be accepted. The port in use, for which 0 may have stood.
// Errors: listen_failed, naming the address and the cause.
Result<std::uint16_t> OpenListener(boost::asio::io_context& io, const ListenAddress& address,
                                   boost::asio::ip::tcp::acceptor& acceptor);

Error ListenFailed(const ListenAddress& address, const std::string& cause);

}  // namespace frazil::net
