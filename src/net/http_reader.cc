// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include "base/check.h"
#include "net/ascii_internal.h"
#include "net/http_reader_internal.h"

namespace frazil::net {
namespace {

namespace beast_http = boost::beast::http;
using BeastError = boost::beast::error_code;
using BeastText = boost::beast::string_view;

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::size_t kLargestIdleBuffer = 64 << 10;

// Why a message cannot be read; the facades below give it their own code.
struct Fault {
  bool too_large = false;
  std::string message;
};

std::string_view AsView(BeastText text) { return {text.data(), text.size()}; }

// Beast reads messages off the wire; this keeps what it found. Trailers are dropped: a field
// behind the body must not look like one that stood before it.
template <bool is_request>
class Sink final : public beast_http::basic_parser<is_request> {
 public:
  std::string method;
  std::string target;
  int status = 0;
  int version = 0;
  HttpHeaders headers;
  std::string body;

 private:
  bool in_body_ = false;

  void on_request_impl(beast_http::verb, BeastText method_text, BeastText target_text,
                       int version_number, BeastError&) override {
    method = AsView(method_text);
    target = AsView(target_text);
    version = version_number;
  }
  void on_response_impl(int code, BeastText, int version_number, BeastError&) override {
    status = code;
    version = version_number;
  }
  void on_field_impl(beast_http::field, BeastText name, BeastText value, BeastError&) override {
    if (in_body_) return;
    headers.push_back({std::string(AsView(name)), std::string(AsView(value))});
  }
  void on_header_impl(BeastError&) override { in_body_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}
  std::size_t on_body_impl(BeastText part, BeastError&) override {
    body.append(AsView(part));
    return part.size();
  }
  void on_chunk_header_impl(std::uint64_t, BeastText, BeastError&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastText part, BeastError&) override {
    body.append(AsView(part));
    return part.size();
  }
  void on_finish_impl(BeastError&) override {}
};

// Lines end in CRLF and only there, no other control stands anywhere, each field is a token, a
// colon at once behind it, and a value on the same line. `head` ends with its empty line.
std::optional<Fault> CheckHead(std::string_view head, std::size_t most_headers) {
  std::size_t lines = 0;
  while (head != "\r\n") {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (!IsHeaderValue(line)) {
      return Fault{false, "A control character stands in the head of the message"};
    }
    if (++lines == 1) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) {
      return Fault{false, "A header line is not of the form 'name: value'"};
    }
  }
  if (lines > most_headers + 1) return Fault{true, "The message has too many headers"};
  return std::nullopt;
}

// Exactly one way to say where the body ends.
std::optional<Fault> CheckFraming(const HttpHeaders& headers, int version, bool has_body,
                                  const MessageLimits& limits) {
  const std::size_t lengths = CountHeaders(headers, "Content-Length");
  const std::size_t encodings = CountHeaders(headers, "Transfer-Encoding");
  if (lengths + encodings > 1) {
    return Fault{false,
                 "More than one Content-Length or Transfer-Encoding says where the body ends"};
  }
  if (lengths == 1) {
    const auto length = ParseDecimal(*FindHeader(headers, "Content-Length"));
    if (!length) return Fault{false, "The Content-Length is not a number"};
    if (has_body && *length > limits.body_bytes)
      return Fault{true, "The body is larger than the limit"};
  }
  if (encodings == 1) {
    if (!EqualsIgnoringCase(*FindHeader(headers, "Transfer-Encoding"), "chunked")) {
      return Fault{false, "The Transfer-Encoding is not 'chunked', the only one that is read"};
    }
    if (version < 11) return Fault{false, "HTTP/1.0 has no Transfer-Encoding"};
  }
  return std::nullopt;
}

// "/path?query" as it is, "http://host/path?query" without its front, "*".
bool SplitTarget(std::string_view target, HttpRequest& request) {
  if (target.find('#') != std::string_view::npos) return false;
  if (!target.starts_with('/') && target != "*") {
    const std::size_t scheme = target.find("://");
    if (scheme == std::string_view::npos ||
        !(EqualsIgnoringCase(target.substr(0, scheme), "http") ||
          EqualsIgnoringCase(target.substr(0, scheme), "https")))
      return false;
    target.remove_prefix(scheme + 3);
    target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
  }
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.raw_path = target.substr(0, mark);
  if (request.raw_path.empty()) request.raw_path = "/";
  request.raw_query = target.substr(std::min(mark + 1, target.size()));
  return true;
}

Fault FaultOf(const BeastError& error) {
  if (error == beast_http::error::body_limit || error == beast_http::error::buffer_overflow) {
    return {true, "The body is larger than the limit"};
  }
  if (error == beast_http::error::header_limit) {
    return {true, "The head of the message is larger than the limit"};
  }
  if (error == beast_http::error::bad_version) {
    return {false, "The message is not HTTP/1.0 or HTTP/1.1"};
  }
  return {false, "The message cannot be read: " + error.message()};
}

// The buffer and the parser of one direction.
template <bool is_request>
class Reader {
 public:
  using Parser = Sink<is_request>;

  explicit Reader(const MessageLimits& limits) : limits_(limits) { Reset(); }

  void Reset() {
    parser_.emplace();
    // The head is measured here, before Beast sees it.
    parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes + kHeadEnd.size()));
    parser_->body_limit(limits_.body_bytes);
    parser_->eager(true);
    scanned_ = 0;
    begun_ = false;
    head_done_ = false;
  }

  Parser& parser() { return *parser_; }
  const Parser& parser() const { return *parser_; }
  bool head_done() const { return head_done_; }
  bool Idle() const { return !head_done_ && begin_ == buffer_.size(); }
  std::size_t HeldBytes() const {
    return buffer_.capacity() + parser_->body.capacity() + (head_done_ ? head_size_ : 0);
  }
  void SkipBody() { parser_->skip(true); }

  void Append(std::string_view bytes) {
    if (begin_ == buffer_.size()) {
      buffer_.clear();
      if (buffer_.capacity() > kLargestIdleBuffer) buffer_.shrink_to_fit();
      begin_ = 0;
    } else if (begin_ > buffer_.size() / 2) {
      buffer_.erase(0, begin_);
      begin_ = 0;
    }
    buffer_.append(bytes);
  }

  // nullopt: as far as the bytes go.
  std::optional<Fault> Advance() {
    if (!head_done_) {
      if (auto fault = ReadHead()) return fault;
      if (!head_done_) return std::nullopt;
    }
    return ReadBody();
  }

  std::optional<Fault> AtEnd() {
    BeastError error;
    if (head_done_ && !parser_->is_done()) {
      parser_->put_eof(error);
    } else if (!head_done_) {
      error = beast_http::error::partial_message;
    }
    if (error) return FaultOf(error);
    return std::nullopt;
  }

 private:
  std::string_view Pending() const { return std::string_view(buffer_).substr(begin_); }

  std::optional<Fault> ReadHead() {
    if (!begun_) {
      // RFC 9112 section 2.2: an empty line before the start line is passed over; one.
      if (Pending().empty() || Pending() == "\r") return std::nullopt;
      if (Pending().starts_with("\r\n")) begin_ += 2;
      begun_ = true;
    }
    const std::string_view pending = Pending();
    if (!pending.empty() && pending[0] == 0x16) {
      return Fault{false, "The client speaks TLS to a port that does not; use an http:// URL"};
    }
    if (!pending.empty() && !IsTokenCharacter(pending[0])) {
      return Fault{false, "The message does not begin like HTTP"};
    }
    const std::size_t from = scanned_ > kHeadEnd.size() ? scanned_ - kHeadEnd.size() : 0;
    const std::size_t end = pending.find(kHeadEnd, from);
    scanned_ = pending.size();
    const std::size_t size = end == std::string_view::npos ? pending.size() : end + kHeadEnd.size();
    if (size > limits_.header_bytes) {
      return Fault{true, "The head of the message is larger than the limit"};
    }
    if (end == std::string_view::npos) return std::nullopt;
    if (auto fault = CheckHead(pending.substr(0, size), limits_.header_count)) return fault;

    BeastError error;
    const std::size_t used = parser_->put({pending.data(), size}, error);
    if (error && error != beast_http::error::need_more) return FaultOf(error);
    if (!parser_->is_header_done() || used != size) {
      return Fault{false, "The head of the message cannot be read"};
    }
    begin_ += size;
    head_size_ = size;
    head_done_ = true;
    return CheckFraming(parser_->headers, parser_->version, !parser_->is_done(), limits_);
  }

  std::optional<Fault> ReadBody() {
    while (!parser_->is_done() && begin_ < buffer_.size()) {
      const std::string_view pending = Pending();
      BeastError error;
      const std::size_t used = parser_->put({pending.data(), pending.size()}, error);
      begin_ += used;
      if (error == beast_http::error::need_more || (!error && used == 0)) break;
      if (error) return FaultOf(error);
    }
    // What is left belongs to an unfinished chunk header or to trailers.
    if (!parser_->is_done() && Pending().size() > limits_.header_bytes) {
      return Fault{true, "A chunk's header or the trailers are larger than the limit"};
    }
    return std::nullopt;
  }

  MessageLimits limits_;
  std::string buffer_;
  // What lies before is used up.
  std::size_t begin_ = 0;
  // How much of the head was searched for its end.
  std::size_t scanned_ = 0;
  std::size_t head_size_ = 0;
  bool begun_ = false;
  bool head_done_ = false;
  std::optional<Parser> parser_;
};

}  // namespace

struct RequestReader::State {
  explicit State(const MessageLimits& limits) : reader(limits) {}

  Reader<true> reader;
  bool checked = false;
  bool keep_alive = false;
  HttpRequest target;

  // What only requests must have; once for each, when its head is read.
  std::optional<Fault> CheckRequest() {
    const auto& parser = reader.parser();
    const std::size_t hosts = CountHeaders(parser.headers, "Host");
    if (hosts > 1 || (hosts == 0 && parser.version >= 11)) {
      return Fault{false, "The request must have one Host header"};
    }
    if (!SplitTarget(parser.target, target)) {
      return Fault{false, "The request's target is neither a path nor an http:// URL"};
    }
    keep_alive = parser.keep_alive();
    checked = true;
    return std::nullopt;
  }
};

RequestReader::RequestReader(const MessageLimits& limits)
    : state_(std::make_unique<State>(limits)) {}

RequestReader::~RequestReader() = default;

void RequestReader::Append(std::string_view bytes) { state_->reader.Append(bytes); }

Result<ReadProgress> RequestReader::Advance() {
  auto fault = state_->reader.Advance();
  if (!fault && state_->reader.head_done() && !state_->checked) fault = state_->CheckRequest();
  if (fault) {
    return Error(fault->too_large ? ErrorCode::kRequestTooLarge : ErrorCode::kMalformedRequest,
                 std::move(fault->message));
  }
  if (!state_->reader.head_done()) return ReadProgress::kHead;
  return state_->reader.parser().is_done() ? ReadProgress::kComplete : ReadProgress::kBody;
}

bool RequestReader::Idle() const { return state_->reader.Idle(); }

std::size_t RequestReader::HeldBytes() const { return state_->reader.HeldBytes(); }

bool RequestReader::ExpectsContinue() const {
  const auto expect = FindHeader(state_->reader.parser().headers, "Expect");
  return expect && !IsHttp10() && EqualsIgnoringCase(*expect, "100-continue");
}

bool RequestReader::KeepAlive() const { return state_->keep_alive; }

bool RequestReader::IsHttp10() const { return state_->reader.parser().version < 11; }

bool RequestReader::IsHead() const { return state_->reader.parser().method == "HEAD"; }

HttpRequest RequestReader::Take() {
  auto& parser = state_->reader.parser();
  FRAZIL_CHECK(state_->checked && parser.is_done());
  HttpRequest request = std::exchange(state_->target, HttpRequest());
  request.method = std::move(parser.method);
  request.headers = std::move(parser.headers);
  request.body = std::move(parser.body);
  state_->reader.Reset();
  state_->checked = false;
  return request;
}

struct ResponseReader::State {
  explicit State(const MessageLimits& limits) : reader(limits) {}

  Reader<false> reader;
  bool head_request = false;
  bool ended = false;
  // Of the answer that was taken last.
  bool keep_alive = false;

  void Begin() {
    reader.Reset();
    if (head_request) reader.SkipBody();
  }
  Result<ReadProgress> Progress(std::optional<Fault> fault) {
    if (fault) {
      return Error(ErrorCode::kNetwork, "The server's answer cannot be used: " + fault->message);
    }
    if (!reader.head_done()) return ReadProgress::kHead;
    return reader.parser().is_done() ? ReadProgress::kComplete : ReadProgress::kBody;
  }
};

ResponseReader::ResponseReader(const MessageLimits& limits)
    : state_(std::make_unique<State>(limits)) {}

ResponseReader::~ResponseReader() = default;

void ResponseReader::Expect(bool head_request) {
  state_->head_request = head_request;
  state_->Begin();
}

void ResponseReader::Append(std::string_view bytes) { state_->reader.Append(bytes); }

Result<ReadProgress> ResponseReader::Advance() {
  while (true) {
    auto progress = state_->Progress(state_->reader.Advance());
    const bool interim = progress.ok() && *progress == ReadProgress::kComplete &&
                         state_->reader.parser().status / 100 == 1;
    if (!interim) return progress;
    if (state_->reader.parser().status == 101) {
      return Error(ErrorCode::kNetwork, "The server switched to another protocol unasked");
    }
    state_->Begin();
  }
}

Result<ReadProgress> ResponseReader::AtEnd() {
  state_->ended = true;
  return state_->Progress(state_->reader.AtEnd());
}

HttpResponse ResponseReader::Take() {
  auto& parser = state_->reader.parser();
  FRAZIL_CHECK(parser.is_done());
  HttpResponse response;
  response.status = parser.status;
  response.headers = std::move(parser.headers);
  response.body = std::move(parser.body);
  state_->keep_alive = !state_->ended && parser.keep_alive();
  state_->reader.Reset();
  return response;
}

bool ResponseReader::Reusable() const { return state_->keep_alive && state_->reader.Idle(); }

}  // namespace frazil::net
