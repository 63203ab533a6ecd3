// SPDX-License-Identifier: Apache-2.0
// Texts to settings. A text comes from a flag, or from the file (settings_file.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/settings.gen.h"
#include "base/result.h"

namespace frazil::app {

// Setting names and their texts. A flag's text is "true" or "false".
using SettingTexts = std::map<std::string, std::string, std::less<>>;

// The settings that the texts give, `flags` over `file` over defaults, checked.
// Errors: config_invalid: an unknown name, a value that cannot be read or is out of bounds, a
// required setting that is missing, and topics and aliases that contradict each other.
Result<Settings> MakeSettings(const SettingTexts& file, const SettingTexts& flags);

// Whether the text may be that setting's. Errors: config_invalid, as above.
Status CheckText(const std::string& name, const std::string& text);
// nullopt when there is no such setting. A list's texts are separated by commas.
std::optional<SettingType> TypeOfSetting(std::string_view name);

// "; did you mean kafka?", or nothing where no name is near.
std::string NearestSetting(std::string_view unknown);

}  // namespace frazil::app
