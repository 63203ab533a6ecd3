// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/check.h"
#include "net/entity_tag.h"
#include "serve/catalog/content_coding.h"
#include "serve/catalog/route.h"

// The input is a request's path; as it is free text, it also stands in for the headers.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = frazil::AsText({data, size});
  const auto route = frazil::serve::catalog::ParseRoute(text);
  if (route.ok()) FRAZIL_CHECK(!frazil::serve::catalog::AllowedMethods(route->kind).empty());
  frazil::serve::catalog::AcceptsGzip(text);
  for (const auto comparison :
       {frazil::net::TagComparison::kStrong, frazil::net::TagComparison::kWeak}) {
    frazil::net::NamesTag(text, "a", comparison);
  }
  return 0;
}
