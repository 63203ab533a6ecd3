// SPDX-License-Identifier: Apache-2.0
// A server with a scripted handler, and a client that sends and receives raw bytes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/mutex.h"
#include "net/http_server.h"
#include "net/socket_stream_internal.h"

namespace frazil::net {

using HandleFunction = std::function<HttpResponse(const HttpRequest&, const RequestContext&)>;

class ScriptedHandler final : public HttpHandler {
 public:
  explicit ScriptedHandler(HandleFunction handle) : handle_(std::move(handle)) {}

  HttpResponse Handle(const HttpRequest& request, const RequestContext& context) override {
    return handle_(request, context);
  }
  bool MayTakeLong(const HttpRequest& request) const override {
    return request.raw_path != "/probe";
  }
  HttpResponse Refuse(const Error& error) override {
    HttpResponse response;
    response.status = error.row().http_status;
    response.headers = {{"X-Error", std::string(error.row().name)}};
    response.body = error.message();
    return response;
  }

 private:
  HandleFunction handle_;
};

inline HttpResponse TextAnswer(std::string body) {
  HttpResponse response;
  response.body = std::move(body);
  return response;
}

// Polls until `condition` holds; false after ten seconds.
inline bool Eventually(const std::function<bool()>& condition) {
  const Deadline deadline = Deadline::After(std::chrono::seconds(10));
  while (!condition()) {
    if (deadline.Expired()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

class LogLines {
 public:
  void Add(std::string_view line) {
    MutexLock lock(mutex_);
    text_ += line;
  }
  bool Has(std::string_view part) {
    MutexLock lock(mutex_);
    return text_.find(part) != std::string::npos;
  }

 private:
  Mutex mutex_;
  std::string text_ FRAZIL_GUARDED_BY(mutex_);
};

class TestServer {
 public:
  explicit TestServer(HandleFunction handle,
                      const std::function<void(HttpServerOptions&)>& change = {})
      : handler_(std::move(handle)) {
    HttpServerOptions options;
    options.address = {"127.0.0.1", 0};
    options.endpoint = "s3";
    options.threads = 4;
    if (change) change(options);
    auto started = StartHttpServer(options, handler_, *logger_, metrics_);
    EXPECT_TRUE(started.ok()) << (started.ok() ? "" : started.error().message());
    server_ = std::move(started).value();
  }

  HttpServer& server() { return *server_; }
  std::uint16_t port() const { return server_->port(); }
  LogLines& log() { return log_; }
  bool HasMetric(const std::string& line) const {
    return metrics_.Expose().find("frazil_http_" + line + "\n") != std::string::npos;
  }
  bool HasConnections(int count) const {
    return HasMetric("connections{endpoint=\"s3\"} " + std::to_string(count));
  }

 private:
  LogLines log_;
  std::unique_ptr<telemetry::Logger> logger_ =
      telemetry::MakeLogger(telemetry::LogLevel::kDebug, telemetry::LogFormat::kText,
                            [this](std::string_view line) { log_.Add(line); });
  telemetry::Metrics metrics_;
  ScriptedHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) {
    auto stream = ConnectSocket("127.0.0.1", port, Soon(), {});
    EXPECT_TRUE(stream.ok()) << (stream.ok() ? "" : stream.error().message());
    stream_ = std::move(stream).value();
  }

  static Deadline Soon() { return Deadline::After(std::chrono::seconds(30)); }

  Status Send(std::string_view text) { return stream_->WriteAll(AsBytes(text), Soon(), {}); }
  // Sends a GET.
  void Get(const std::string& path) {
    EXPECT_TRUE(Send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n").ok());
  }

  // Up to and with the empty line.
  std::string ReadHead() {
    while (received_.find("\r\n\r\n") == std::string::npos) {
      if (!ReadMore()) return "closed after: " + std::exchange(received_, "");
    }
    return TakeFront(received_.find("\r\n\r\n") + 4);
  }
  std::string ReadBody(std::size_t size) {
    while (received_.size() < size) {
      if (!ReadMore()) return "closed after: " + std::exchange(received_, "");
    }
    return TakeFront(size);
  }
  // "status body" of one answer.
  std::string ReadAnswer() {
    const std::string head = ReadHead();
    const std::size_t length = head.find("Content-Length: ");
    if (length == std::string::npos) return head;
    return head.substr(9, 3) + " " + ReadBody(std::stoul(head.substr(length + 16)));
  }
  std::string Fetch(const std::string& path) {
    Get(path);
    return ReadAnswer();
  }
  std::string ReadToEnd() {
    while (ReadMore()) {
    }
    return std::exchange(received_, "");
  }
  // Keeps what comes for ReadToEnd.
  void ReadPart() { ReadMore(); }
  // Whether the server has closed, with nothing more sent.
  bool IsClosed() { return ReadToEnd().empty(); }
  void EndSending() { EXPECT_TRUE(stream_->EndWriting().ok()); }
  void Close() { stream_.reset(); }

 private:
  bool ReadMore() {
    Bytes buffer(64 << 10);
    const auto size = stream_->ReadSome(buffer, Soon(), {});
    EXPECT_TRUE(size.ok() || size.error().code() == ErrorCode::kNetwork);
    if (!size.ok() || *size == 0) return false;
    received_.append(AsText(ByteView(buffer).first(*size)));
    return true;
  }
  std::string TakeFront(std::size_t size) {
    std::string front = received_.substr(0, size);
    received_.erase(0, size);
    return front;
  }

  std::unique_ptr<SocketStream> stream_;
  std::string received_;
};

}  // namespace frazil::net
