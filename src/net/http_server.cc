// SPDX-License-Identifier: Apache-2.0
#include "net/http_server.h"

#include <cerrno>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "base/check.h"
#include "net/address_internal.h"
#include "net/http_connection_internal.h"
#include "net/listener_internal.h"

namespace frazil::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// After running out of file descriptors or memory.
constexpr std::chrono::milliseconds kAcceptPause{100};

class AsioHttpServer final : public HttpServer {
 public:
  AsioHttpServer(const HttpServerOptions& options, HttpHandler& handler, telemetry::Logger& logger,
                 telemetry::Metrics& metrics)
      : state_(options, handler, logger, metrics),
        acceptor_(state_.io),
        accept_timer_(state_.io),
        guard_(asio::make_work_guard(state_.io)) {}

  ~AsioHttpServer() override { Stop(); }
  AsioHttpServer(const AsioHttpServer&) = delete;
  AsioHttpServer& operator=(const AsioHttpServer&) = delete;

  Status Start();
  std::uint16_t port() const override { return port_; }
  void Stop() override;

 private:
  void Run();
  void Accept();
  void OnAccept(const boost::system::error_code& error, tcp::socket socket);
  void PauseAccepting(const boost::system::error_code& error);
  bool IsFull() const { return state_.connections.size() >= state_.options.most_connections; }
  void BeginStop();

  // Destroyed after all that uses its io_context.
  ServerState state_;
  tcp::acceptor acceptor_;
  asio::steady_timer accept_timer_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  tcp::endpoint peer_;
  std::uint16_t port_ = 0;
  bool accepting_ = false;
  bool full_logged_ = false;
  Mutex stop_mutex_;
  std::thread thread_ FRAZIL_GUARDED_BY(stop_mutex_);
};

Status AsioHttpServer::Start() {
  FRAZIL_ASSIGN_OR_RETURN(port_, OpenListener(state_.io, state_.options.address, acceptor_));

  state_.on_room = [this] { Accept(); };
  state_.pool = std::make_unique<ThreadPool>(state_.options.threads, state_.options.longest_queue);
  state_.quick_pool =
      std::make_unique<ThreadPool>(state_.options.quick_threads, state_.options.longest_queue);
  asio::post(state_.io, [this] { Accept(); });
  MutexLock lock(stop_mutex_);
  thread_ = std::thread([this] { Run(); });
  return {};
}

void AsioHttpServer::Run() {
  while (true) {
    try {
      state_.io.run();
      return;
    } catch (const std::exception& exception) {
      // Out of memory on the way to one connection; the others go on.
      state_.logger.Event(telemetry::LogLevel::kError, "http_io_failed",
                          {{"endpoint", state_.options.endpoint}, {"cause", exception.what()}});
    }
  }
}

void AsioHttpServer::Accept() {
  if (accepting_ || state_.stopping) return;
  if (IsFull() && state_.idle.empty()) {
    if (!std::exchange(full_logged_, true)) {
      state_.logger.Event(
          telemetry::LogLevel::kWarn, "http_connections_full",
          {{"endpoint", state_.options.endpoint},
           {"most_connections", static_cast<std::int64_t>(state_.options.most_connections)}});
    }
    return;
  }
  accepting_ = true;
  acceptor_.async_accept(peer_, [this](const boost::system::error_code& error, tcp::socket socket) {
    accepting_ = false;
    OnAccept(error, std::move(socket));
  });
}

void AsioHttpServer::OnAccept(const boost::system::error_code& error, tcp::socket socket) {
  if (state_.stopping || error == asio::error::operation_aborted) return;
  if (error == asio::error::no_descriptors || error == asio::error::no_buffer_space ||
      error == asio::error::no_memory || error.value() == ENFILE) {
    PauseAccepting(error);
    return;
  }
  if (!error) {
    if (IsFull() && !state_.idle.empty()) state_.idle.front()->Close();
    if (state_.connections.size() < state_.options.most_connections / 2) full_logged_ = false;
    const std::string peer = JoinHostPort(peer_.address().to_string(), peer_.port());
    std::make_shared<Connection>(state_, std::move(socket), peer)->Start();
  }
  Accept();
}

void AsioHttpServer::PauseAccepting(const boost::system::error_code& error) {
  state_.logger.Event(telemetry::LogLevel::kWarn, "http_accept_failed",
                      {{"endpoint", state_.options.endpoint}, {"cause", error.message()}});
  accept_timer_.expires_after(kAcceptPause);
  accept_timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) Accept();
  });
}

void AsioHttpServer::BeginStop() {
  state_.stopping = true;
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  accept_timer_.cancel();
  // A copy: closing takes connections off the list.
  const auto connections = state_.connections;
  for (const auto& connection : connections) connection->Stop();
  guard_.reset();
}

void AsioHttpServer::Stop() {
  MutexLock lock(stop_mutex_);
  if (!thread_.joinable()) return;
  asio::post(state_.io, [this] { BeginStop(); });
  thread_.join();
  state_.pool.reset();
  state_.quick_pool.reset();
}

}  // namespace

Result<std::unique_ptr<HttpServer>> StartHttpServer(const HttpServerOptions& options,
                                                    HttpHandler& handler, telemetry::Logger& logger,
                                                    telemetry::Metrics& metrics) {
  try {
    auto server = std::make_unique<AsioHttpServer>(options, handler, logger, metrics);
    FRAZIL_RETURN_IF_ERROR(server->Start());
    logger.Event(telemetry::LogLevel::kInfo, "listener_started",
                 {{"endpoint", options.endpoint},
                  {"address", JoinHostPort(options.address.host, server->port())}});
    return std::unique_ptr<HttpServer>(std::move(server));
  } catch (const std::exception& exception) {
    return ListenFailed(options.address, exception.what());
  }
}

}  // namespace frazil::net
