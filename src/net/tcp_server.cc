// SPDX-License-Identifier: Apache-2.0
#include "net/tcp_server.h"

#include <atomic>
#include <cerrno>
#include <exception>
#include <list>
#include <optional>
#include <poll.h>
#include <system_error>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/mutex.h"
#include "net/address_internal.h"
#include "net/listener_internal.h"
#include "net/socket_stream_internal.h"

namespace frazil::net {
namespace {

// After running out of file descriptors or memory.
constexpr int kAcceptPauseMillis = 100;

std::string PeerOf(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address);
    ::inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
    return JoinHostPort(text, ntohs(v6->sin6_port));
  }
  const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address);
  ::inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
  return JoinHostPort(text, ntohs(v4->sin_port));
}

class ThreadedTcpServer final : public TcpServer {
 public:
  ThreadedTcpServer(const TcpServerOptions& options, TcpService& service, telemetry::Logger& logger)
      : options_(options), service_(service), logger_(logger), acceptor_(io_) {}

  ~ThreadedTcpServer() override { Stop(); }
  ThreadedTcpServer(const ThreadedTcpServer&) = delete;
  ThreadedTcpServer& operator=(const ThreadedTcpServer&) = delete;

  Status Start() {
    FRAZIL_ASSIGN_OR_RETURN(port_, OpenListener(io_, options_.address, acceptor_));
    acceptor_.native_non_blocking(true);
    wake_ = FileDescriptor(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!wake_.valid()) {
      return ListenFailed(options_.address, std::generic_category().message(errno));
    }
    MutexLock lock(stop_mutex_);
    thread_ = std::thread([this] { AcceptAll(); });
    return {};
  }

  std::uint16_t port() const override { return port_; }

  void Stop() override {
    MutexLock lock(stop_mutex_);
    if (!thread_.joinable()) return;
    stop_.request_stop();
    const std::uint64_t one = 1;
    // It can only fail when the counter is full, and then it wakes as well.
    [[maybe_unused]] const ssize_t written = ::write(wake_.number(), &one, sizeof(one));
    thread_.join();
  }

 private:
  struct Connection {
    std::thread thread;
    std::atomic<bool> ended = false;
  };

  // On the accepting thread, which alone knows the connections.
  void AcceptAll();
  void Accept();
  void Begin(FileDescriptor socket, const std::string& peer);
  void JoinEnded();

  const TcpServerOptions options_;
  TcpService& service_;
  telemetry::Logger& logger_;
  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor acceptor_;
  FileDescriptor wake_;
  std::uint16_t port_ = 0;
  std::stop_source stop_;
  std::list<Connection> connections_;
  bool full_logged_ = false;
  Mutex stop_mutex_;
  std::thread thread_ FRAZIL_GUARDED_BY(stop_mutex_);
};

void ThreadedTcpServer::AcceptAll() {
  while (!stop_.stop_requested()) {
    pollfd entries[2] = {{acceptor_.native_handle(), POLLIN, 0}, {wake_.number(), POLLIN, 0}};
    if (::poll(entries, 2, -1) > 0 && entries[0].revents != 0 && !stop_.stop_requested()) Accept();
  }
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  for (Connection& connection : connections_) connection.thread.join();
  connections_.clear();
}

void ThreadedTcpServer::Accept() {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  FileDescriptor socket(::accept4(acceptor_.native_handle(), reinterpret_cast<sockaddr*>(&address),
                                  &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.valid()) {
    if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
    logger_.Event(
        telemetry::LogLevel::kWarn, "tcp_accept_failed",
        {{"endpoint", options_.endpoint}, {"cause", std::generic_category().message(errno)}});
    pollfd entry{wake_.number(), POLLIN, 0};
    ::poll(&entry, 1, kAcceptPauseMillis);
    return;
  }
  JoinEnded();
  const std::string peer = PeerOf(address);
  if (connections_.size() >= options_.most_connections) {
    if (!std::exchange(full_logged_, true)) {
      logger_.Event(telemetry::LogLevel::kWarn, "tcp_connections_full",
                    {{"endpoint", options_.endpoint},
                     {"most_connections", static_cast<std::int64_t>(options_.most_connections)}});
    }
    return;
  }
  full_logged_ = false;
  try {
    Begin(std::move(socket), peer);
  } catch (const std::exception& exception) {
    logger_.Event(telemetry::LogLevel::kError, "tcp_connection_failed",
                  {{"endpoint", options_.endpoint}, {"peer", peer}, {"cause", exception.what()}});
  }
}

void ThreadedTcpServer::Begin(FileDescriptor socket, const std::string& peer) {
  FileDescriptor wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake.valid()) return;
  auto stream = std::make_shared<SocketStream>(std::move(socket), std::move(wake), peer);
  Connection& connection = connections_.emplace_back();
  const auto serve = [this, &connection, peer](std::shared_ptr<SocketStream> served) {
    try {
      service_.Serve(*served, stop_.get_token());
    } catch (const std::exception& exception) {
      logger_.Event(telemetry::LogLevel::kError, "tcp_connection_failed",
                    {{"endpoint", options_.endpoint}, {"peer", peer}, {"cause", exception.what()}});
    }
    // The peer learns it now, not when the thread is joined.
    served.reset();
    connection.ended = true;
  };
  try {
    connection.thread = std::thread(serve, std::move(stream));
  } catch (...) {
    connections_.pop_back();
    throw;
  }
}

void ThreadedTcpServer::JoinEnded() {
  for (auto connection = connections_.begin(); connection != connections_.end();) {
    if (!connection->ended) {
      ++connection;
      continue;
    }
    connection->thread.join();
    connection = connections_.erase(connection);
  }
}

}  // namespace

Result<std::unique_ptr<TcpServer>> StartTcpServer(const TcpServerOptions& options,
                                                  TcpService& service, telemetry::Logger& logger) {
  try {
    auto server = std::make_unique<ThreadedTcpServer>(options, service, logger);
    FRAZIL_RETURN_IF_ERROR(server->Start());
    logger.Event(telemetry::LogLevel::kInfo, "listener_started",
                 {{"endpoint", options.endpoint},
                  {"address", JoinHostPort(options.address.host, server->port())}});
    return std::unique_ptr<TcpServer>(std::move(server));
  } catch (const std::exception& exception) {
    return ListenFailed(options.address, exception.what());
  }
}

}  // namespace frazil::net
