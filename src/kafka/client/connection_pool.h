// SPDX-License-Identifier: Apache-2.0
// Connections that are kept between requests, a bounded number for each broker.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "kafka/client/broker_address.h"
#include "kafka/client/connection.h"
#include "net/tcp_stream.h"
#include "telemetry/metrics.h"

namespace frazil::kafka {

struct ConnectionPoolOptions {
  ConnectionOptions connection;
  std::chrono::milliseconds connect_timeout;
  int max_connections_per_broker = 1;
  // Brokers close idle connections after ten minutes by default.
  std::chrono::milliseconds max_idle = std::chrono::minutes(4);
};

// Threads: every member may be called from any thread. Leases must not outlive the pool.
class ConnectionPool {
 public:
  using Connect = std::function<Result<std::unique_ptr<net::TcpStream>>(
      const BrokerAddress& address, Deadline deadline, const std::stop_token& stop)>;

  // The right to use one connection. It goes back to the pool at the end, or is closed when it can
  // take no further request.
  class Lease {
   public:
    Lease(ConnectionPool& pool, std::unique_ptr<Connection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (connection_ != nullptr) pool_->Return(std::move(connection_));
    }
    Connection* operator->() const { return connection_.get(); }

   private:
    ConnectionPool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  ConnectionPool(ConnectionPoolOptions options, Connect connect, telemetry::Metrics& metrics);

  // Waits while all connections to the broker are in use. Who holds several leases takes them in
  // order of address, so that no two callers wait for each other.
  // Errors: those of Connection::Open, kafka_unavailable when none came free in time.
  Result<Lease> Acquire(const BrokerAddress& address, Deadline deadline,
                        const std::stop_token& stop);

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    Deadline expiry;
  };
  struct Broker {
    std::vector<Idle> idle;
    // In use or idle.
    int open = 0;
  };

  // An idle connection; nullptr for leave to open one. Expired ones go to `expired`.
  Result<std::unique_ptr<Connection>> Reserve(const BrokerAddress& address, Deadline deadline,
                                              const std::stop_token& stop,
                                              std::vector<Idle>& expired);
  Result<std::unique_ptr<Connection>> Open(const BrokerAddress& address, Deadline deadline,
                                           const std::stop_token& stop);
  void Return(std::unique_ptr<Connection> connection);
  void DropIdle(const BrokerAddress& address);
  void Forget(const BrokerAddress& address);

  ConnectionPoolOptions options_;
  Connect connect_;
  telemetry::Metrics& metrics_;
  Mutex mutex_;
  ConditionVariable freed_;
  std::map<BrokerAddress, Broker> brokers_ FRAZIL_GUARDED_BY(mutex_);
};

}  // namespace frazil::kafka
