// SPDX-License-Identifier: Apache-2.0
// Bytes to HTTP/1.1 messages (RFC 9112), without sockets: the door that the server, the client and
// the fuzzer share. Stricter than the RFC wherever two readers of one byte stream could disagree
// about where a message ends (request smuggling): such input is an error, and the connection that
// sent it must be closed.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace frazil::net {

struct MessageLimits {
  // From the first byte of the start line to the empty line; also the longest chunk header and
  // the trailers.
  std::size_t header_bytes = 64 << 10;
  std::size_t header_count = 256;
  std::size_t body_bytes = 8 << 20;
};

enum class ReadProgress { kHead, kBody, kComplete };

// One connection's requests, one after the other.
// Errors: malformed_request, request_too_large. After an error the reader is of no further use.
class RequestReader {
 public:
  explicit RequestReader(const MessageLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  void Append(std::string_view bytes);
  // Parses as far as the bytes go: kHead and kBody say what is missing.
  Result<ReadProgress> Advance();

  // Whether no byte of the next request is here.
  bool Idle() const;
  // Memory held for the request at hand and for bytes behind it.
  std::size_t HeldBytes() const;
  // Whether the sender waits for "100 Continue". Requires: kBody.
  bool ExpectsContinue() const;

  // The next four require: kComplete, or kBody.
  bool KeepAlive() const;
  bool IsHttp10() const;
  bool IsHead() const;
  // Requires: kComplete. The reader then turns to the next request.
  HttpRequest Take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One connection's answers. Interim answers (1xx) are passed over.
// Errors: network.
class ResponseReader {
 public:
  explicit ResponseReader(const MessageLimits& limits);
  ~ResponseReader();
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;

  // Before each answer; that to a HEAD has no body.
  void Expect(bool head_request);
  void Append(std::string_view bytes);
  Result<ReadProgress> Advance();
  // The sender has closed: completes an answer whose body ends so.
  Result<ReadProgress> AtEnd();

  // Requires: kComplete.
  HttpResponse Take();
  // After Take: whether the connection can take another request. Bytes behind an answer belong to
  // nothing that was asked, so with any there it cannot.
  bool Reusable() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frazil::net
