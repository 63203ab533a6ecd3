// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/encoding.h"
#include "kafka/broker/topic_settings_internal.h"

namespace frazil::kafka::broker {
namespace {

struct SettingRow {
  std::string_view name;
  std::string_view default_value;
  // The only values allowed, by comma; empty: whole numbers from `least` to `most`.
  std::string_view allowed;
  std::int64_t least = 0;
  std::int64_t most = 0;
};

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

// By name.
constexpr auto kRows = std::to_array<SettingRow>({
    {"cleanup.policy", "delete", "delete"},
    {"compression.type", "producer", "producer"},
    {"file.delete.delay.ms", "60000", "", 0, kInt64Max},
    {"flush.messages", "9223372036854775807", "", 1, kInt64Max},
    {"flush.ms", "9223372036854775807", "", 0, kInt64Max},
    {"max.message.bytes", "1048588", "", 0, kInt32Max},
    {"message.timestamp.type", "CreateTime", "CreateTime,LogAppendTime"},
    {"min.insync.replicas", "1", "1"},
    {"retention.bytes", "-1", "", -1, kInt64Max},
    {"retention.ms", "-1", "", -1, kInt64Max},
    {"segment.bytes", "1073741824", "", 14, kInt32Max},
    {"segment.ms", "604800000", "", 1, kInt64Max},
});

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

bool IsListed(std::string_view list, std::string_view value) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == value) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::optional<std::string> CheckValue(const SettingRow& row, const std::string& value) {
  if (!row.allowed.empty()) {
    if (IsListed(row.allowed, value)) return std::nullopt;
    return "The embedded broker knows no other " + std::string(row.name) + " than " +
           std::string(row.allowed) + ": " + Printable(value) + ".";
  }
  const auto number = ParseNumber(value);
  if (number.has_value() && *number >= row.least && *number <= row.most) return std::nullopt;
  return "The value of " + std::string(row.name) + " must be a whole number from " +
         std::to_string(row.least) + " to " + std::to_string(row.most) + ": " + Printable(value) +
         ".";
}

void Adopt(std::string_view name, const std::string& value, TopicSettings& settings) {
  const std::int64_t number = ParseNumber(value).value_or(0);
  if (name == "max.message.bytes") {
    settings.max_message_bytes = static_cast<std::int32_t>(number);
  } else if (name == "message.timestamp.type") {
    settings.log_append_time = value == "LogAppendTime";
  } else if (name == "retention.ms") {
    settings.retention_ms = number;
  } else if (name == "retention.bytes") {
    settings.retention_bytes = number;
  }
}

}  // namespace

std::optional<std::string> ApplySetting(const std::string& name,
                                        const std::optional<std::string>& value,
                                        TopicSettings& settings) {
  const auto* row = std::ranges::find(kRows, name, &SettingRow::name);
  if (row == kRows.end()) {
    return "The embedded broker has no topic setting of this name: " + Printable(name) + ".";
  }
  if (!value.has_value()) {
    settings.given.erase(name);
    Adopt(row->name, std::string(row->default_value), settings);
    return std::nullopt;
  }
  if (auto refusal = CheckValue(*row, *value); refusal.has_value()) return refusal;
  settings.given[name] = *value;
  Adopt(row->name, *value, settings);
  return std::nullopt;
}

std::vector<DescribedSetting> DescribeSettings(const TopicSettings& settings) {
  std::vector<DescribedSetting> described;
  for (const SettingRow& row : kRows) {
    const auto given = settings.given.find(std::string(row.name));
    const bool is_given = given != settings.given.end();
    described.push_back(
        {row.name, is_given ? given->second : std::string(row.default_value), is_given});
  }
  return described;
}

}  // namespace frazil::kafka::broker
