// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "decode/leaf_execution_internal.h"
#include "decode/leaf_reading_internal.h"

namespace frazil::decode {

namespace {

struct Context {
  const Op& op;
  const RowSet& rows;
  ColumnBuffers& column;
};

// Everything that the loop looks at is its own: stores into columns may not make it look again.
template <bool kInUnion, bool kSelected, typename Reader>
Stop LoopOver(const Context& context, Reader& shared_reader) {
  Reader reader = shared_reader;
  const RowSet rows = context.rows;
  const UnionBranches branches{context.op.null_branch, context.op.value_branch};
  std::uint8_t* const validity = context.column.validity();
  if constexpr (kSelected) context.column.Clear(rows.first, rows.first + rows.count);
  const std::size_t count = kSelected ? rows.selected : rows.count;
  std::size_t nulls = rows.count - count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = kSelected ? rows.selection[i] : i;
    const std::uint8_t* at = rows.at[row];
    const std::uint8_t* const end = rows.end[row];
    typename Reader::Value value{};
    bool present = true;
    const Flaw flaw =
        ReadValue<kInUnion>(branches, reader, at, end, rows.words_before_end, value, present);
    if (flaw != Flaw::kNone) [[unlikely]]
      return {row, flaw};
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
  shared_reader = reader;
  return {};
}

template <typename Reader>
Stop Loop(const Context& context, Reader& reader) {
  const bool selected = context.rows.selection != nullptr;
  if (context.op.in_union) {
    return selected ? LoopOver<true, true>(context, reader)
                    : LoopOver<true, false>(context, reader);
  }
  return selected ? LoopOver<false, true>(context, reader)
                  : LoopOver<false, false>(context, reader);
}

// From the lengths in the column's offsets to the places where its rows end, and their bytes behind
// one another. What is behind a value is written too, and then by the next one.
template <bool kAnyNull>
void CopyValues(const RowSet& rows, std::int32_t* ends, std::uint8_t* to) {
  static constexpr std::array<std::uint8_t, kPiece> kNothing{};
  std::int32_t end = *ends++;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const auto size = static_cast<std::size_t>(ends[row]);
    // The value ends where the cursor stands.
    const std::uint8_t* from = rows.at[row] - size;
    std::size_t room = BytesBetween(from, rows.end[row]);
    if constexpr (kAnyNull) {
      from = size == 0 ? kNothing.data() : from;
      room = size == 0 ? kPiece : room;
    }
    CopyValue(from, size, room, to, rows.words_before_end);
    to += size;
    end += static_cast<std::int32_t>(size);
    ends[row] = end;
  }
}

// Room for the bytes of a column's rows; null where there is none.
std::uint8_t* MakeRoom(const Context& context, std::int64_t total, Stop& stop) {
  const RowSet& rows = context.rows;
  if (context.column.offsets()[rows.first] + total > kLargestColumn) {
    stop = {0, Flaw::kColumnFull};
    return nullptr;
  }
  std::uint8_t* to = context.column.AppendData(total, rows.first + rows.count);
  if (to == nullptr) stop = {0, Flaw::kNoMemory};
  return to;
}

// First all lengths, then room for their sum, then the copies.
Stop RunBytes(const Context& context) {
  const RowSet rows = context.rows;
  LengthReader reader = LengthReader::Of(context.op, context.column);
  Stop stop = Loop(context, reader);
  if (stop.flaw != Flaw::kNone) return stop;
  std::uint8_t* to = MakeRoom(context, reader.total, stop);
  if (to == nullptr) return stop;
  std::int32_t* ends = context.column.offsets() + rows.first;
  const bool any_null = context.op.in_union || rows.selection != nullptr;
  any_null ? CopyValues<true>(rows, ends, to) : CopyValues<false>(rows, ends, to);
  return {};
}

Stop RunEnum(const Context& context) {
  const RowSet rows = context.rows;
  const EnumSymbol* symbols = context.op.symbols.data();
  EnumReader reader = EnumReader::Of(context.op, context.column);
  Stop stop = Loop(context, reader);
  // The symbols' places are the numbers of a folded column's texts.
  if (stop.flaw != Flaw::kNone || context.column.folded()) return stop;
  std::uint8_t* to = MakeRoom(context, reader.total, stop);
  if (to == nullptr) return stop;
  std::int32_t* ends = context.column.offsets() + rows.first;
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

}  // namespace

void LengthsToEnds(const RowSet& rows, ColumnBuffers& column) {
  std::int32_t* ends = column.offsets() + rows.first;
  for (std::size_t row = 0; row < rows.count; ++row) ends[row + 1] += ends[row];
}

Stop RunLeaf(const Op& op, const RowSet& rows, ColumnBuffers& column) {
  const Context context{op, rows, column};
  if (op.code == OpCode::kBytes) return RunBytes(context);
  if (op.code == OpCode::kEnum) return RunEnum(context);
  return WithReader(op.code, [&](auto of) {
    auto reader = decltype(of)::type::Of(op, column);
    return Loop(context, reader);
  });
}

}  // namespace frazil::decode
