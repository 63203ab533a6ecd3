// SPDX-License-Identifier: Apache-2.0
// gzip for answers, where the client asks for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace frazil::serve::catalog {

// Whether an Accept-Encoding header takes gzip (RFC 9110 12.5.3). Broken parts count as absent.
bool AcceptsGzip(std::string_view accept_encoding);

// The same input gives the same bytes. nullopt when zlib has no memory.
std::optional<std::string> Gzip(std::string_view text);

}  // namespace frazil::serve::catalog
