// SPDX-License-Identifier: Apache-2.0
// SHA-256 and HMAC-SHA-256, by OpenSSL.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace frazil {

using Sha256Digest = std::array<std::uint8_t, 32>;

Sha256Digest Sha256(ByteView data);
Sha256Digest HmacSha256(ByteView key, ByteView data);

// Compares without telling by its duration where the two differ.
bool EqualInConstantTime(ByteView left, ByteView right);

}  // namespace frazil
