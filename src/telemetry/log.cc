// SPDX-License-Identifier: Apache-2.0
#include "telemetry/log.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/mutex.h"

namespace frazil::telemetry {
namespace {

// A longer value is cut; a line stays well below what log collectors accept.
constexpr std::size_t kLongestValue = 4096;
constexpr std::string_view kCutMark = "...";

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

void AppendPadded(int value, int width, std::string& to) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  for (auto have = end - digits; have < width; ++have) to.push_back('0');
  to.append(digits, end);
}

// RFC 3339 in UTC with milliseconds.
void AppendTime(std::chrono::system_clock::time_point now, std::string& to) {
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(now);
  const auto day = std::chrono::floor<std::chrono::days>(millis);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(millis - day);
  AppendPadded(static_cast<int>(date.year()), 4, to);
  to.push_back('-');
  AppendPadded(static_cast<int>(static_cast<unsigned>(date.month())), 2, to);
  to.push_back('-');
  AppendPadded(static_cast<int>(static_cast<unsigned>(date.day())), 2, to);
  to.push_back('T');
  AppendPadded(static_cast<int>(time.hours().count()), 2, to);
  to.push_back(':');
  AppendPadded(static_cast<int>(time.minutes().count()), 2, to);
  to.push_back(':');
  AppendPadded(static_cast<int>(time.seconds().count()), 2, to);
  to.push_back('.');
  AppendPadded(static_cast<int>(time.subseconds().count()), 3, to);
  to.push_back('Z');
}

struct Character {
  char32_t code = 0;
  // 0 when the bytes at this place are no UTF-8.
  std::size_t length = 0;
};

Character DecodeUtf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

// Control characters, line and paragraph separators, and marks that turn the direction of text.
bool IsUnsafe(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200E && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

void AppendHex(std::string_view prefix, unsigned value, int digits, std::string& to) {
  to.append(prefix);
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    to.push_back("0123456789abcdef"[(value >> shift) & 0xFU]);
  }
}

// The inside of a quoted string, good for JSON and for text. A byte that is no UTF-8 becomes
// U+FFFD in JSON, which can hold nothing else, and \xNN in text.
void AppendEscaped(std::string_view text, LogFormat format, std::string& to) {
  const std::size_t start = to.size();
  while (!text.empty()) {
    if (to.size() - start >= kLongestValue) {
      to.append(kCutMark);
      return;
    }
    const Character character = DecodeUtf8(text);
    if (character.length == 0) {
      if (format == LogFormat::kJson) {
        to.append("\\ufffd");
      } else {
        AppendHex("\\x", static_cast<unsigned char>(text[0]), 2, to);
      }
      text.remove_prefix(1);
      continue;
    }
    if (character.code == '"' || character.code == '\\') {
      to.push_back('\\');
      to.push_back(text[0]);
    } else if (character.code == '\n') {
      to.append("\\n");
    } else if (IsUnsafe(character.code)) {
      AppendHex("\\u", static_cast<unsigned>(character.code), 4, to);
    } else {
      to.append(text.substr(0, character.length));
    }
    text.remove_prefix(character.length);
  }
}

void AppendQuoted(std::string_view text, LogFormat format, std::string& to) {
  to.push_back('"');
  AppendEscaped(text, format, to);
  to.push_back('"');
}

bool IsBareWord(std::string_view text) {
  if (text.empty() || text.size() > kLongestValue) return false;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~/:@+,%[]").find(c) != std::string_view::npos;
    if (!plain) return false;
  }
  return true;
}

void AppendString(std::string_view text, LogFormat format, std::string& to) {
  if (format == LogFormat::kText && IsBareWord(text)) {
    to.append(text);
  } else {
    AppendQuoted(text, format, to);
  }
}

void AppendNumber(double number, LogFormat format, std::string& to) {
  if (!std::isfinite(number)) {
    AppendQuoted(std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity", format, to);
    return;
  }
  char digits[32];
  to.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

struct ValueAppender {
  LogFormat format;
  std::string& to;

  void operator()(std::string_view text) const { AppendString(text, format, to); }
  void operator()(std::int64_t number) const { to.append(std::to_string(number)); }
  void operator()(double number) const { AppendNumber(number, format, to); }
  void operator()(bool truth) const { to.append(truth ? "true" : "false"); }
};

std::string FormatText(LogLevel level, std::string_view name,
                       std::initializer_list<LogField> fields) {
  std::string line;
  AppendTime(std::chrono::system_clock::now(), line);
  line.push_back(' ');
  line.append(LevelName(level));
  line.push_back(' ');
  AppendString(name, LogFormat::kText, line);
  for (const LogField& field : fields) {
    line.push_back(' ');
    AppendString(field.key, LogFormat::kText, line);
    line.push_back('=');
    std::visit(ValueAppender{LogFormat::kText, line}, field.value);
  }
  line.push_back('\n');
  return line;
}

std::string FormatJson(LogLevel level, std::string_view name,
                       std::initializer_list<LogField> fields) {
  std::string line = "{\"time\":\"";
  AppendTime(std::chrono::system_clock::now(), line);
  line.append("\",\"level\":");
  AppendQuoted(LevelName(level), LogFormat::kJson, line);
  line.append(",\"event\":");
  AppendQuoted(name, LogFormat::kJson, line);
  for (const LogField& field : fields) {
    line.push_back(',');
    AppendQuoted(field.key, LogFormat::kJson, line);
    line.push_back(':');
    std::visit(ValueAppender{LogFormat::kJson, line}, field.value);
  }
  line.append("}\n");
  return line;
}

class LineLogger final : public Logger {
 public:
  LineLogger(LogLevel level, LogFormat format, Sink sink)
      : level_(level), format_(format), sink_(std::move(sink)) {}

  bool Enabled(LogLevel level) const override { return level >= level_; }

  void Event(LogLevel level, std::string_view name,
             std::initializer_list<LogField> fields) override {
    if (!Enabled(level)) return;
    // A log that fails must not take the work down that it reports on.
    try {
      const std::string line = format_ == LogFormat::kJson ? FormatJson(level, name, fields)
                                                           : FormatText(level, name, fields);
      MutexLock lock(mutex_);
      sink_(line);
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }

 private:
  const LogLevel level_;
  const LogFormat format_;
  Mutex mutex_;
  Sink sink_ FRAZIL_GUARDED_BY(mutex_);
};

// Gives up on the rest of a line when standard error is closed, or full for a second.
void WriteToStderr(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    if (written >= 0) {
      line.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd entry{STDERR_FILENO, POLLOUT, 0};
      if (::poll(&entry, 1, 1000) <= 0) return;
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

std::unique_ptr<Logger> MakeStderrLogger(LogLevel level, LogFormat format) {
  return std::make_unique<LineLogger>(level, format, WriteToStderr);
}

std::unique_ptr<Logger> MakeLogger(LogLevel level, LogFormat format, Logger::Sink sink) {
  return std::make_unique<LineLogger>(level, format, std::move(sink));
}

}  // namespace frazil::telemetry
