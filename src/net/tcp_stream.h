// SPDX-License-Identifier: Apache-2.0
// A blocking TCP connection whose every call ends by its deadline or when a stop is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"

namespace frazil::net {

// Threads: one thread at a time. After an error the connection is of no further use.
// Errors of all calls: network, deadline_exceeded, cancelled.
class TcpStream {
 public:
  virtual ~TcpStream() = default;  // closes
  virtual Status WriteAll(ByteView data, Deadline deadline, const std::stop_token& stop) = 0;
  // Fills all of `into`.
  virtual Status ReadExact(std::span<std::uint8_t> into, Deadline deadline,
                           const std::stop_token& stop) = 0;
};

// Resolves the name, tries each address, sets TCP_NODELAY.
Result<std::unique_ptr<TcpStream>> ConnectTcp(const std::string& host, std::uint16_t port,
                                              Deadline deadline, const std::stop_token& stop);

}  // namespace frazil::net
