// SPDX-License-Identifier: Apache-2.0
// One connection of the server: reads requests, hands them to the pool, writes answers in order.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/thread_pool.h"
#include "net/http_reader_internal.h"
#include "net/http_server.h"

namespace frazil::net {

class Connection;

// What the connections of one server share. Threads: `options`, `handler`, `logger`, `metrics`,
// `io` and the pools may be used by any; the rest belongs to the I/O thread.
struct ServerState {
  ServerState(HttpServerOptions server_options, HttpHandler& server_handler,
              telemetry::Logger& server_logger, telemetry::Metrics& server_metrics)
      : options(std::move(server_options)),
        handler(server_handler),
        logger(server_logger),
        metrics(server_metrics) {}

  const HttpServerOptions options;
  HttpHandler& handler;
  telemetry::Logger& logger;
  telemetry::Metrics& metrics;
  boost::asio::io_context io{1};
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<ThreadPool> quick_pool;

  bool stopping = false;
  std::list<std::shared_ptr<Connection>> connections;
  // Those between two requests, the one that has been so longest first.
  std::list<Connection*> idle;
  std::size_t held_bytes = 0;
  std::int64_t date_second = -1;
  std::string date;
  // Called when a connection has closed, or has become idle and could be closed.
  std::function<void()> on_room;

  // The Date header of now.
  const std::string& Date();
};

// Threads: the I/O thread only, but for the handler's run, which touches nothing of it.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ServerState& server, boost::asio::ip::tcp::socket socket, std::string peer);

  // Puts it among the server's connections and reads.
  void Start();
  // Closes at once unless a request is being answered; then after its answer.
  void Stop();
  void Close();

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  enum class Phase { kReading, kHandling, kWriting, kDraining, kClosed };
  struct Job;

  void Read();
  void OnRead(const boost::system::error_code& error, std::size_t size);
  void OnPeerGone();
  void ProbePeer();
  void WatchForReset();
  // Goes on with what was received: waits for more, dispatches, or refuses.
  void Advance();
  void WaitForMore(ReadProgress progress);
  void Dispatch();
  void OnAnswer(HttpResponse response);
  void Refuse(const Error& error);
  void Send(HttpResponse response);
  void SendContinue();
  void Write();
  void OnWritten(const boost::system::error_code& error, std::size_t size);
  void FinishAnswer();
  void CountAnswer();
  // Lets the client read the last answer before the connection goes: closing with unread bytes in
  // our buffer would throw that answer away.
  void Drain();
  void SetIdle(bool idle);
  void CountHeldBytes();
  void SetDeadline(TimePoint deadline);
  void OnTimer(const boost::system::error_code& error);
  void OnDeadline();

  ServerState& server_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  const std::string peer_;
  RequestReader reader_;
  std::list<std::shared_ptr<Connection>>::iterator place_;
  std::optional<std::list<Connection*>::iterator> idle_place_;
  Phase phase_ = Phase::kReading;
  // The timer is set to `armed_`, which is not later than `deadline_`: moving a deadline back
  // costs nothing.
  TimePoint deadline_ = TimePoint::max();
  TimePoint armed_ = TimePoint::max();

  bool reading_ = false;
  // The client has ended its direction.
  bool peer_closed_ = false;
  bool watching_ = false;
  bool continued_ = false;
  bool answered_before_ = false;
  std::size_t held_bytes_ = 0;
  std::array<char, 16 << 10> input_;

  // The request at hand.
  std::string method_;
  std::string path_;
  bool keep_alive_ = false;
  bool head_request_ = false;
  bool http10_ = false;
  std::size_t request_bytes_ = 0;
  TimePoint received_;
  std::stop_source stop_;

  // What the socket did not take of a probe.
  std::string_view unsent_;

  // The answer at hand. `body_` looks into `response_`.
  HttpResponse response_;
  std::string head_;
  std::string_view body_;
  std::size_t written_ = 0;
  std::size_t written_at_deadline_ = 0;
};

}  // namespace frazil::net
