// SPDX-License-Identifier: Apache-2.0
// Moments in the forms that S3 has for them. No locale, no time zone data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace frazil::serve::s3 {

// "20130524T000000Z", as x-amz-date has it; nullopt for anything else.
std::optional<UnixMillis> ParseBasicDate(std::string_view text);

// "Fri, 24 May 2013 00:00:00 GMT" (RFC 9110 IMF-fixdate); nullopt for anything else. The day's name
// is not held against the date.
std::optional<UnixMillis> ParseHttpDate(std::string_view text);

// Whole seconds, rounded down.
std::string FormatHttpDate(UnixMillis moment);

// "2013-05-24T00:00:00.000Z", as listings have it.
std::string FormatIsoDate(UnixMillis moment);

}  // namespace frazil::serve::s3
