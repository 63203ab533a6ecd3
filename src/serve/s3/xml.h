// SPDX-License-Identifier: Apache-2.0
// Text for XML bodies.
#pragma once

#include <string>
#include <string_view>

namespace frazil::serve::s3 {

// `text` as the content of an element. What XML 1.0 cannot hold (control characters, broken UTF-8)
// becomes '?'.
std::string XmlEscape(std::string_view text);

// "<name>escaped text</name>".
std::string XmlElement(std::string_view name, std::string_view text);

}  // namespace frazil::serve::s3
