// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <poll.h>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <sys/socket.h>

#include "base/check.h"
#include "base/encoding.h"
#include "net/http_answer_internal.h"
#include "net/http_connection_internal.h"

namespace frazil::net {
namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

// How much of later requests is read while one is handled.
constexpr std::size_t kReadAhead = 64 << 10;
// A connection that holds less is never refused for memory.
constexpr std::size_t kFreeBytes = 64 << 10;
// Within each write time-out an answer must move so much, or this part of itself if that is more:
// what it holds is free after a known time, whatever its size.
constexpr std::size_t kWriteStep = 64 << 10;
constexpr std::size_t kMostWriteSteps = 10;
constexpr std::chrono::seconds kDrainTime{2};
constexpr std::chrono::seconds kStopTime{5};
// Between two looks whether a client that has ended its direction is still there.
constexpr std::chrono::seconds kProbePause{5};
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

MessageLimits LimitsOf(const HttpServerOptions& options) {
  MessageLimits limits;
  limits.header_bytes = options.header_bytes;
  limits.body_bytes = options.body_bytes;
  return limits;
}

HttpResponse PlainFault() {
  HttpResponse response;
  response.status = 500;
  return response;
}

HttpResponse RefuseWith(HttpHandler& handler, const Error& error) {
  try {
    return handler.Refuse(error);
  } catch (...) {
    return PlainFault();
  }
}

// On a thread of the pool.
HttpResponse Run(ServerState& server, const HttpRequest& request, const RequestContext& context) {
  std::string cause = "an exception that is no std::exception";
  try {
    if (context.stop.stop_requested()) {
      return server.handler.Refuse(
          Error(ErrorCode::kCancelled, "The server stops, or the client left; send it again"));
    }
    return server.handler.Handle(request, context);
  } catch (const std::exception& exception) {
    cause = exception.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
  server.logger.Event(telemetry::LogLevel::kError, "http_handler_failed",
                      {{"endpoint", server.options.endpoint},
                       {"method", request.method},
                       {"path", request.raw_path},
                       {"cause", cause}});
  return RefuseWith(server.handler, Error(ErrorCode::kInternal,
                                          "The request could not be answered; the log says why"));
}

std::string_view StatusClass(int status) {
  if (status < 300) return "2xx";
  if (status < 400) return "3xx";
  return status < 500 ? "4xx" : "5xx";
}

}  // namespace

struct Connection::Job {
  HttpRequest request;
  RequestContext context;
};

const std::string& ServerState::Date() {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  if (now != date_second) {
    date_second = now;
    date = FormatHttpDate(now);
  }
  return date;
}

Connection::Connection(ServerState& server, asio::ip::tcp::socket socket, std::string peer)
    : server_(server),
      socket_(std::move(socket)),
      timer_(server.io),
      peer_(std::move(peer)),
      reader_(LimitsOf(server.options)) {}

void Connection::Start() {
  place_ = server_.connections.insert(server_.connections.end(), shared_from_this());
  server_.metrics.Add(telemetry::Metric::kHttpConnections, 1, {server_.options.endpoint});
  SetDeadline(steady_clock::now() + server_.options.read_timeout);
  Read();
}

void Connection::Stop() {
  switch (phase_) {
    case Phase::kReading:
    case Phase::kDraining:
      Close();
      break;
    case Phase::kHandling:
      stop_.request_stop();
      break;
    case Phase::kWriting:
      SetDeadline(std::min(deadline_, steady_clock::now() + kStopTime));
      break;
    case Phase::kClosed:
      break;
  }
}

void Connection::Close() {
  if (phase_ == Phase::kClosed) return;
  // Held until the end: leaving the server's list may drop the last reference.
  const auto self = shared_from_this();
  if (phase_ == Phase::kHandling) stop_.request_stop();
  if (phase_ == Phase::kWriting) CountAnswer();
  phase_ = Phase::kClosed;
  SetIdle(false);
  server_.held_bytes -= std::exchange(held_bytes_, 0);
  response_ = HttpResponse();
  body_ = {};
  boost::system::error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
  server_.connections.erase(place_);
  server_.metrics.Add(telemetry::Metric::kHttpConnections, -1, {server_.options.endpoint});
  server_.on_room();
}

void Connection::Read() {
  if (reading_ || peer_closed_ || phase_ == Phase::kClosed) return;
  if (phase_ != Phase::kReading && phase_ != Phase::kDraining && reader_.HeldBytes() > kReadAhead) {
    return;
  }
  reading_ = true;
  socket_.async_read_some(
      asio::buffer(input_),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t size) {
        self->OnRead(error, size);
      });
}

void Connection::OnRead(const boost::system::error_code& error, std::size_t size) {
  reading_ = false;
  if (phase_ == Phase::kClosed) return;
  if (error == asio::error::eof) {
    OnPeerGone();
    return;
  }
  if (error) {
    Close();
    return;
  }
  if (phase_ == Phase::kDraining) {
    Read();
    return;
  }
  reader_.Append({input_.data(), size});
  CountHeldBytes();
  if (phase_ == Phase::kReading) {
    Advance();
  } else {
    Read();
  }
}

void Connection::OnPeerGone() {
  peer_closed_ = true;
  if (phase_ == Phase::kHandling) ProbePeer();
  if (phase_ == Phase::kReading || phase_ == Phase::kDraining) Close();
}

// The end of the client's direction says nothing about the other one, and only bytes of ours bring
// the reset that tells that nobody reads them any more. An interim answer means nothing to a client
// that waits (RFC 9110 15.2); one of HTTP/1.0 knows none, so its handler runs to its end.
void Connection::ProbePeer() {
  if (http10_ || !unsent_.empty()) return;
  const ssize_t sent = ::send(socket_.native_handle(), kContinue.data(), kContinue.size(),
                              MSG_DONTWAIT | MSG_NOSIGNAL);
  const bool is_full = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  if (sent < 0 && !is_full) {
    Close();
    return;
  }
  if (sent > 0) unsent_ = kContinue.substr(static_cast<std::size_t>(sent));
  SetDeadline(steady_clock::now() + kProbePause);
  WatchForReset();
}

void Connection::WatchForReset() {
  if (std::exchange(watching_, true)) return;
  socket_.async_wait(asio::ip::tcp::socket::wait_error, [self = shared_from_this()](
                                                            const boost::system::error_code&) {
    self->watching_ = false;
    if (self->phase_ == Phase::kClosed) return;
    pollfd poll_for{.fd = self->socket_.native_handle(), .events = 0, .revents = 0};
    if (::poll(&poll_for, 1, 0) > 0) self->Close();
  });
}

void Connection::Advance() {
  const auto progress = reader_.Advance();
  CountHeldBytes();
  // A connection is not idle before its first request: closing it then would fail its client.
  SetIdle(answered_before_ && reader_.Idle());
  if (!progress.ok()) {
    Refuse(progress.error());
  } else if (*progress == ReadProgress::kComplete) {
    Dispatch();
  } else if (peer_closed_) {
    Close();
  } else if (held_bytes_ > kFreeBytes && server_.held_bytes > server_.options.buffered_bytes) {
    Refuse(Error(ErrorCode::kResourceExhausted,
                 "Too many large requests are being received; send it again later"));
  } else {
    WaitForMore(*progress);
  }
}

void Connection::WaitForMore(ReadProgress progress) {
  if (reader_.Idle()) {
    if (answered_before_) SetDeadline(steady_clock::now() + server_.options.idle_timeout);
  } else if (answered_before_) {
    // The next request has begun; from here on it counts like a first one.
    answered_before_ = false;
    SetDeadline(steady_clock::now() + server_.options.read_timeout);
  }
  if (progress == ReadProgress::kBody && !continued_ && reader_.ExpectsContinue()) {
    continued_ = true;
    SendContinue();
    return;
  }
  Read();
}

void Connection::Dispatch() {
  phase_ = Phase::kHandling;
  SetIdle(false);
  SetDeadline(peer_closed_ ? steady_clock::now() + kProbePause : TimePoint::max());
  keep_alive_ = reader_.KeepAlive();
  http10_ = reader_.IsHttp10();
  head_request_ = reader_.IsHead();
  received_ = steady_clock::now();
  stop_ = std::stop_source();
  if (server_.stopping) stop_.request_stop();
  const Deadline deadline(received_ + server_.options.handle_timeout);
  auto job = std::make_shared<Job>(
      Job{reader_.Take(), RequestContext{stop_.get_token(), deadline, peer_}});
  method_ = job->request.method;
  path_ = job->request.raw_path;
  request_bytes_ = job->request.body.capacity();
  CountHeldBytes();

  ThreadPool& pool =
      server_.handler.MayTakeLong(job->request) ? *server_.pool : *server_.quick_pool;
  // The guard keeps the I/O thread until the answer has reached it.
  const bool queued = pool.Submit([self = shared_from_this(), job = std::move(job),
                                   guard = asio::make_work_guard(server_.io)]() mutable {
    ServerState& server = self->server_;
    HttpResponse response = Run(server, job->request, job->context);
    job.reset();
    asio::post(server.io, [self = std::move(self), response = std::move(response)]() mutable {
      self->OnAnswer(std::move(response));
    });
    guard.reset();
  });
  if (queued) {
    Read();
    return;
  }
  const Error error(ErrorCode::kResourceExhausted,
                    "Too many requests are waiting; send it again later");
  server_.logger.Event(telemetry::LogLevel::kWarn, "http_refused",
                       {{"endpoint", server_.options.endpoint},
                        {"peer", peer_},
                        {"error", error.row().name},
                        {"message", error.message()}});
  OnAnswer(RefuseWith(server_.handler, error));
}

void Connection::OnAnswer(HttpResponse response) {
  if (phase_ != Phase::kHandling) return;
  request_bytes_ = 0;
  CountHeldBytes();
  Send(std::move(response));
}

void Connection::Refuse(const Error& error) {
  server_.logger.Event(telemetry::LogLevel::kWarn, "http_refused",
                       {{"endpoint", server_.options.endpoint},
                        {"peer", peer_},
                        {"error", error.row().name},
                        {"message", error.message()}});
  SetIdle(false);
  keep_alive_ = false;
  head_request_ = false;
  http10_ = false;
  method_.clear();
  path_.clear();
  received_ = steady_clock::now();
  Send(RefuseWith(server_.handler, error));
}

void Connection::Send(HttpResponse response) {
  if (!IsSendable(response)) {
    server_.logger.Event(telemetry::LogLevel::kError, "http_answer_unsendable",
                         {{"endpoint", server_.options.endpoint},
                          {"method", method_},
                          {"path", path_},
                          {"status", response.status}});
    response = PlainFault();
  }
  phase_ = Phase::kWriting;
  response_ = std::move(response);
  // What a client sent before it ended its direction is answered.
  if (server_.stopping || (peer_closed_ && reader_.Idle())) keep_alive_ = false;
  AnswerFrame frame;
  frame.head_request = head_request_;
  frame.keep_alive = keep_alive_;
  frame.http10 = http10_;
  frame.date = server_.Date();
  head_ = std::exchange(unsent_, {});
  head_ += SerializeHead(response_, frame);
  body_ = head_request_ || !MayHaveBody(response_.status) ? std::string_view() : BodyOf(response_);
  written_ = 0;
  written_at_deadline_ = 0;
  const std::chrono::duration<double> seconds = steady_clock::now() - received_;
  server_.metrics.Observe(telemetry::Metric::kHttpRequestSeconds, seconds.count(),
                          {server_.options.endpoint});
  SetDeadline(steady_clock::now() + server_.options.write_timeout);
  Write();
}

void Connection::SendContinue() {
  phase_ = Phase::kWriting;
  response_.status = 100;
  head_ = kContinue;
  body_ = {};
  written_ = 0;
  written_at_deadline_ = 0;
  Write();
}

void Connection::Write() {
  const std::size_t head_written = std::min(written_, head_.size());
  const std::string_view head = std::string_view(head_).substr(head_written);
  const std::string_view body = body_.substr(written_ - head_written);
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head), asio::buffer(body)};
  socket_.async_write_some(
      buffers, [self = shared_from_this()](const boost::system::error_code& error,
                                           std::size_t size) { self->OnWritten(error, size); });
}

void Connection::OnWritten(const boost::system::error_code& error, std::size_t size) {
  if (phase_ != Phase::kWriting) return;
  if (error) {
    Close();
    return;
  }
  written_ += size;
  if (written_ < head_.size() + body_.size()) {
    const std::size_t step = std::max(kWriteStep, body_.size() / kMostWriteSteps);
    if (written_ - written_at_deadline_ >= step && !server_.stopping) {
      written_at_deadline_ = written_;
      SetDeadline(steady_clock::now() + server_.options.write_timeout);
    }
    Write();
  } else if (response_.status == 100) {
    phase_ = Phase::kReading;
    Advance();
  } else {
    FinishAnswer();
  }
}

void Connection::FinishAnswer() {
  CountAnswer();
  response_ = HttpResponse();
  body_ = {};
  continued_ = false;
  answered_before_ = true;
  if (keep_alive_ && !server_.stopping) {
    phase_ = Phase::kReading;
    Advance();
  } else {
    Drain();
  }
}

void Connection::CountAnswer() {
  if (response_.status == 100) return;
  const std::size_t sent = written_ - std::min(written_, head_.size());
  server_.metrics.Increment(telemetry::Metric::kHttpRequestsTotal,
                            {server_.options.endpoint, StatusClass(response_.status)});
  server_.metrics.Increment(telemetry::Metric::kHttpResponseBytesTotal, {server_.options.endpoint},
                            static_cast<double>(sent));
  if (!server_.logger.Enabled(telemetry::LogLevel::kDebug)) return;
  const std::chrono::duration<double> seconds = steady_clock::now() - received_;
  server_.logger.Event(telemetry::LogLevel::kDebug, "http_request",
                       {{"endpoint", server_.options.endpoint},
                        {"peer", peer_},
                        {"method", method_},
                        {"path", path_},
                        {"status", response_.status},
                        {"body_bytes", static_cast<std::int64_t>(sent)},
                        {"seconds", seconds.count()}});
}

void Connection::Drain() {
  if (peer_closed_ || server_.stopping) {
    Close();
    return;
  }
  phase_ = Phase::kDraining;
  boost::system::error_code error;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
  if (error) {
    Close();
    return;
  }
  SetDeadline(steady_clock::now() + kDrainTime);
  Read();
}

void Connection::SetIdle(bool idle) {
  if (idle == idle_place_.has_value()) return;
  if (idle) {
    idle_place_ = server_.idle.insert(server_.idle.end(), this);
    server_.on_room();
  } else {
    server_.idle.erase(*idle_place_);
    idle_place_.reset();
  }
}

void Connection::CountHeldBytes() {
  const std::size_t held = reader_.HeldBytes() + request_bytes_;
  server_.held_bytes += held - held_bytes_;
  held_bytes_ = held;
}

void Connection::SetDeadline(TimePoint deadline) {
  deadline_ = deadline;
  if (deadline >= armed_) return;
  armed_ = deadline;
  timer_.expires_at(deadline);
  // Not held alive by its timer: a closed connection goes at once.
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    if (const auto self = weak.lock()) self->OnTimer(error);
  });
}

void Connection::OnTimer(const boost::system::error_code& error) {
  if (error == asio::error::operation_aborted || phase_ == Phase::kClosed) return;
  armed_ = TimePoint::max();
  if (deadline_ > steady_clock::now()) {
    SetDeadline(deadline_);
  } else {
    OnDeadline();
  }
}

void Connection::OnDeadline() {
  if (phase_ == Phase::kHandling) {
    ProbePeer();
    return;
  }
  const bool slow = phase_ == Phase::kWriting || (phase_ == Phase::kReading && !reader_.Idle());
  server_.logger.Event(slow ? telemetry::LogLevel::kWarn : telemetry::LogLevel::kDebug,
                       "http_timed_out",
                       {{"endpoint", server_.options.endpoint},
                        {"peer", peer_},
                        {"phase", phase_ == Phase::kWriting ? "write" : "read"}});
  Close();
}

}  // namespace frazil::net
