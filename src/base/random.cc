// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <openssl/rand.h>

#include "base/check.h"

namespace frazil {

void FillRandom(std::span<std::uint8_t> bytes) {
  FRAZIL_CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
}

}  // namespace frazil
