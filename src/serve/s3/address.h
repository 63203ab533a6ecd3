// SPDX-License-Identifier: Apache-2.0
// Which bucket and key a request names, path-style or virtual-host style. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/uuid.h"

namespace frazil::serve::s3 {

struct ObjectAddress {
  // Empty for the service itself.
  std::string bucket;
  // Percent-decoded once, otherwise as sent; empty for the bucket itself.
  std::string key;
};

// A Host that begins with our bucket's name and a dot is virtual-host style, unless the path begins
// with the bucket as well (the endpoint itself may be called frazil.example).
// Errors: malformed_request for a broken escape.
Result<ObjectAddress> ParseAddress(std::string_view host, std::string_view raw_path);

// Whether a key, or the prefix of a listing, lies within that table's location:
// "speed/<name>/<uuid>" followed by a slash or nothing.
bool LiesWithin(std::string_view key, const Uuid& table_uuid);

}  // namespace frazil::serve::s3
