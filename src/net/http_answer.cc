// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>

#include <boost/beast/http/status.hpp>

#include "net/ascii_internal.h"
#include "net/http_answer_internal.h"

namespace frazil::net {
namespace {

// Headers that only the server may set.
bool IsOurs(std::string_view name) {
  constexpr std::array<std::string_view, 5> kOurs = {"Content-Length", "Connection", "Date",
                                                     "Transfer-Encoding", "Keep-Alive"};
  return std::any_of(kOurs.begin(), kOurs.end(),
                     [name](std::string_view ours) { return EqualsIgnoringCase(name, ours); });
}

void AppendHeader(std::string_view name, std::string_view value, std::string& to) {
  to.append(name).append(": ").append(value).append("\r\n");
}

std::string TwoDigits(unsigned value) {
  return {static_cast<char>('0' + value / 10 % 10), static_cast<char>('0' + value % 10)};
}

}  // namespace

bool IsSendable(const HttpResponse& response) {
  if (response.status < 200 || response.status > 599) return false;
  for (const HttpHeader& header : response.headers) {
    if (!IsToken(header.name) || !IsHeaderValue(header.value)) return false;
    if (EqualsIgnoringCase(header.name, "Content-Length") && !ParseDecimal(header.value)) {
      return false;
    }
  }
  if (!response.slice) return true;
  const SharedSlice& slice = *response.slice;
  if (slice.bytes == nullptr) return slice.length == 0;
  return slice.begin <= slice.bytes->size() && slice.length <= slice.bytes->size() - slice.begin;
}

std::string_view BodyOf(const HttpResponse& response) {
  if (!response.slice) return response.body;
  const SharedSlice& slice = *response.slice;
  if (slice.bytes == nullptr) return {};
  return AsText(ByteView(*slice.bytes).subspan(slice.begin, slice.length));
}

bool MayHaveBody(int status) { return status != 204 && status != 304; }

std::string SerializeHead(const HttpResponse& response, const AnswerFrame& frame) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  const auto reason = boost::beast::http::obsolete_reason(
      boost::beast::http::int_to_status(static_cast<unsigned>(response.status)));
  head.append(reason.data(), reason.size()).append("\r\n");
  for (const HttpHeader& header : response.headers) {
    if (!IsOurs(header.name)) AppendHeader(header.name, header.value, head);
  }
  if (MayHaveBody(response.status)) {
    const auto given = FindHeader(response.headers, "Content-Length");
    AppendHeader(
        "Content-Length",
        frame.head_request && given ? std::string(*given) : std::to_string(BodyOf(response).size()),
        head);
  }
  AppendHeader("Date", frame.date, head);
  if (!frame.keep_alive) {
    AppendHeader("Connection", "close", head);
  } else if (frame.http10) {
    AppendHeader("Connection", "keep-alive", head);
  }
  return head.append("\r\n");
}

std::string FormatHttpDate(std::int64_t unix_seconds) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::sys_seconds moment{std::chrono::seconds(unix_seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(moment - day);
  std::string year = std::to_string(static_cast<int>(date.year()));
  year.insert(0, 4 - std::min<std::size_t>(year.size(), 4), '0');
  return std::string(kDays.at(std::chrono::weekday(day).c_encoding())) + ", " +
         TwoDigits(static_cast<unsigned>(date.day())) + " " +
         kMonths.at(static_cast<unsigned>(date.month()) - 1) + " " + year + " " +
         TwoDigits(static_cast<unsigned>(time.hours().count())) + ":" +
         TwoDigits(static_cast<unsigned>(time.minutes().count())) + ":" +
         TwoDigits(static_cast<unsigned>(time.seconds().count())) + " GMT";
}

}  // namespace frazil::net
