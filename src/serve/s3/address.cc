// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/address.h"

#include "base/encoding.h"
#include "table/table_catalog.h"

namespace frazil::serve::s3 {
namespace {

bool HostNamesBucket(std::string_view host) {
  if (host.size() <= table::kBucket.size() || host[table::kBucket.size()] != '.') return false;
  for (std::size_t i = 0; i < table::kBucket.size(); ++i) {
    const char c = host[i] >= 'A' && host[i] <= 'Z' ? static_cast<char>(host[i] + 32) : host[i];
    if (c != table::kBucket[i]) return false;
  }
  return true;
}

}  // namespace

Result<ObjectAddress> ParseAddress(std::string_view host, std::string_view raw_path) {
  auto path = PercentDecode(raw_path);
  if (!path) {
    return Error(ErrorCode::kMalformedRequest,
                 "the path has a broken percent escape: " + Printable(raw_path));
  }
  std::string_view rest = *path;
  if (rest.starts_with('/')) rest.remove_prefix(1);
  const auto slash = rest.find('/');
  const std::string_view first = rest.substr(0, slash);
  if (HostNamesBucket(host) && first != table::kBucket) {
    return ObjectAddress{std::string(table::kBucket), std::string(rest)};
  }
  if (slash == std::string_view::npos) return ObjectAddress{std::string(first), ""};
  return ObjectAddress{std::string(first), std::string(rest.substr(slash + 1))};
}

bool LiesWithin(std::string_view key, const Uuid& table_uuid) {
  const auto first = key.find('/');
  if (first == std::string_view::npos) return false;
  const auto second = key.find('/', first + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view rest = key.substr(second + 1);
  return rest.substr(0, rest.find('/')) == table_uuid.ToString();
}

}  // namespace frazil::serve::s3
