// SPDX-License-Identifier: Apache-2.0
// What can be wrong with a record's bytes. Pure.
#pragma once

#include <string_view>

namespace frazil::decode {

enum class Flaw {
  kNone,
  kEndsEarly,
  kLongVarint,
  kIntRange,
  kBoolean,
  kNegativeLength,
  kUnionBranch,
  kEnumSymbol,
  kEmptyDecimal,
  kWideDecimal,
  kUuidText,
  kMillisRange,
  kBlockCount,
  kBlockSize,
  kTooDeep,
  kBytesLeft,
  kNotUtf8,
  // Not the record's fault.
  kColumnFull,
  kNoMemory,
};

// "the value ends early", as the end of a sentence.
std::string_view Text(Flaw flaw);

}  // namespace frazil::decode
