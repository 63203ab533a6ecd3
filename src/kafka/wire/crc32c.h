// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli): polynomial 0x1EDC6F41, reflected, all ones in and out.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace frazil::kafka::wire {

// By the fastest way that the processor has; all give the same.
std::uint32_t Crc32c(ByteView bytes);

// By table, for processors without the instructions.
std::uint32_t Crc32cPortable(ByteView bytes);

}  // namespace frazil::kafka::wire
