// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/check.h"
#include "cli/answer_text.h"
#include "cli/text_table.h"

// The input is what a server, or something else at its address, answered.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body = frazil::AsText({data, size});
  for (const auto& text : {frazil::cli::TopicsText(body), frazil::cli::TablesText(body),
                           frazil::cli::TableText(body), frazil::cli::StatusText(body)}) {
    // Nothing that a terminal acts on is left, but for the ends of lines.
    if (!text.ok()) continue;
    for (const char c : *text) FRAZIL_CHECK(c == '\n' || static_cast<std::uint8_t>(c) >= 0x20);
  }
  const frazil::Error error = frazil::cli::ErrorOf(body, 500);
  FRAZIL_CHECK(!error.message().empty() || body.size() > 0);
  FRAZIL_CHECK(frazil::cli::Escaped(frazil::cli::Escaped(body)) == frazil::cli::Escaped(body));
  return 0;
}
