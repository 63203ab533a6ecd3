// SPDX-License-Identifier: Apache-2.0
#include "serve/catalog/page.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/encoding.h"

namespace frazil::serve::catalog {
namespace {

Result<std::int64_t> ParsePageSize(std::string_view text) {
  std::int64_t size = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (failure != std::errc() || end != text.data() + text.size() || size < 1) {
    return Error(ErrorCode::kInvalidArgument,
                 "pageSize must be a whole number above 0, not " + Printable(text));
  }
  return size;
}

}  // namespace

Result<NamePage> PageOf(const std::vector<std::string>& names, const QueryParameters& query) {
  const auto token = FindParameter(query, "pageToken");
  if (!token) return NamePage{names, std::nullopt};
  auto start = names.begin();
  if (!token->empty()) {
    const auto last = HexDecode(*token);
    if (!last) {
      return Error(ErrorCode::kInvalidArgument,
                   "pageToken must be one that an earlier page gave, not " + Printable(*token));
    }
    start = std::upper_bound(names.begin(), names.end(), AsText(*last));
  }
  auto end = names.end();
  const auto page_size = FindParameter(query, "pageSize");
  if (page_size && !page_size->empty()) {
    FRAZIL_ASSIGN_OR_RETURN(const std::int64_t size, ParsePageSize(*page_size));
    if (size < names.end() - start) end = start + size;
  }
  NamePage page{{start, end}, std::nullopt};
  if (end != names.end()) page.next_token = HexEncode(AsBytes(page.names.back()));
  return page;
}

}  // namespace frazil::serve::catalog
