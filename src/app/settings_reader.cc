// SPDX-License-Identifier: Apache-2.0
#include "app/settings_reader.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "base/encoding.h"
#include "table/object_names.h"

namespace frazil::app {
namespace {

constexpr std::uintmax_t kLargestFile = 1 << 20;

const SettingRow* FindRow(std::string_view name) {
  for (const SettingRow& row : SettingTable()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::size_t EditDistance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t substituted = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

Error Refuse(std::string message) { return Error(ErrorCode::kConfigInvalid, std::move(message)); }

struct Unit {
  std::string_view suffix;
  std::int64_t factor;
};
constexpr Unit kDurationUnits[] = {{"ms", 1}, {"s", 1000}, {"min", 60'000}, {"h", 3'600'000}};
constexpr Unit kSizeUnits[] = {{"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}};

// A whole number and, where `units` has any, a unit behind it; nullopt for anything else.
std::optional<std::int64_t> ParseNumber(std::string_view text, std::span<const Unit> units) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || number < 0) return std::nullopt;
  const std::string_view suffix(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  if (suffix.empty()) return number;
  for (const Unit& unit : units) {
    if (unit.suffix != suffix) continue;
    if (number > std::numeric_limits<std::int64_t>::max() / unit.factor) return std::nullopt;
    return number * unit.factor;
  }
  return std::nullopt;
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

bool IsAllowed(std::string_view allowed, std::string_view value) {
  if (allowed.empty()) return true;
  while (!allowed.empty()) {
    const std::size_t bar = std::min(allowed.find('|'), allowed.size());
    if (allowed.substr(0, bar) == value) return true;
    allowed.remove_prefix(std::min(bar + 1, allowed.size()));
  }
  return false;
}

Status ApplyNumber(Settings& settings, const SettingRow& row, const std::string& text) {
  const std::span<const Unit> units = row.type == SettingType::kDuration ? kDurationUnits
                                      : row.type == SettingType::kBytes
                                          ? std::span<const Unit>(kSizeUnits)
                                          : std::span<const Unit>();
  const std::optional<std::int64_t> number = ParseNumber(text, units);
  if (!number) {
    std::string form = "a whole number";
    if (row.type == SettingType::kDuration) form += " with ms, s, min or h";
    if (row.type == SettingType::kBytes) form += " of bytes, or with KiB, MiB or GiB";
    return Refuse(fmt::format("setting {} takes {}, not {}", row.name, form, Printable(text)));
  }
  if (*number < row.minimum || *number > row.maximum) {
    const std::string_view unit = row.type == SettingType::kDuration ? "ms" : "";
    return Refuse(fmt::format("setting {} lies between {}{} and {}{}; it was given as {}", row.name,
                              row.minimum, unit, row.maximum, unit, Printable(text)));
  }
  if (row.duration != nullptr) {
    settings.*row.duration = std::chrono::milliseconds(*number);
  } else {
    settings.*row.number = *number;
  }
  return {};
}

Status Apply(Settings& settings, const std::string& name, const std::string& text) {
  const SettingRow* row = FindRow(name);
  if (row == nullptr) {
    return Refuse(fmt::format("there is no setting {}{}", Printable(name), NearestSetting(name)));
  }
  switch (row->type) {
    case SettingType::kString:
      if (!IsAllowed(row->allowed, text)) {
        return Refuse(fmt::format("setting {} is one of {}, not {}", row->name, row->allowed,
                                  Printable(text)));
      }
      settings.*row->text = text;
      return {};
    case SettingType::kList:
      settings.*row->list = SplitList(text);
      return {};
    case SettingType::kFlag:
      if (text != "true" && text != "false") {
        return Refuse(
            fmt::format("setting {} is true or false, not {}", row->name, Printable(text)));
      }
      settings.*row->flag = text == "true";
      return {};
    case SettingType::kInteger:
    case SettingType::kBytes:
    case SettingType::kDuration:
      return ApplyNumber(settings, *row, text);
  }
  return Error(ErrorCode::kInternal, "a setting has a type without a reader");
}

Status CheckRequired(const Settings& settings) {
  for (const SettingRow& row : SettingTable()) {
    if (!row.required) continue;
    const bool missing = row.text != nullptr   ? (settings.*row.text).empty()
                         : row.list != nullptr ? (settings.*row.list).empty()
                                               : false;
    if (missing) {
      return Refuse(
          fmt::format("setting {0} is missing: {1} Give --{0}, or {0} in the file that "
                      "--config names",
                      row.name, row.description));
    }
  }
  return {};
}

Status CheckTopics(const Settings& settings) {
  std::set<std::string> seen;
  for (const std::string& topic : settings.topics) {
    if (!table::IsTopicName(topic)) {
      return Refuse("setting topics holds what Kafka does not allow as a topic's name: " +
                    Printable(topic));
    }
    if (!seen.insert(topic).second) return Refuse("setting topics names a topic twice: " + topic);
  }
  return {};
}

// "line 3: ".
std::string LineOf(const YAML::Node& node) {
  return node.Mark().is_null() ? std::string() : fmt::format("line {}: ", node.Mark().line + 1);
}

Result<std::string> TextOf(const std::string& name, const YAML::Node& node) {
  if (node.IsScalar()) return node.Scalar();
  if (node.IsNull()) return std::string();
  if (node.IsSequence()) {
    std::string list;
    for (const YAML::Node& item : node) {
      if (!item.IsScalar()) {
        return Refuse(LineOf(item) + "the list of " + name + " holds something that is no text");
      }
      if (!list.empty()) list += ',';
      list += item.Scalar();
    }
    return list;
  }
  return Refuse(LineOf(node) + "the value of " + name + " is neither a text nor a list");
}

Result<SettingTexts> ReadMap(const YAML::Node& root) {
  SettingTexts texts;
  if (root.IsNull()) return texts;
  if (!root.IsMap()) return Refuse("a file of settings is a map of `name: value`");
  for (const auto& entry : root) {
    if (!entry.first.IsScalar()) return Refuse(LineOf(entry.first) + "a key is no text");
    const std::string& name = entry.first.Scalar();
    if (FindRow(name) == nullptr) {
      return Refuse(fmt::format("{}there is no setting {}{}", LineOf(entry.first), Printable(name),
                                NearestSetting(name)));
    }
    FRAZIL_ASSIGN_OR_RETURN(std::string text, TextOf(name, entry.second));
    if (!texts.emplace(name, std::move(text)).second) {
      return Refuse(LineOf(entry.first) + "the setting stands twice: " + name);
    }
  }
  return texts;
}

}  // namespace

std::string NearestSetting(std::string_view unknown) {
  constexpr std::size_t kFurthest = 3;
  std::size_t nearest = kFurthest + 1;
  std::string_view name;
  for (const SettingRow& row : SettingTable()) {
    const std::size_t distance = EditDistance(unknown, row.name);
    if (distance < nearest && distance < row.name.size()) {
      nearest = distance;
      name = row.name;
    }
  }
  return name.empty() ? std::string() : fmt::format("; did you mean {}?", name);
}

Result<SettingTexts> ReadSettingsFile(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return Refuse(fmt::format("cannot read {}: {}", path, error.message()));
  if (size > kLargestFile) return Refuse("a file of settings has at most 1 MiB: " + path);
  try {
    auto texts = ReadMap(YAML::LoadFile(path));
    return texts.ok() ? std::move(texts) : texts.error().Within(path);
  } catch (const YAML::Exception& exception) {
    return Refuse(fmt::format("{} cannot be read as YAML: {}", path, exception.what()));
  }
}

Result<Settings> MakeSettings(const SettingTexts& file, const SettingTexts& flags) {
  Settings settings;
  for (const SettingTexts* texts : {&file, &flags}) {
    for (const auto& [name, text] : *texts) FRAZIL_RETURN_IF_ERROR(Apply(settings, name, text));
  }
  FRAZIL_RETURN_IF_ERROR(CheckRequired(settings));
  FRAZIL_RETURN_IF_ERROR(CheckTopics(settings));
  return settings;
}

}  // namespace frazil::app
