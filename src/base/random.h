// SPDX-License-Identifier: Apache-2.0
// Random bytes from the system. Not for pure modules.
#pragma once

#include <cstdint>
#include <span>

namespace frazil {

// Fills `bytes` from the system's random source; ends the process when there is none.
void FillRandom(std::span<std::uint8_t> bytes);

}  // namespace frazil
