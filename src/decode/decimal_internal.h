// SPDX-License-Identifier: Apache-2.0
// Avro's decimals: big-endian two's complement of any length. Pure.
// Spec: Apache Avro 1.12, "Decimal".
#pragma once

#include "base/bytes.h"
#include "decode/flaw_internal.h"

namespace frazil::decode {

// In memory the form of an Arrow decimal128.
using Decimal = __int128;

// Requires: 1 <= precision <= 38.
// Flaws: kEmptyDecimal; kWideDecimal when the number has more than `precision` digits. Any number
// of sign bytes may stand before the number.
Flaw ReadDecimal(ByteView bytes, int precision, Decimal& value);

// Numbers of eight bytes below it, and above its negative, have no more digits than the precision.
std::int64_t ShortLimit(int precision);

}  // namespace frazil::decode
