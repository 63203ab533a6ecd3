// SPDX-License-Identifier: Apache-2.0
#include "app/settings_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "app/nearest_name.h"
#include "base/encoding.h"
#include "table/topic_selection.h"

namespace frazil::app {
namespace {

const SettingRow* FindRow(std::string_view name) {
  for (const SettingRow& row : SettingTable()) {
    if (row.name == name) return &row;
  }
  return nullptr;
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

}  // namespace

std::string NearestSetting(std::string_view unknown) {
  std::vector<std::string_view> names;
  for (const SettingRow& row : SettingTable()) names.push_back(row.name);
  return DidYouMean(unknown, names);
}

Status CheckText(const std::string& name, const std::string& text) {
  Settings unused;
  return Apply(unused, name, text);
}

std::optional<SettingType> TypeOfSetting(std::string_view name) {
  const SettingRow* row = FindRow(name);
  return row == nullptr ? std::nullopt : std::optional(row->type);
}

Result<Settings> MakeSettings(const SettingTexts& file, const SettingTexts& flags) {
  Settings settings;
  for (const SettingTexts* texts : {&file, &flags}) {
    for (const auto& [name, text] : *texts) FRAZIL_RETURN_IF_ERROR(Apply(settings, name, text));
  }
  FRAZIL_RETURN_IF_ERROR(CheckRequired(settings));
  FRAZIL_RETURN_IF_ERROR(table::TopicSelection::Parse(settings.topics, settings.aliases));
  return settings;
}

}  // namespace frazil::app
