// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "registry/registry_answers_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto body = frazil::AsText({data, size});
  const frazil::registry::AnswerLimits limits{.schema_bytes = 1000, .references = 5, .versions = 5};
  frazil::IgnoreError(frazil::registry::ParseSchemaAnswer(body, limits));
  frazil::IgnoreError(frazil::registry::ParseVersionList(body, limits));
  static_cast<void>(frazil::registry::ParseErrorCode(body));
  return 0;
}
