// SPDX-License-Identifier: Apache-2.0
// The HTTP server's door: the same bytes give the same requests however the network cuts them, and
// nothing beyond the limits gets through.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "net/http_reader_internal.h"

namespace frazil::net {
namespace {

struct Outcome {
  std::vector<HttpRequest> requests;
  std::optional<ErrorCode> error;
};

MessageLimits Limits() {
  MessageLimits limits;
  limits.header_bytes = 512;
  limits.header_count = 16;
  limits.body_bytes = 256;
  return limits;
}

Outcome Read(std::string_view text, std::size_t step) {
  RequestReader reader(Limits());
  Outcome outcome;
  while (!text.empty()) {
    reader.Append(text.substr(0, step));
    text.remove_prefix(std::min(step, text.size()));
    auto progress = reader.Advance();
    while (progress.ok() && *progress == ReadProgress::kComplete) {
      outcome.requests.push_back(reader.Take());
      progress = reader.Advance();
    }
    if (!progress.ok()) {
      outcome.error = progress.error().code();
      break;
    }
  }
  return outcome;
}

void CheckRequest(const HttpRequest& request) {
  FRAZIL_CHECK(!request.method.empty() && !request.raw_path.empty());
  FRAZIL_CHECK(request.body.size() <= Limits().body_bytes);
  FRAZIL_CHECK(request.headers.size() <= Limits().header_count);
  FRAZIL_CHECK(CountHeaders(request.headers, "Content-Length") +
                   CountHeaders(request.headers, "Transfer-Encoding") <=
               1);
  for (const HttpHeader& header : request.headers) {
    FRAZIL_CHECK(header.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  }
  IgnoreError(ParseQuery(request.raw_query));
  IgnoreError(ParseQuery(request.raw_query, true));
}

}  // namespace
}  // namespace frazil::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frazil::ErrorCode;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = frazil::net::Read(text, std::max<std::size_t>(text.size(), 1));
  const auto parts = frazil::net::Read(text, 1 + data[0] % 16);
  for (const auto& request : whole.requests) frazil::net::CheckRequest(request);
  // A limit on what is unfinished may be met earlier in small pieces.
  const bool limit =
      whole.error == ErrorCode::kRequestTooLarge || parts.error == ErrorCode::kRequestTooLarge;
  if (limit) return 0;
  FRAZIL_CHECK(whole.error == parts.error);
  FRAZIL_CHECK(whole.requests.size() == parts.requests.size());
  for (std::size_t i = 0; i < whole.requests.size(); ++i) {
    FRAZIL_CHECK(whole.requests[i].raw_path == parts.requests[i].raw_path);
    FRAZIL_CHECK(whole.requests[i].body == parts.requests[i].body);
    FRAZIL_CHECK(whole.requests[i].headers.size() == parts.requests[i].headers.size());
  }
  return 0;
}
