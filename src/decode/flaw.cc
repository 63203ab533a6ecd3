// SPDX-License-Identifier: Apache-2.0
#include "decode/flaw_internal.h"

namespace frazil::decode {

std::string_view Text(Flaw flaw) {
  switch (flaw) {
    case Flaw::kNone:
      return "nothing is wrong";
    case Flaw::kEndsEarly:
      return "the value ends early";
    case Flaw::kLongVarint:
      return "a number has more than 64 bits";
    case Flaw::kIntRange:
      return "an int has more than 32 bits";
    case Flaw::kBoolean:
      return "a boolean is neither 0 nor 1";
    case Flaw::kNegativeLength:
      return "a length is negative";
    case Flaw::kUnionBranch:
      return "a union's branch does not exist";
    case Flaw::kEnumSymbol:
      return "an enum's symbol does not exist";
    case Flaw::kEmptyDecimal:
      return "a decimal has no bytes";
    case Flaw::kWideDecimal:
      return "a decimal has more digits than its precision";
    case Flaw::kUuidText:
      return "a uuid is not 36 characters of the usual form";
    case Flaw::kMillisRange:
      return "a time in milliseconds is too large to be held in microseconds";
    case Flaw::kBlockCount:
      return "the item count of a block is impossible";
    case Flaw::kBlockSize:
      return "the items of a block are not of the size that it names";
    case Flaw::kTooDeep:
      return "values are nested too deeply";
    case Flaw::kBytesLeft:
      return "bytes are left over after its last field";
    case Flaw::kNotUtf8:
      return "a text is not UTF-8";
    case Flaw::kColumnFull:
      return "a column would pass 2 GiB";
    case Flaw::kNoMemory:
      return "memory ran out";
  }
  return "unknown";
}

}  // namespace frazil::decode
