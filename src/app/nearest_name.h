// SPDX-License-Identifier: Apache-2.0
// The name that somebody meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace frazil::app {

// "; did you mean kafka?", or nothing where none of `names` is near.
std::string DidYouMean(std::string_view unknown, std::span<const std::string_view> names);

}  // namespace frazil::app
