// SPDX-License-Identifier: Apache-2.0
#include "kafka/client/connection_pool.h"

#include <utility>

namespace frazil::kafka {

ConnectionPool::ConnectionPool(ConnectionPoolOptions options, Connect connect,
                               telemetry::Metrics& metrics)
    : options_(std::move(options)), connect_(std::move(connect)), metrics_(metrics) {}

Result<ConnectionPool::Lease> ConnectionPool::Acquire(const BrokerAddress& address,
                                                      Deadline deadline,
                                                      const std::stop_token& stop) {
  // Closed after the lock is gone.
  std::vector<Idle> expired;
  FRAZIL_ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection,
                          Reserve(address, deadline, stop, expired));
  if (connection != nullptr) return Lease(*this, std::move(connection));
  auto opened = Open(address, deadline.Within(options_.connect_timeout), stop);
  if (!opened.ok()) {
    Forget(address);
    return opened.error();
  }
  return Lease(*this, std::move(opened).value());
}

Result<std::unique_ptr<Connection>> ConnectionPool::Reserve(const BrokerAddress& address,
                                                            Deadline deadline,
                                                            const std::stop_token& stop,
                                                            std::vector<Idle>& expired) {
  const MutexLock lock(mutex_);
  for (;;) {
    Broker& broker = brokers_[address];
    while (!broker.idle.empty()) {
      Idle idle = std::move(broker.idle.back());
      broker.idle.pop_back();
      if (!idle.expiry.Expired()) return std::move(idle.connection);
      --broker.open;
      expired.push_back(std::move(idle));
    }
    if (broker.open < options_.max_connections_per_broker) {
      ++broker.open;
      return std::unique_ptr<Connection>();
    }
    if (freed_.WaitUntil(mutex_, deadline, stop)) continue;
    if (stop.stop_requested()) return Error(ErrorCode::kCancelled, "The read was stopped.");
    return Error(ErrorCode::kKafkaUnavailable,
                 "All connections to the Kafka broker were in use for too long: " +
                     address.ToString() + ".");
  }
}

Result<std::unique_ptr<Connection>> ConnectionPool::Open(const BrokerAddress& address,
                                                         Deadline deadline,
                                                         const std::stop_token& stop) {
  auto stream = connect_(address, deadline, stop);
  if (!stream.ok()) return stream.error().Within("Kafka broker " + address.ToString());
  return Connection::Open(address, std::move(stream).value(), options_.connection, metrics_,
                          deadline, stop);
}

void ConnectionPool::Return(std::unique_ptr<Connection> connection) {
  const BrokerAddress address = connection->address();
  if (!connection->reusable()) {
    // A broker that went away has left all connections dead, not only this one.
    if (connection->failed()) DropIdle(address);
    connection.reset();
    Forget(address);
    return;
  }
  const MutexLock lock(mutex_);
  brokers_[address].idle.push_back({std::move(connection), Deadline::After(options_.max_idle)});
  freed_.NotifyAll();
}

void ConnectionPool::DropIdle(const BrokerAddress& address) {
  std::vector<Idle> dropped;
  const MutexLock lock(mutex_);
  Broker& broker = brokers_[address];
  broker.open -= static_cast<int>(broker.idle.size());
  dropped.swap(broker.idle);
  freed_.NotifyAll();
}

void ConnectionPool::Forget(const BrokerAddress& address) {
  const MutexLock lock(mutex_);
  --brokers_[address].open;
  freed_.NotifyAll();
}

}  // namespace frazil::kafka
