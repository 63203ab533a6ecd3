// SPDX-License-Identifier: Apache-2.0
// Pages of a sorted list of names. Spec: Apache Iceberg REST Catalog OpenAPI, pageToken, pageSize.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/http.h"

namespace frazil::serve::catalog {

using net::FindParameter;
using net::QueryParameters;

struct NamePage {
  std::vector<std::string> names;
  // The token of the next page; nullopt on the last one.
  std::optional<std::string> next_token;
};

// The page of `names` (sorted by byte, no two alike) that the query asks for: all of them unless a
// pageToken is given, which may be empty for the first page. A token says after which name the page
// starts, so names that come or go in between neither repeat nor hide others.
// Errors: invalid_argument.
Result<NamePage> PageOf(const std::vector<std::string>& names, const QueryParameters& query);

}  // namespace frazil::serve::catalog
