// SPDX-License-Identifier: Apache-2.0
#include "serve/catalog/content_coding.h"

#include <algorithm>
#include <cctype>
#include <zlib.h>

namespace frazil::serve::catalog {
namespace {

std::string_view Trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// "q=0", "q=0.0", "q=0.00", "q=0.000" refuse; anything else accepts.
bool Refuses(std::string_view parameters) {
  std::string compact;
  for (char c : Lower(parameters)) {
    if (c != ' ' && c != '\t') compact += c;
  }
  return compact == "q=0" ||
         (compact.starts_with("q=0.") && compact.find_first_not_of('0', 4) == std::string::npos);
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  bool accepts = false;
  while (!accept_encoding.empty()) {
    const auto comma = accept_encoding.find(',');
    const std::string_view part = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(comma == std::string_view::npos ? part.size() : comma + 1);
    const auto semicolon = part.find(';');
    const std::string coding = Lower(Trim(part.substr(0, semicolon)));
    const bool refused = semicolon != std::string_view::npos && Refuses(part.substr(semicolon + 1));
    // What is said of gzip itself wins over "*".
    if (coding == "gzip" || coding == "x-gzip") return !refused;
    if (coding == "*") accepts = !refused;
  }
  return accepts;
}

std::optional<std::string> Gzip(std::string_view text) {
  constexpr int kGzipWindow = 15 + 16;
  constexpr int kMemoryLevel = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string compressed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  const int outcome = deflate(&stream, Z_FINISH);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  if (outcome != Z_STREAM_END) return std::nullopt;
  return compressed;
}

}  // namespace frazil::serve::catalog
