// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/byte_range.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace frazil::serve::s3 {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// Too large numbers become kMost, which lies outside every object; nullopt unless digits only.
std::optional<std::int64_t> ParsePosition(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const int digit = c - '0';
    value = value > (kMost - digit) / 10 ? kMost : value * 10 + digit;
  }
  return value;
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

bool TakeUnit(std::string_view& text) {
  constexpr std::string_view kUnit = "bytes=";
  if (text.size() < kUnit.size()) return false;
  for (std::size_t i = 0; i < kUnit.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != kUnit[i]) return false;
  }
  text.remove_prefix(kUnit.size());
  return true;
}

ByteRange Suffix(std::int64_t wanted, std::int64_t size) {
  const std::int64_t length = std::min(wanted, size);
  if (length == 0) return {RangeKind::kUnsatisfiable, 0, 0};
  return {RangeKind::kPart, size - length, length};
}

}  // namespace

ByteRange ParseByteRange(std::string_view header, std::int64_t size) {
  const ByteRange whole{RangeKind::kWhole, 0, size};
  std::string_view text = Trim(header);
  if (!TakeUnit(text)) return whole;
  text = Trim(text);
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return whole;
  const std::string_view first_text = text.substr(0, dash);
  const std::string_view last_text = text.substr(dash + 1);
  if (first_text.empty()) {
    const auto wanted = ParsePosition(last_text);
    return wanted ? Suffix(*wanted, size) : whole;
  }
  const auto first = ParsePosition(first_text);
  const auto last = last_text.empty() ? std::optional(kMost) : ParsePosition(last_text);
  if (!first || !last || *first > *last) return whole;
  if (*first >= size) return {RangeKind::kUnsatisfiable, 0, 0};
  return {RangeKind::kPart, *first, std::min(*last, size - 1) - *first + 1};
}

std::string ContentRange(const ByteRange& range, std::int64_t size) {
  const std::string total = "/" + std::to_string(size);
  if (range.kind == RangeKind::kUnsatisfiable) return "bytes *" + total;
  return "bytes " + std::to_string(range.begin) + "-" +
         std::to_string(range.begin + range.length - 1) + total;
}

}  // namespace frazil::serve::s3
