// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "base/mutex.h"
#include "net/address_internal.h"
#include "net/ascii_internal.h"
#include "net/http_reader_internal.h"
#include "net/socket_stream_internal.h"

namespace frazil::net {
namespace {

MessageLimits LimitsOf(const HttpClientOptions& options) {
  MessageLimits limits;
  limits.header_bytes = options.header_bytes;
  limits.body_bytes = options.body_bytes;
  return limits;
}

// RFC 9110 section 9.2.2: those that may be sent again when the first one's fate is unknown.
bool IsIdempotent(std::string_view method) {
  constexpr std::array<std::string_view, 5> kMethods = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"};
  return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

bool IsTargetPart(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return IsControl(c) || c == ' ' || c == '#'; });
}

Result<std::string> Serialize(const HttpUrl& url, const HttpRequest& request) {
  const bool path_ok = (request.raw_path.empty() || request.raw_path.starts_with('/')) &&
                       request.raw_path.find('?') == std::string::npos;
  if (!IsToken(request.method) || !path_ok || !IsTargetPart(request.raw_path) ||
      !IsTargetPart(request.raw_query)) {
    return Error(ErrorCode::kInvalidArgument,
                 "A request's method, path or query holds a character that must be escaped: " +
                     Printable(request.method + " " + request.raw_path));
  }
  std::string target = url.base_path + request.raw_path;
  if (target.empty()) target = "/";
  if (!request.raw_query.empty()) target += "?" + request.raw_query;

  std::string text =
      request.method + " " + target + " HTTP/1.1\r\nHost: " +
      (url.port == 80 ? JoinHostPort(url.host, 80).substr(0, JoinHostPort(url.host, 80).size() - 3)
                      : JoinHostPort(url.host, url.port)) +
      "\r\n";
  for (const HttpHeader& header : request.headers) {
    if (!IsToken(header.name) || !IsHeaderValue(header.value)) {
      return Error(
          ErrorCode::kInvalidArgument,
          "A request's header holds a character that is not allowed: " + Printable(header.name));
    }
    const bool ours = EqualsIgnoringCase(header.name, "Host") ||
                      EqualsIgnoringCase(header.name, "Content-Length") ||
                      EqualsIgnoringCase(header.name, "Transfer-Encoding") ||
                      EqualsIgnoringCase(header.name, "Connection");
    if (!ours) text += header.name + ": " + header.value + "\r\n";
  }
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  return text + "\r\n" + request.body;
}

// A connection with what was read off it.
struct Channel {
  Channel(std::unique_ptr<SocketStream> connected, const HttpClientOptions& options)
      : stream(std::move(connected)), reader(LimitsOf(options)) {}

  // TLS will wrap this one.
  std::unique_ptr<SocketStream> stream;
  ResponseReader reader;
  Deadline idle_until = Deadline::After(std::chrono::milliseconds(0));
};

// Reads one answer. `begun` says whether any byte of one has come.
Result<HttpResponse> Receive(Channel& channel, bool head_request, Deadline deadline,
                             const std::stop_token& stop, bool& begun) {
  channel.reader.Expect(head_request);
  Bytes buffer(16 << 10);
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(const std::size_t received,
                            channel.stream->ReadSome(buffer, deadline, stop));
    begun = begun || received > 0;
    if (received == 0 && !begun) {
      return Error(ErrorCode::kNetwork, "The server closed the connection without an answer");
    }
    channel.reader.Append(AsText(ByteView(buffer).first(received)));
    FRAZIL_ASSIGN_OR_RETURN(const ReadProgress progress,
                            received == 0 ? channel.reader.AtEnd() : channel.reader.Advance());
    if (progress == ReadProgress::kComplete) return channel.reader.Take();
    if (received == 0) {
      return Error(ErrorCode::kNetwork, "The server closed the connection within its answer");
    }
  }
}

class SocketHttpClient final : public HttpClient {
 public:
  SocketHttpClient(HttpUrl url, const HttpClientOptions& options)
      : url_(std::move(url)), options_(options) {}

  Result<HttpResponse> Send(const HttpRequest& request, Deadline deadline,
                            const std::stop_token& stop) override;

 private:
  Result<HttpResponse> Exchange(std::unique_ptr<Channel> channel, const HttpRequest& request,
                                std::string_view text, Deadline deadline,
                                const std::stop_token& stop, bool& begun);
  // null when there is none.
  std::unique_ptr<Channel> TakeKept();
  void Keep(std::unique_ptr<Channel> channel);

  const HttpUrl url_;
  const HttpClientOptions options_;
  Mutex mutex_;
  // The one used last stands last.
  std::vector<std::unique_ptr<Channel>> kept_ FRAZIL_GUARDED_BY(mutex_);
};

std::unique_ptr<Channel> SocketHttpClient::TakeKept() {
  MutexLock lock(mutex_);
  while (!kept_.empty()) {
    std::unique_ptr<Channel> channel = std::move(kept_.back());
    kept_.pop_back();
    if (!channel->idle_until.Expired() && channel->stream->IsQuiet()) return channel;
  }
  return nullptr;
}

void SocketHttpClient::Keep(std::unique_ptr<Channel> channel) {
  channel->idle_until = Deadline::After(options_.idle_timeout);
  MutexLock lock(mutex_);
  if (kept_.size() >= options_.kept_connections && !kept_.empty()) kept_.erase(kept_.begin());
  if (kept_.size() < options_.kept_connections) kept_.push_back(std::move(channel));
}

Result<HttpResponse> SocketHttpClient::Exchange(std::unique_ptr<Channel> channel,
                                                const HttpRequest& request, std::string_view text,
                                                Deadline deadline, const std::stop_token& stop,
                                                bool& begun) {
  begun = false;
  FRAZIL_RETURN_IF_ERROR(channel->stream->WriteAll(AsBytes(text), deadline, stop));
  auto response = Receive(*channel, request.method == "HEAD", deadline, stop, begun);
  if (response.ok() && channel->reader.Reusable()) Keep(std::move(channel));
  return response;
}

Result<HttpResponse> SocketHttpClient::Send(const HttpRequest& request, Deadline deadline,
                                            const std::stop_token& stop) {
  if (url_.scheme != "http") {
    return Error(ErrorCode::kUnsupported,
                 "TLS towards HTTP servers is not supported yet; use an http:// URL");
  }
  FRAZIL_ASSIGN_OR_RETURN(const std::string text, Serialize(url_, request));
  bool begun = false;
  if (auto kept = TakeKept()) {
    auto response = Exchange(std::move(kept), request, text, deadline, stop, begun);
    const bool stale = !response.ok() && response.error().code() == ErrorCode::kNetwork && !begun;
    if (!stale || !IsIdempotent(request.method)) return response;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto stream, ConnectSocket(url_.host, url_.port, deadline, stop));
  return Exchange(std::make_unique<Channel>(std::move(stream), options_), request, text, deadline,
                  stop, begun);
}

}  // namespace

std::unique_ptr<HttpClient> MakeHttpClient(HttpUrl url, const HttpClientOptions& options) {
  return std::make_unique<SocketHttpClient>(std::move(url), options);
}

}  // namespace frazil::net
