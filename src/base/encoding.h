// SPDX-License-Identifier: Apache-2.0
// Texts for bytes: hexadecimal, base64, percent escapes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace frazil {

// Lower-case hexadecimal.
std::string HexEncode(ByteView bytes);
// nullopt for an odd length or a character that is no hexadecimal digit. Either case.
std::optional<Bytes> HexDecode(std::string_view text);

// RFC 4648 base64 with padding.
std::string Base64Encode(ByteView bytes);
// nullopt unless `text` is padded base64.
std::optional<Bytes> Base64Decode(std::string_view text);

// Undoes %XX once; nullopt for a broken escape. `plus_is_space` for query strings.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space = false);
// RFC 3986: leaves letters, digits and -._~ as they are, and '/' too when asked.
std::string PercentEncode(std::string_view text, bool keep_slash = false);

// `text` with bytes that do not print as '?', cut to 200 bytes: for messages.
std::string Printable(std::string_view text);

// Whether `text` is well-formed UTF-8 (no surrogates, no overlong forms).
bool IsUtf8(ByteView text);

}  // namespace frazil
