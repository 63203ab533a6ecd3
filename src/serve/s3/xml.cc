// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/xml.h"

#include "base/encoding.h"

namespace frazil::serve::s3 {

std::string XmlEscape(std::string_view text) {
  const bool utf8 = IsUtf8(AsBytes(text));
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '\t' || c == '\n' || c == '\r') {
      escaped += c == '\t' ? "&#x9;" : c == '\n' ? "&#xA;" : "&#xD;";
    } else if (byte < 0x20 || (byte >= 0x80 && !utf8)) {
      escaped += '?';
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string XmlElement(std::string_view name, std::string_view text) {
  return "<" + std::string(name) + ">" + XmlEscape(text) + "</" + std::string(name) + ">";
}

}  // namespace frazil::serve::s3
