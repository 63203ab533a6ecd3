// SPDX-License-Identifier: Apache-2.0
#include "base/uuid.h"

#include <algorithm>

#include "base/encoding.h"
#include "base/random.h"

namespace frazil {

bool Uuid::IsZero() const {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

std::string Uuid::ToString() const {
  std::string hex = HexEncode(bytes);
  for (std::size_t dash : {20, 16, 12, 8}) hex.insert(dash, 1, '-');
  return hex;
}

Result<Uuid> Uuid::Parse(std::string_view text) {
  constexpr std::size_t kLength = 36;
  std::string hex;
  bool well_formed = text.size() == kLength;
  for (std::size_t i = 0; well_formed && i < text.size(); ++i) {
    const bool dash_place = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash_place != (text[i] == '-')) well_formed = false;
    if (!dash_place) hex += text[i];
  }
  auto decoded = well_formed ? HexDecode(hex) : std::nullopt;
  if (!decoded || decoded->size() != 16) {
    return Error(ErrorCode::kInvalidArgument, "not a uuid: " + Printable(text));
  }
  Uuid uuid;
  std::copy(decoded->begin(), decoded->end(), uuid.bytes.begin());
  return uuid;
}

Uuid Uuid::Random() {
  Uuid uuid;
  FillRandom(uuid.bytes);
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0f) | 0x40);
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3f) | 0x80);
  return uuid;
}

}  // namespace frazil
