// SPDX-License-Identifier: Apache-2.0
#include "cli/text_table.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/encoding.h"

namespace frazil::cli {
namespace {

// The length of the well-formed UTF-8 character that `text` begins with; 0 when there is none.
std::size_t CharacterLength(std::string_view text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length) {
    if (IsUtf8(AsBytes(text.substr(0, length)))) return length;
  }
  return 0;
}

std::uint32_t CodePoint(std::string_view character) {
  constexpr std::uint32_t kFirstByteMasks[] = {0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t point =
      static_cast<std::uint8_t>(character[0]) & kFirstByteMasks[character.size() - 1];
  for (const char c : character.substr(1)) {
    point = point << 6 | (static_cast<std::uint8_t>(c) & 0x3F);
  }
  return point;
}

bool IsUnsafe(std::uint32_t point) {
  const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
  const bool line_end = point == 0x2028 || point == 0x2029;
  const bool direction = point == 0x061C || point == 0x200E || point == 0x200F ||
                         (point >= 0x202A && point <= 0x202E) ||
                         (point >= 0x2066 && point <= 0x2069);
  return control || line_end || direction;
}

std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<std::uint8_t>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string Escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    if (length == 0) {
      escaped += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const std::string_view character = text.substr(0, length);
    const std::uint32_t point = CodePoint(character);
    if (!IsUnsafe(point)) {
      escaped += character;
    } else {
      escaped += point < 0x100 ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{:04x}", point);
    }
    text.remove_prefix(length);
  }
  return escaped;
}

std::string TimeText(std::int64_t unix_millis) {
  constexpr std::int64_t kFirst = -62'135'596'800'000;  // 0001-01-01
  constexpr std::int64_t kLast = 253'402'300'799'999;   // 9999-12-31
  if (unix_millis < kFirst || unix_millis > kLast) return std::to_string(unix_millis);
  using std::chrono::milliseconds;
  const std::chrono::sys_time<milliseconds> time{milliseconds(unix_millis)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::int64_t rest = (time - day).count();
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     rest / 3'600'000, rest / 60'000 % 60, rest / 1000 % 60, rest % 1000);
}

std::string AgeText(std::int64_t millis) {
  const std::int64_t seconds = std::max<std::int64_t>(0, millis / 1000);
  if (seconds >= 86'400) return fmt::format("{}d {}h", seconds / 86'400, seconds / 3600 % 24);
  if (seconds >= 3600) return fmt::format("{}h {}m", seconds / 3600, seconds / 60 % 60);
  if (seconds >= 60) return fmt::format("{}m {}s", seconds / 60, seconds % 60);
  return fmt::format("{}s", seconds);
}

void TextTable::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = Escaped(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::ToString(std::string_view indent) const {
  std::vector<std::size_t> widths(rows_[0].size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    text += indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] - WidthOf(row[i]) + 2, ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace frazil::cli
