// SPDX-License-Identifier: Apache-2.0
// An embedded Kafka broker for first runs and tests: one node, on loopback, in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/http_server.h"
#include "telemetry/log.h"

namespace frazil::kafka::broker {

struct BrokerListener {
  // Loopback only.
  net::ListenAddress listen;
  // What clients that came here are told to connect to; nullopt: the address itself.
  std::optional<net::ListenAddress> advertised;
};

struct BrokerOptions {
  std::vector<BrokerListener> listeners;
  // Of record batches over all topics. Beyond it the oldest batches go, whichever topic they are
  // in, and the log starts of their partitions rise.
  std::size_t memory_bytes = std::size_t{512} << 20;
  // Whether a topic that a producer names is created.
  bool auto_create_topics = true;
  std::int32_t default_partitions = 1;
  // For each listener; each has a thread.
  std::size_t most_connections = 256;
};

class Broker {
 public:
  virtual ~Broker() = default;  // stops
  // Where the listeners listen: "127.0.0.1:9092", in the order of the options.
  virtual const std::vector<std::string>& addresses() const = 0;
  // Closes all connections. What was stored is gone.
  virtual void Stop() = 0;
};

// Owns: nothing; clock and logger must outlive the broker.
// Errors: invalid_argument for an address beyond loopback or options out of bounds; listen_failed.
Result<std::unique_ptr<Broker>> StartBroker(const BrokerOptions& options, const Clock& clock,
                                            telemetry::Logger& logger);

}  // namespace frazil::kafka::broker
