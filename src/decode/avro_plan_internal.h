// SPDX-License-Identifier: Apache-2.0
// The operations that an AvroPlan consists of. Pure.
#pragma once

#include <string>
#include <vector>

#include "decode/avro_plan.h"
#include "decode/skip_internal.h"

namespace frazil::decode {

// How a value's bytes become its column's: one tight loop each.
enum class OpCode {
  kSkip,
  kBoolean,
  kInt,
  kIntToLong,
  // Milliseconds of the day to microseconds.
  kIntMillisToLong,
  kLong,
  kMillisToMicros,
  kNanosToMicros,
  kFloat,
  kFloatToDouble,
  kDouble,
  kBytes,
  kEnum,
  kFixed,
  kDecimalBytes,
  kDecimalFixed,
  kUuidText,
};

struct Op {
  OpCode code = OpCode::kSkip;
  std::string field;
  // Index in the target's fields; unused by kSkip.
  std::size_t column = 0;
  // A union's branch number stands before the value (kSkip: part of `skip`).
  bool in_union = false;
  int null_branch = -1;
  int value_branch = 0;
  // kFixed, kDecimalFixed.
  std::size_t size = 0;
  // Decimals: of the writer, so that whether a record is sound does not hang on the target.
  int precision = 0;
  // kEnum.
  std::vector<std::string> symbols;
  SkipProgram skip;
};

struct AvroPlan::Program {
  // In the order of the writer's fields.
  std::vector<Op> ops;
  // Value columns that no operation fills: NULL. Indexes in the target's fields.
  std::vector<std::size_t> null_columns;
};

}  // namespace frazil::decode
