// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>
#include <limits>

#include <arrow/util/bit_util.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/uuid.h"
#include "decode/decimal_internal.h"
#include "decode/leaf_execution_internal.h"
#include "decode/varint_internal.h"

namespace frazil::decode {

namespace {

constexpr std::int64_t kLargestColumn = std::numeric_limits<std::int32_t>::max();

struct Context {
  const Op& op;
  const RowSet& rows;
  ColumnBuffers& column;
};

// `read(at, end, row)` moves `at` past one value and stores it in that row of the column.
template <bool kInUnion, bool kSelected, typename Read>
Stop LoopOver(const Context& context, Read read) {
  const RowSet& rows = context.rows;
  const std::int64_t null_branch = context.op.null_branch;
  const std::int64_t value_branch = context.op.value_branch;
  std::uint8_t* validity = context.column.validity();
  const std::size_t count = kSelected ? rows.selected : rows.count;
  std::size_t nulls = rows.count - count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = kSelected ? rows.selection[i] : i;
    const std::uint8_t* at = rows.at[row];
    const std::uint8_t* end = rows.end[row];
    if constexpr (kInUnion) {
      std::int64_t branch = 0;
      if (const Flaw flaw = ReadLong(at, end, branch); flaw != Flaw::kNone) return {row, flaw};
      if (branch == null_branch && branch >= 0) {
        ++nulls;
        rows.at[row] = at;
        continue;
      }
      if (branch != value_branch) return {row, Flaw::kUnionBranch};
    }
    if constexpr (kInUnion || kSelected) {
      arrow::bit_util::SetBit(validity, static_cast<std::int64_t>(rows.first + row));
    }
    if (const Flaw flaw = read(at, end, rows.first + row); flaw != Flaw::kNone) return {row, flaw};
    rows.at[row] = at;
  }
  if constexpr (kInUnion || kSelected) {
    context.column.AddNulls(static_cast<std::int64_t>(nulls));
  } else {
    context.column.SetValid(rows.first, rows.first + rows.count);
  }
  return {};
}

template <typename Read>
Stop Loop(const Context& context, Read read) {
  const bool selected = context.rows.selection != nullptr;
  if (context.op.in_union) {
    return selected ? LoopOver<true, true>(context, read) : LoopOver<true, false>(context, read);
  }
  return selected ? LoopOver<false, true>(context, read) : LoopOver<false, false>(context, read);
}

Stop RunBoolean(const Context& context) {
  std::uint8_t* bits = context.column.bytes_of_values();
  return Loop(context, [bits](const std::uint8_t*& at, const std::uint8_t* end, std::size_t row) {
    if (at == end) return Flaw::kEndsEarly;
    const std::uint8_t byte = *at++;
    if (byte > 1) return Flaw::kBoolean;
    if (byte == 1) arrow::bit_util::SetBit(bits, static_cast<std::int64_t>(row));
    return Flaw::kNone;
  });
}

template <typename Stored>
Stop RunInt(const Context& context, Stored factor) {
  Stored* values = context.column.values<Stored>();
  return Loop(context,
              [values, factor](const std::uint8_t*& at, const std::uint8_t* end, std::size_t row) {
                std::int32_t value = 0;
                const Flaw flaw = ReadInt(at, end, value);
                values[row] = static_cast<Stored>(value) * factor;
                return flaw;
              });
}

// `convert(long&)` turns the value into what is stored.
template <typename Convert>
Stop RunLong(const Context& context, Convert convert) {
  auto* values = context.column.values<std::int64_t>();
  return Loop(context,
              [values, convert](const std::uint8_t*& at, const std::uint8_t* end, std::size_t row) {
                std::int64_t value = 0;
                if (const Flaw flaw = ReadLong(at, end, value); flaw != Flaw::kNone) return flaw;
                const Flaw flaw = convert(value);
                values[row] = value;
                return flaw;
              });
}

Flaw MillisToMicros(std::int64_t& value) {
  return __builtin_mul_overflow(value, std::int64_t{1000}, &value) ? Flaw::kMillisRange
                                                                   : Flaw::kNone;
}

// Rounds towards the past, so that order is kept on both sides of 1970.
Flaw NanosToMicros(std::int64_t& value) {
  const std::int64_t rest = value % 1000;
  value = value / 1000 - (rest < 0 ? 1 : 0);
  return Flaw::kNone;
}

template <typename Read, typename Stored>
Stop RunFloating(const Context& context) {
  static_assert(std::endian::native == std::endian::little);
  auto* values = context.column.values<Stored>();
  return Loop(context, [values](const std::uint8_t*& at, const std::uint8_t* end, std::size_t row) {
    if (BytesBetween(at, end) < sizeof(Read)) return Flaw::kEndsEarly;
    Read value;
    std::memcpy(&value, at, sizeof(Read));
    at += sizeof(Read);
    values[row] = static_cast<Stored>(value);
    return Flaw::kNone;
  });
}

Stop RunFixed(const Context& context) {
  std::uint8_t* values = context.column.bytes_of_values();
  const std::size_t size = context.op.size;
  return Loop(context,
              [values, size](const std::uint8_t*& at, const std::uint8_t* end, std::size_t row) {
                if (BytesBetween(at, end) < size) return Flaw::kEndsEarly;
                std::memcpy(values + row * size, at, size);
                at += size;
                return Flaw::kNone;
              });
}

Flaw StoreDecimal(ByteView bytes, int precision, std::uint8_t* to) {
  Decimal value = 0;
  if (const Flaw flaw = ReadDecimal(bytes, precision, value); flaw != Flaw::kNone) return flaw;
  std::memcpy(to, &value, sizeof(value));
  return Flaw::kNone;
}

Stop RunDecimalFixed(const Context& context) {
  std::uint8_t* values = context.column.bytes_of_values();
  const std::size_t size = context.op.size;
  const int precision = context.op.precision;
  return Loop(context, [=](const std::uint8_t*& at, const std::uint8_t* end, std::size_t row) {
    if (BytesBetween(at, end) < size) return Flaw::kEndsEarly;
    const ByteView bytes(at, size);
    at += size;
    return StoreDecimal(bytes, precision, values + row * sizeof(Decimal));
  });
}

Stop RunDecimalBytes(const Context& context) {
  std::uint8_t* values = context.column.bytes_of_values();
  const int precision = context.op.precision;
  return Loop(context, [=](const std::uint8_t*& at, const std::uint8_t* end, std::size_t row) {
    std::size_t length = 0;
    if (const Flaw flaw = ReadLength(at, end, length); flaw != Flaw::kNone) return flaw;
    const ByteView bytes(at, length);
    at += length;
    return StoreDecimal(bytes, precision, values + row * sizeof(Decimal));
  });
}

Stop RunUuidText(const Context& context) {
  std::uint8_t* values = context.column.bytes_of_values();
  return Loop(context, [values](const std::uint8_t*& at, const std::uint8_t* end, std::size_t row) {
    std::size_t length = 0;
    if (const Flaw flaw = ReadLength(at, end, length); flaw != Flaw::kNone) return flaw;
    const auto uuid = Uuid::Parse(AsText({at, length}));
    at += length;
    if (!uuid.ok()) return Flaw::kUuidText;
    std::memcpy(values + row * uuid->bytes.size(), uuid->bytes.data(), uuid->bytes.size());
    return Flaw::kNone;
  });
}

// First all lengths, then room for their sum, then the copies.
Stop RunBytes(const Context& context) {
  const RowSet& rows = context.rows;
  std::int32_t* offsets = context.column.offsets();
  const std::int32_t before = offsets[rows.first];
  std::int64_t total = before;
  const Stop stop = Loop(context, [offsets, &total](const std::uint8_t*& at,
                                                    const std::uint8_t* end, std::size_t row) {
    std::size_t length = 0;
    if (const Flaw flaw = ReadLength(at, end, length); flaw != Flaw::kNone) return flaw;
    total += static_cast<std::int64_t>(length);
    if (total > kLargestColumn) return Flaw::kColumnFull;
    at += length;
    offsets[row + 1] = static_cast<std::int32_t>(length);
    return Flaw::kNone;
  });
  if (stop.flaw != Flaw::kNone) return stop;
  LengthsToEnds(rows, context.column);
  if (total == before) return {};
  std::uint8_t* to = context.column.AppendData(total - before);
  if (to == nullptr) return {0, Flaw::kNoMemory};
  const auto copy = [&](std::size_t row) {
    const std::size_t column_row = rows.first + row;
    const auto length = static_cast<std::size_t>(offsets[column_row + 1] - offsets[column_row]);
    // The value ends where the cursor stands.
    if (length > 0) std::memcpy(to, rows.at[row] - length, length);
    to += length;
  };
  rows.ForEachValue(copy);
  return {};
}

Stop RunEnum(const Context& context) {
  const auto& symbols = context.op.symbols;
  std::int32_t* offsets = context.column.offsets();
  std::int64_t total = offsets[context.rows.first];
  const Stop stop =
      Loop(context, [&](const std::uint8_t*& at, const std::uint8_t* end, std::size_t row) {
        std::int32_t index = 0;
        if (const Flaw flaw = ReadInt(at, end, index); flaw != Flaw::kNone) return flaw;
        if (index < 0 || static_cast<std::size_t>(index) >= symbols.size()) {
          return Flaw::kEnumSymbol;
        }
        const std::string& symbol = symbols[static_cast<std::size_t>(index)];
        const auto length = static_cast<std::int64_t>(symbol.size());
        total += length;
        if (total > kLargestColumn) return Flaw::kColumnFull;
        std::uint8_t* to = context.column.AppendData(length);
        if (to == nullptr) return Flaw::kNoMemory;
        std::memcpy(to, symbol.data(), symbol.size());
        offsets[row + 1] = static_cast<std::int32_t>(length);
        return Flaw::kNone;
      });
  if (stop.flaw != Flaw::kNone) return stop;
  LengthsToEnds(context.rows, context.column);
  return {};
}

Stop RunPresent(const Context& context) {
  std::uint8_t* bits = context.column.bytes_of_values();
  return Loop(context, [bits](const std::uint8_t*&, const std::uint8_t*, std::size_t row) {
    arrow::bit_util::SetBit(bits, static_cast<std::int64_t>(row));
    return Flaw::kNone;
  });
}

}  // namespace

void LengthsToEnds(const RowSet& rows, ColumnBuffers& column) {
  std::int32_t* ends = column.offsets() + rows.first;
  for (std::size_t row = 0; row < rows.count; ++row) ends[row + 1] += ends[row];
}

Stop RunLeaf(const Op& op, const RowSet& rows, ColumnBuffers& column) {
  const Context context{op, rows, column};
  const auto as_it_is = [](std::int64_t&) { return Flaw::kNone; };
  switch (op.code) {
    case OpCode::kPresent:
      return RunPresent(context);
    case OpCode::kBoolean:
      return RunBoolean(context);
    case OpCode::kInt:
      return RunInt<std::int32_t>(context, 1);
    case OpCode::kIntToLong:
      return RunInt<std::int64_t>(context, 1);
    case OpCode::kIntMillisToLong:
      return RunInt<std::int64_t>(context, 1000);
    case OpCode::kLong:
      return RunLong(context, as_it_is);
    case OpCode::kMillisToMicros:
      return RunLong(context, MillisToMicros);
    case OpCode::kNanosToMicros:
      return RunLong(context, NanosToMicros);
    case OpCode::kFloat:
      return RunFloating<float, float>(context);
    case OpCode::kFloatToDouble:
      return RunFloating<float, double>(context);
    case OpCode::kDouble:
      return RunFloating<double, double>(context);
    case OpCode::kBytes:
      return RunBytes(context);
    case OpCode::kEnum:
      return RunEnum(context);
    case OpCode::kFixed:
      return RunFixed(context);
    case OpCode::kDecimalBytes:
      return RunDecimalBytes(context);
    case OpCode::kDecimalFixed:
      return RunDecimalFixed(context);
    case OpCode::kUuidText:
      return RunUuidText(context);
    case OpCode::kSkip:
    case OpCode::kRecord:
    case OpCode::kBranches:
    case OpCode::kArray:
    case OpCode::kMap:
      break;
  }
  FRAZIL_CHECK(!"nested values are no leaves");
  return {};
}

}  // namespace frazil::decode
