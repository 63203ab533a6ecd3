// SPDX-License-Identifier: Apache-2.0
// Texts to settings: from flags, and from the YAML file that --config names.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/settings.gen.h"
#include "base/result.h"

namespace frazil::app {

// Setting names and their texts. A flag's text is "true" or "false".
using SettingTexts = std::map<std::string, std::string, std::less<>>;

// Reads the file. Errors: config_invalid: not to be read, not a YAML map, an unknown key (naming
// the line and the nearest key that exists), a value that is no scalar or list.
Result<SettingTexts> ReadSettingsFile(const std::string& path);

// The settings that the texts give, `flags` over `file` over defaults, checked.
// Errors: config_invalid: an unknown name, a value that cannot be read or is out of bounds, a
// required setting that is missing, and what CheckSettings refuses.
Result<Settings> MakeSettings(const SettingTexts& file, const SettingTexts& flags);

// "; did you mean `kafka`?", or nothing where no name is near.
std::string NearestSetting(std::string_view unknown);

}  // namespace frazil::app
