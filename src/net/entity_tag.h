// SPDX-License-Identifier: Apache-2.0
// Entity tags in conditional requests. Spec: RFC 9110 section 8.8.3 and 13.1.
#pragma once

#include <cstdint>
#include <string_view>

namespace frazil::net {

// Strong: a tag that is marked weak (W/) equals none.
enum class TagComparison : std::uint8_t { kStrong, kWeak };

// Whether a list of tags, as If-Match and If-None-Match have it, names `tag`, which is given
// without quotes; "*" names every tag. Tags without quotes, which clients of S3 send, count too;
// what cannot be read names nothing.
bool NamesTag(std::string_view list, std::string_view tag, TagComparison comparison);

}  // namespace frazil::net
