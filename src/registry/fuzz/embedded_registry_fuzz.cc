// SPDX-License-Identifier: Apache-2.0
// Requests to one embedded registry, each "METHOD target\nbody", with a zero byte between.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "registry/embedded_registry.h"

namespace {

// What stands before `end`, which is taken away with it.
std::string_view TakeUntil(char end, std::string_view& text) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = frazil::AsText({data, size});
  const auto registry = frazil::registry::MakeEmbeddedRegistry(
      {.schema_bytes = 4000, .most_subjects = 10, .most_versions = 20, .memory_bytes = 20'000});
  const frazil::net::RequestContext context{
      .stop = {}, .deadline = frazil::Deadline::After(std::chrono::seconds(60)), .peer = ""};
  while (!rest.empty()) {
    std::string_view call = TakeUntil('\0', rest);
    std::string_view line = TakeUntil('\n', call);
    frazil::net::HttpRequest request;
    request.method = TakeUntil(' ', line);
    request.raw_path = TakeUntil('?', line);
    request.raw_query = line;
    request.body = call;
    static_cast<void>(registry->Handle(request, context));
  }
  return 0;
}
