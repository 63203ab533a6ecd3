// SPDX-License-Identifier: Apache-2.0
// The operations that an AvroPlan consists of: a tree, as the writer's schema is one. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "decode/avro_plan.h"
#include "decode/skip_internal.h"

namespace frazil::decode {

// How a value's bytes become its column's: one tight loop each over a set of rows.
enum class OpCode {
  kSkip,
  // Nested values: `children` run on the same rows (records), on the rows that chose their branch
  // (unions), or on the items of all rows as a set of their own (arrays, maps).
  kRecord,
  kBranches,
  kArray,
  kMap,
  // A record without columns is there.
  kPresent,
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

// A symbol of an enum, and its first bytes where they are copied from without looking at its size.
struct EnumSymbol {
  std::array<std::uint8_t, 16> begin{};
  std::size_t size = 0;
  std::string text;
};

struct ItemContext;
class ColumnBuffers;
struct Op;
// Reads one value into a row of its column. Gives where the next one begins; null after a flaw.
using ReadItem = const std::uint8_t* (*)(ItemContext&, const Op&, ColumnBuffers&,
                                         const std::uint8_t* at, const std::uint8_t* end,
                                         std::size_t row);

struct Op {
  OpCode code = OpCode::kSkip;
  // From the top level, by the writer's names: "items.element.sku".
  std::string path;
  // Number of the column in the target's ColumnTree; unused by kSkip.
  std::size_t column = 0;
  // For values inside arrays and maps.
  ReadItem read_item = nullptr;
  // A union's branch number stands before the value (kSkip: part of `skip`).
  bool in_union = false;
  int null_branch = -1;
  int value_branch = 0;
  // kFixed, kDecimalFixed.
  std::size_t size = 0;
  // Decimals: of the writer, so that whether a record is sound does not hang on the target.
  int precision = 0;
  std::int64_t short_limit = 0;
  // kEnum: an empty one for NULL, then the writer's.
  std::vector<EnumSymbol> symbols;
  // kSkip: past the value.
  SkipProgram skip;
  // kArray: items take no bytes at all.
  bool empty_items = false;
  // kRecord: of the writer's fields, in order. kBranches: one for each branch, null's a skip.
  // kArray: of the element. kMap: of the key and of the value.
  std::vector<Op> children;
  // kRecord, kBranches: columns inside that no operation fills: NULL.
  std::vector<std::size_t> null_columns;
};

struct AvroPlan::Program {
  // A kRecord without a column of its own.
  Op root;
};

}  // namespace frazil::decode
