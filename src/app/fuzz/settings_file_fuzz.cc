// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "app/settings_file.h"
#include "base/bytes.h"
#include "base/check.h"

// The input is the content of a settings file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto texts = frazil::app::ReadSettingsText(std::string(frazil::AsText({data, size})));
  if (!texts.ok()) {
    FRAZIL_CHECK(texts.error().code() == frazil::ErrorCode::kConfigInvalid);
    return 0;
  }
  for (const auto& [name, text] : *texts) FRAZIL_CHECK(frazil::app::CheckText(name, text).ok());
  frazil::IgnoreError(frazil::app::MakeSettings(*texts, {}));
  return 0;
}
