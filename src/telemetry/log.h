// SPDX-License-Identifier: Apache-2.0
// Log events: a fixed name and fields, written to one stream as text or JSON lines.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace frazil::telemetry {

enum class LogLevel { kDebug, kInfo, kWarn, kError };
enum class LogFormat { kText, kJson };

struct LogField {
  std::string_view key;
  std::variant<std::string_view, std::int64_t, double, bool> value;

  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const std::string& text)
      : key(name), value(std::string_view(text)) {}
  LogField(std::string_view name, const char* text) : key(name), value(std::string_view(text)) {}
  LogField(std::string_view name, std::int64_t number) : key(name), value(number) {}
  LogField(std::string_view name, int number) : key(name), value(std::int64_t{number}) {}
  LogField(std::string_view name, double number) : key(name), value(number) {}
  LogField(std::string_view name, bool truth) : key(name), value(truth) {}
};

// Threads: Event may be called from any thread. An event whose level is off costs one comparison.
class Logger {
 public:
  // Takes a whole line, newline included.
  using Sink = std::function<void(std::string_view line)>;

  virtual ~Logger() = default;
  // `name` is snake_case and constant ("listener_started"); run-time values are fields.
  virtual void Event(LogLevel level, std::string_view name,
                     std::initializer_list<LogField> fields) = 0;
  virtual bool Enabled(LogLevel level) const = 0;
};

// Writes to standard error.
std::unique_ptr<Logger> MakeStderrLogger(LogLevel level, LogFormat format);
// Writes to `sink`, one line at a time; for tests.
std::unique_ptr<Logger> MakeLogger(LogLevel level, LogFormat format, Logger::Sink sink);

}  // namespace frazil::telemetry
