// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/dates.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include <fmt/format.h>

namespace frazil::serve::s3 {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

// The digits at [at, at + count); nullopt if one is no digit. Requires: in bounds, count < 10.
std::optional<int> Digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

struct Fields {
  std::optional<int> year, month, day, hour, minute, second;
};

std::optional<UnixMillis> ToMillis(const Fields& f) {
  if (!f.year || !f.month || !f.day || !f.hour || !f.minute || !f.second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*f.year),
                                         std::chrono::month(static_cast<unsigned>(*f.month)),
                                         std::chrono::day(static_cast<unsigned>(*f.day)));
  if (!date.ok() || *f.hour > 23 || *f.minute > 59 || *f.second > 60) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds =
      std::int64_t{days} * 86400 + *f.hour * 3600 + *f.minute * 60 + *f.second;
  return UnixMillis(seconds * 1000);
}

struct Moment {
  std::chrono::year_month_day date;
  unsigned weekday;
  std::int64_t millis_of_day;
};

Moment Split(UnixMillis moment) {
  const std::chrono::sys_time<std::chrono::milliseconds> time(
      std::chrono::milliseconds(moment.value()));
  const auto day = std::chrono::floor<std::chrono::days>(time);
  return {std::chrono::year_month_day(day), std::chrono::weekday(day).c_encoding(),
          (time - day).count()};
}

}  // namespace

std::optional<UnixMillis> ParseBasicDate(std::string_view text) {
  constexpr std::size_t kLength = 16;
  if (text.size() != kLength || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  return ToMillis({Digits(text, 0, 4), Digits(text, 4, 2), Digits(text, 6, 2), Digits(text, 9, 2),
                   Digits(text, 11, 2), Digits(text, 13, 2)});
}

std::optional<UnixMillis> ParseHttpDate(std::string_view text) {
  constexpr std::size_t kLength = 29;
  if (text.size() != kLength || text.substr(3, 2) != ", " || text[7] != ' ' || text[11] != ' ' ||
      text[16] != ' ' || text[19] != ':' || text[22] != ':' || text.substr(25) != " GMT") {
    return std::nullopt;
  }
  const auto* const month = std::find(kMonths.begin(), kMonths.end(), text.substr(8, 3));
  if (month == kMonths.end()) return std::nullopt;
  return ToMillis({Digits(text, 12, 4), static_cast<int>(month - kMonths.begin()) + 1,
                   Digits(text, 5, 2), Digits(text, 17, 2), Digits(text, 20, 2),
                   Digits(text, 23, 2)});
}

std::string FormatHttpDate(UnixMillis moment) {
  const Moment m = Split(moment);
  const std::int64_t second = m.millis_of_day / 1000;
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[m.weekday],
                     unsigned{m.date.day()}, kMonths[unsigned{m.date.month()} - 1],
                     int{m.date.year()}, second / 3600, second / 60 % 60, second % 60);
}

std::string FormatIsoDate(UnixMillis moment) {
  const Moment m = Split(moment);
  const std::int64_t second = m.millis_of_day / 1000;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", int{m.date.year()},
                     unsigned{m.date.month()}, unsigned{m.date.day()}, second / 3600,
                     second / 60 % 60, second % 60, m.millis_of_day % 1000);
}

}  // namespace frazil::serve::s3
