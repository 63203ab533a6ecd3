// SPDX-License-Identifier: Apache-2.0
#include "net/http.h"

#include <algorithm>

#include "base/encoding.h"
#include "net/ascii_internal.h"

namespace frazil::net {

std::optional<std::string_view> FindHeader(const HttpHeaders& headers, std::string_view name) {
  for (const HttpHeader& header : headers) {
    if (EqualsIgnoringCase(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::size_t CountHeaders(const HttpHeaders& headers, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(
      headers.begin(), headers.end(),
      [name](const HttpHeader& header) { return EqualsIgnoringCase(header.name, name); }));
}

Result<QueryParameters> ParseQuery(std::string_view raw_query, bool plus_is_space) {
  QueryParameters parameters;
  while (!raw_query.empty()) {
    const std::size_t end = std::min(raw_query.find('&'), raw_query.size());
    const std::string_view part = raw_query.substr(0, end);
    raw_query.remove_prefix(std::min(end + 1, raw_query.size()));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    auto name = PercentDecode(part.substr(0, equals), plus_is_space);
    auto value = PercentDecode(part.substr(std::min(equals + 1, part.size())), plus_is_space);
    if (!name || !value) {
      return Error(ErrorCode::kMalformedRequest,
                   "A query parameter has a broken percent escape; write a percent sign as %25: " +
                       Printable(part));
    }
    parameters.emplace_back(*std::move(name), *std::move(value));
  }
  return parameters;
}

std::optional<std::string_view> FindParameter(const QueryParameters& query, std::string_view name) {
  const auto found = std::find_if(query.begin(), query.end(), [name](const auto& parameter) {
    return parameter.first == name;
  });
  if (found == query.end()) return std::nullopt;
  return found->second;
}

}  // namespace frazil::net
