// SPDX-License-Identifier: Apache-2.0
// The YAML file that --config names: a map of settings' names to values.
#pragma once

#include <string>
#include <string_view>

#include "app/settings_reader.h"
#include "base/result.h"

namespace frazil::app {

// Reads the file. Errors: config_invalid, naming the file: not to be read, larger than 1 MiB; those
// of ReadSettingsText.
Result<SettingTexts> ReadSettingsFile(const std::string& path);

// The texts of a file's content. A list's items are joined by commas.
// Errors: config_invalid, naming the line: no YAML map, an unknown key (with the nearest one that
// exists), a key that stands twice, a list for a setting that takes one value, a value that the
// setting does not take.
Result<SettingTexts> ReadSettingsText(const std::string& content);

}  // namespace frazil::app
