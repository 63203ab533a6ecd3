// SPDX-License-Identifier: Apache-2.0
// A TCP server that serves each connection on a thread of its own: for protocols whose clients keep
// few connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "net/http_server.h"
#include "net/tcp_stream.h"
#include "telemetry/log.h"

namespace frazil::net {

// Threads: Serve is called from several threads at once.
class TcpService {
 public:
  virtual ~TcpService() = default;
  // Serves one connection, which is closed when it returns. It must return soon after `stop` was
  // asked for.
  virtual void Serve(TcpStream& stream, const std::stop_token& stop) = 0;
};

struct TcpServerOptions {
  ListenAddress address;
  // In logs.
  std::string endpoint;
  // Also the number of threads. A connection beyond it is closed at once, with a log event.
  std::size_t most_connections = 256;
};

class TcpServer {
 public:
  virtual ~TcpServer() = default;  // stops
  // The port in use; interesting when 0 was asked for.
  virtual std::uint16_t port() const = 0;
  // Closes the listener, asks the connections to stop and waits for them.
  // Requires: not called from Serve.
  virtual void Stop() = 0;
};

// Owns: nothing; service and logger must outlive the server.
// Errors: listen_failed, naming the address and the cause.
Result<std::unique_ptr<TcpServer>> StartTcpServer(const TcpServerOptions& options,
                                                  TcpService& service, telemetry::Logger& logger);

}  // namespace frazil::net
