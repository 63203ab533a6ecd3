// SPDX-License-Identifier: Apache-2.0
// The settings of a topic: those that the broker keeps to, and those that say nothing about a log
// without files. Any other is refused, so that nobody relies on what does not happen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frazil::kafka::broker {

struct TopicSettings {
  std::int32_t max_message_bytes = 1'048'588;
  bool log_append_time = false;
  // -1: no limit.
  std::int64_t retention_ms = -1;
  std::int64_t retention_bytes = -1;
  // Those that were given, by name.
  std::map<std::string, std::string> given;
};

// One setting with its value, or its default.
struct DescribedSetting {
  std::string_view name;
  std::string value;
  bool given = false;
};

// Takes one setting; what is wrong with it otherwise. `value` nullopt: back to the default.
std::optional<std::string> ApplySetting(const std::string& name,
                                        const std::optional<std::string>& value,
                                        TopicSettings& settings);

// All settings, in order of name.
std::vector<DescribedSetting> DescribeSettings(const TopicSettings& settings);

}  // namespace frazil::kafka::broker
