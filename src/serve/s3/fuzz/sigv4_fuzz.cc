// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "serve/s3/sigv4.h"

namespace {

std::string_view TakeUntil(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

// "METHOD path?query", lines of "name:value", an empty line, the body.
frazil::net::HttpRequest ReadRequest(std::string_view text) {
  frazil::net::HttpRequest request;
  std::string_view line = TakeUntil(text, '\n');
  request.method = TakeUntil(line, ' ');
  request.raw_path = TakeUntil(line, '?');
  request.raw_query = line;
  while (!text.empty()) {
    line = TakeUntil(text, '\n');
    if (line.empty()) break;
    const std::string_view name = TakeUntil(line, ':');
    request.headers.push_back({std::string(name), std::string(line)});
  }
  request.body = text;
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frazil::serve::s3;
  const auto request = ReadRequest(frazil::AsText({data, size}));
  // 2013-05-24T00:00:00Z, the time of the examples in the corpus.
  const frazil::UnixMillis now(1369353600000);
  const auto lookup = [](std::string_view) -> frazil::Result<SigningSecret> {
    return SigningSecret{"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "token"};
  };
  frazil::IgnoreError(VerifySignature(request, now, lookup));
  frazil::IgnoreError(CanonicalPath(request.raw_path));
  frazil::IgnoreError(CanonicalQuery(request.raw_query));
  return 0;
}
