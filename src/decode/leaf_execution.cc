// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "decode/leaf_execution_internal.h"
#include "decode/leaf_readers_internal.h"

namespace frazil::decode {

namespace {

constexpr std::int64_t kLargestColumn = std::numeric_limits<std::int32_t>::max();
// What is copied at once.
constexpr std::size_t kPiece = 16;
static_assert(kPiece <= ColumnBuffers::kSlack);

struct Context {
  const Op& op;
  const RowSet& rows;
  ColumnBuffers& column;
};

// One value, its union's branch number before it, byte by byte: what is rare, and what is at fault.
template <bool kInUnion, typename Reader>
[[gnu::noinline]] Flaw ReadSlowly(const Op& op, const Reader& reader, const std::uint8_t*& at,
                                  const std::uint8_t* end, typename Reader::Value& value,
                                  bool& present) {
  value = {};
  present = true;
  if constexpr (kInUnion) {
    std::int64_t branch = 0;
    if (const Flaw flaw = ReadLong(at, end, branch); flaw != Flaw::kNone) return flaw;
    if (branch == op.null_branch && branch >= 0) {
      present = false;
      return Flaw::kNone;
    }
    if (branch != op.value_branch) return Flaw::kUnionBranch;
  }
  return reader.Read(at, end, value);
}

// The same from a few words, nearly without branches: false when that does not do. Requires: the
// eight bytes before `end`, or those from `at` and the branch number on, are readable.
template <bool kInUnion, typename Reader>
[[gnu::always_inline]] inline bool ReadQuickly(const Op& op, const Reader& reader,
                                               const std::uint8_t*& at, const std::uint8_t* end,
                                               typename Reader::Value& value, bool& present) {
  using Value = typename Reader::Value;
  const std::uint8_t* from = at;
  present = true;
  bool is_null = false;
  if constexpr (kInUnion) {
    if (at == end) return false;
    // A branch number in zig-zag; -1 gives one that is never met.
    const int branch = *from++;
    is_null = branch == 2 * op.null_branch;
    present = branch == 2 * op.value_branch;
  }
  std::size_t size = 0;
  const bool quick = reader.Quick(LoadWord(from, end), value, size);
  const bool sound = is_null | (present & quick & (size <= BytesBetween(from, end)));
  if constexpr (kInUnion) {
    size = is_null ? 0 : size;
    value = is_null ? Value() : value;
  }
  if (!sound) [[unlikely]]
    return false;
  at = from + size;
  return true;
}

template <bool kInUnion, bool kSelected, typename Reader>
Stop LoopOver(const Context& context, const Reader& reader) {
  const RowSet& rows = context.rows;
  std::uint8_t* validity = context.column.validity();
  if constexpr (kSelected) context.column.Clear(rows.first, rows.first + rows.count);
  const std::size_t count = kSelected ? rows.selected : rows.count;
  std::size_t nulls = rows.count - count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = kSelected ? rows.selection[i] : i;
    const std::uint8_t* at = rows.at[row];
    const std::uint8_t* end = rows.end[row];
    typename Reader::Value value{};
    bool present = true;
    const bool has_words = rows.words_before_end || BytesBetween(at, end) >= 8 + kInUnion;
    if (!has_words || !ReadQuickly<kInUnion>(context.op, reader, at, end, value, present)) {
      const Flaw flaw = ReadSlowly<kInUnion>(context.op, reader, at, end, value, present);
      if (flaw != Flaw::kNone) return {row, flaw};
    }
    rows.at[row] = at;
    reader.Store(rows.first + row, value);
    if constexpr (kInUnion || kSelected) {
      SetBitOf(validity, rows.first + row, present);
      nulls += present ? 0 : 1;
    }
  }
  if constexpr (kInUnion || kSelected) {
    context.column.AddNulls(static_cast<std::int64_t>(nulls));
  } else {
    context.column.SetValid(rows.first, rows.first + rows.count);
  }
  return {};
}

template <typename Reader>
Stop Loop(const Context& context, const Reader& reader) {
  const bool selected = context.rows.selection != nullptr;
  if (context.op.in_union) {
    return selected ? LoopOver<true, true>(context, reader)
                    : LoopOver<true, false>(context, reader);
  }
  return selected ? LoopOver<false, true>(context, reader)
                  : LoopOver<false, false>(context, reader);
}

// What the column has room for is written behind `to` too: it is overwritten by the next value, or
// behind the column's bytes.
[[gnu::always_inline]] inline void CopyBytes(const std::uint8_t* from, std::size_t room,
                                             std::size_t size, std::uint8_t* to) {
  if (size <= 2 * kPiece && room >= kPiece) [[likely]] {
    const std::size_t second = size > kPiece ? size - kPiece : 0;
    std::memcpy(to, from, kPiece);
    std::memcpy(to + second, from + second, kPiece);
  } else if (size > 0) {
    std::memcpy(to, from, size);
  }
}

// First all lengths, then room for their sum, then the copies.
Stop RunBytes(const Context& context) {
  static constexpr std::array<std::uint8_t, kPiece> kNothing{};
  const RowSet& rows = context.rows;
  std::int32_t* ends = context.column.offsets();
  std::int64_t total = 0;
  const Stop stop = Loop(context, LengthReader{ends, &total});
  if (stop.flaw != Flaw::kNone) return stop;
  ends += rows.first;
  if (*ends + total > kLargestColumn) return {0, Flaw::kColumnFull};
  std::uint8_t* to = context.column.AppendData(total, rows.first + rows.count);
  if (to == nullptr) return {0, Flaw::kNoMemory};
  std::int32_t end = *ends++;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const auto size = static_cast<std::size_t>(ends[row]);
    // The value ends where the cursor stands. NULL has none, and room enough.
    const std::uint8_t* from = size == 0 ? kNothing.data() : rows.at[row] - size;
    const std::size_t room = size == 0 ? kPiece : BytesBetween(from, rows.end[row]);
    CopyBytes(from, room, size, to);
    to += size;
    end += static_cast<std::int32_t>(size);
    ends[row] = end;
  }
  return {};
}

Stop RunEnum(const Context& context) {
  const RowSet& rows = context.rows;
  const EnumSymbol* symbols = context.op.symbols.data();
  std::int32_t* ends = context.column.offsets();
  std::int64_t total = 0;
  const auto count = static_cast<std::uint32_t>(context.op.symbols.size());
  const Stop stop = Loop(context, EnumReader{ends, &total, symbols, count});
  if (stop.flaw != Flaw::kNone) return stop;
  ends += rows.first;
  if (*ends + total > kLargestColumn) return {0, Flaw::kColumnFull};
  std::uint8_t* to = context.column.AppendData(total, rows.first + rows.count);
  if (to == nullptr) return {0, Flaw::kNoMemory};
  std::int32_t end = *ends++;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const EnumSymbol& symbol = symbols[ends[row]];
    std::memcpy(to, symbol.begin.data(), kPiece);
    if (symbol.size > kPiece) [[unlikely]]
      std::memcpy(to, symbol.text.data(), symbol.size);
    to += symbol.size;
    end += static_cast<std::int32_t>(symbol.size);
    ends[row] = end;
  }
  return {};
}

Stop RunDecimal(const Context& context) {
  auto* values = context.column.values<Decimal>();
  const Op& op = context.op;
  const std::int64_t limit = ShortLimit(op.precision);
  if (op.code == OpCode::kDecimalBytes) {
    return Loop(context, DecimalBytesReader{values, op.precision, limit});
  }
  return Loop(context, DecimalFixedReader{values, op.precision, limit, op.size});
}

template <Flaw (*kConvert)(std::int64_t&)>
Stop RunLong(const Context& context) {
  return Loop(context, LongReader<kConvert>{context.column.values<std::int64_t>()});
}

template <typename Stored, Stored kFactor>
Stop RunInt(const Context& context) {
  return Loop(context, IntReader<Stored, kFactor>{context.column.values<Stored>()});
}

template <typename Written, typename Stored>
Stop RunFloating(const Context& context) {
  return Loop(context, FloatingReader<Written, Stored>{context.column.values<Stored>()});
}

}  // namespace

void LengthsToEnds(const RowSet& rows, ColumnBuffers& column) {
  std::int32_t* ends = column.offsets() + rows.first;
  for (std::size_t row = 0; row < rows.count; ++row) ends[row + 1] += ends[row];
}

Stop RunLeaf(const Op& op, const RowSet& rows, ColumnBuffers& column) {
  const Context context{op, rows, column};
  switch (op.code) {
    case OpCode::kPresent:
      return Loop(context, PresentReader{column.bytes_of_values()});
    case OpCode::kBoolean:
      return Loop(context, BooleanReader{column.bytes_of_values()});
    case OpCode::kInt:
      return RunInt<std::int32_t, 1>(context);
    case OpCode::kIntToLong:
      return RunInt<std::int64_t, 1>(context);
    case OpCode::kIntMillisToLong:
      return RunInt<std::int64_t, 1000>(context);
    case OpCode::kLong:
      return RunLong<AsItIs>(context);
    case OpCode::kMillisToMicros:
      return RunLong<MillisToMicros>(context);
    case OpCode::kNanosToMicros:
      return RunLong<NanosToMicros>(context);
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
      return Loop(context, FixedReader{column.bytes_of_values(), op.size});
    case OpCode::kDecimalBytes:
    case OpCode::kDecimalFixed:
      return RunDecimal(context);
    case OpCode::kUuidText:
      return Loop(context, UuidTextReader{column.bytes_of_values()});
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
