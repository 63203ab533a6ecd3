// SPDX-License-Identifier: Apache-2.0
// A 128-bit identifier: Kafka topic ids, Iceberg table uuids.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace frazil {

struct Uuid {
  // Big-endian, as it is printed.
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const Uuid&, const Uuid&) = default;

  bool IsZero() const;
  // "8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1", always 36 lower-case characters.
  std::string ToString() const;

  // Errors: invalid_argument unless `text` has the form that ToString gives (any case).
  static Result<Uuid> Parse(std::string_view text);
  // A version-4 uuid from the system's random source. Not for pure modules.
  static Uuid Random();
};

}  // namespace frazil
