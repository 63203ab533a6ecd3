// SPDX-License-Identifier: Apache-2.0
// The HTTP client's door, behind which any server may be: the same bytes give the same answer
// however the network cuts them, and nothing beyond the limits gets through.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "net/http_reader_internal.h"

namespace frazil::net {
namespace {

// The first byte of an input.
struct Manner {
  std::size_t step;
  bool head_request;
  bool closes;
};

struct Outcome {
  std::optional<HttpResponse> answer;
  bool failed = false;
};

Outcome Read(std::string_view text, const Manner& manner, const MessageLimits& limits) {
  ResponseReader reader(limits);
  reader.Expect(manner.head_request);
  Result<ReadProgress> progress = ReadProgress::kHead;
  while (!text.empty() && progress.ok() && *progress != ReadProgress::kComplete) {
    reader.Append(text.substr(0, manner.step));
    text.remove_prefix(std::min(manner.step, text.size()));
    progress = reader.Advance();
  }
  if (manner.closes && progress.ok() && *progress != ReadProgress::kComplete) {
    progress = reader.AtEnd();
  }
  Outcome outcome;
  outcome.failed = !progress.ok();
  if (progress.ok() && *progress == ReadProgress::kComplete) outcome.answer = reader.Take();
  return outcome;
}

void CheckAnswer(const HttpResponse& answer, const Manner& manner, const MessageLimits& limits) {
  FRAZIL_CHECK(answer.status >= 200 && answer.status <= 999);
  FRAZIL_CHECK(answer.body.size() <= limits.body_bytes);
  FRAZIL_CHECK(answer.headers.size() <= limits.header_count);
  FRAZIL_CHECK(!manner.head_request || answer.body.empty());
  for (const HttpHeader& header : answer.headers) {
    FRAZIL_CHECK(header.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  }
}

void CheckLimits(std::string_view text, const Manner& manner) {
  MessageLimits limits;
  limits.header_bytes = 512;
  limits.header_count = 16;
  limits.body_bytes = 256;
  const Outcome outcome = Read(text, manner, limits);
  if (outcome.answer) CheckAnswer(*outcome.answer, manner, limits);
}

// With limits that no input reaches: one may be met earlier in small pieces.
void CheckCuts(std::string_view text, const Manner& manner) {
  const MessageLimits limits;
  if (text.size() >= limits.header_bytes) return;
  Manner at_once = manner;
  at_once.step = std::max<std::size_t>(text.size(), 1);
  const Outcome whole = Read(text, at_once, limits);
  const Outcome parts = Read(text, manner, limits);
  FRAZIL_CHECK(whole.failed == parts.failed);
  FRAZIL_CHECK(whole.answer.has_value() == parts.answer.has_value());
  if (!whole.answer) return;
  CheckAnswer(*whole.answer, manner, limits);
  FRAZIL_CHECK(whole.answer->status == parts.answer->status);
  FRAZIL_CHECK(whole.answer->body == parts.answer->body);
  FRAZIL_CHECK(whole.answer->headers.size() == parts.answer->headers.size());
}

}  // namespace
}  // namespace frazil::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const frazil::net::Manner manner{1 + static_cast<std::size_t>(data[0] % 16), (data[0] & 16) != 0,
                                   (data[0] & 32) != 0};
  frazil::net::CheckLimits(text, manner);
  frazil::net::CheckCuts(text, manner);
  return 0;
}
