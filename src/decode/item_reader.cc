// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "decode/item_reader_internal.h"
#include "decode/leaf_reading_internal.h"

namespace frazil::decode {

namespace {

// Items of one array that may take no bytes (records without fields): nothing else bounds them.
constexpr std::uint64_t kMostEmptyItems = 1024;
constexpr std::size_t kMostRows = std::numeric_limits<std::int32_t>::max() - 1;

[[gnu::noinline]] const std::uint8_t* Fail(ItemContext& context, const Op& op, Flaw flaw) {
  context.flaw = flaw;
  context.path = op.path;
  return nullptr;
}

// A value that was read: what is behind it, where its record ends, and its row.
struct Place {
  const std::uint8_t* at;
  const std::uint8_t* end;
  std::size_t row;
};

[[gnu::noinline]] const std::uint8_t* AppendSlowly(ItemContext& context, const Op& op,
                                                   ColumnBuffers& column, Place place,
                                                   const std::uint8_t* from, std::size_t size,
                                                   std::size_t room) {
  std::int32_t* ends = column.offsets() + place.row;
  const auto more = static_cast<std::int64_t>(size);
  if (*ends + more > kLargestColumn) return Fail(context, op, Flaw::kColumnFull);
  std::uint8_t* to = column.AppendData(more, place.row + 1);
  if (to == nullptr) return Fail(context, op, Flaw::kNoMemory);
  ends[1] = *ends + static_cast<std::int32_t>(size);
  CopyValue(from, size, room, to, context.words_before_end);
  return place.at;
}

// The bytes behind those of the row before.
[[gnu::always_inline]] inline const std::uint8_t* Append(ItemContext& context, const Op& op,
                                                         ColumnBuffers& column, Place place,
                                                         const std::uint8_t* from, std::size_t size,
                                                         std::size_t room) {
  if (size <= 2 * kPiece && room >= kPiece) [[likely]] {
    std::int32_t* ends = column.offsets() + place.row;
    std::uint8_t* to = column.AppendInRoom(static_cast<std::int64_t>(size));
    if (to != nullptr) [[likely]] {
      ends[1] = *ends + static_cast<std::int32_t>(size);
      CopyPieces(from, size, to);
      return place.at;
    }
  }
  return AppendSlowly(context, op, column, place, from, size, room);
}

[[gnu::always_inline]] inline const std::uint8_t* Keep(ItemContext& context, const Op& op,
                                                       const LengthReader&, std::uint32_t size,
                                                       ColumnBuffers& column, Place place) {
  // The value ends where the cursor stands.
  const std::uint8_t* from = place.at - size;
  return Append(context, op, column, place, from, size, BytesBetween(from, place.end));
}

[[gnu::always_inline]] inline const std::uint8_t* Keep(ItemContext& context, const Op& op,
                                                       const EnumReader& reader,
                                                       std::uint32_t number, ColumnBuffers& column,
                                                       Place place) {
  const EnumSymbol& symbol = reader.symbols[number];
  const bool is_short = symbol.size <= kPiece;
  const auto* text = reinterpret_cast<const std::uint8_t*>(symbol.text.data());
  return Append(context, op, column, place, is_short ? symbol.begin.data() : text, symbol.size,
                is_short ? kPiece : symbol.size);
}

template <typename Reader>
[[gnu::always_inline]] inline const std::uint8_t* Keep(ItemContext&, const Op&, Reader reader,
                                                       const typename Reader::Value& value,
                                                       ColumnBuffers&, Place place) {
  reader.Store(place.row, value);
  return place.at;
}

template <bool kInUnion, typename Reader>
[[gnu::noinline]] const std::uint8_t* ReadLeafSlowly(ItemContext& context, const Op& op,
                                                     ColumnBuffers& column, const std::uint8_t* at,
                                                     const std::uint8_t* end, std::size_t row) {
  const UnionBranches branches{op.null_branch, op.value_branch};
  const Reader reader = Reader::Of(op, column);
  const auto read = context.words_before_end ? ReadNearEnd<kInUnion>(branches, reader, at, end)
                                             : ReadSlowly<kInUnion>(branches, reader, at, end);
  if (read.flaw != Flaw::kNone) return Fail(context, op, read.flaw);
  SetBitOf(column.validity(), row, read.present);
  column.AddNulls(read.present ? 0 : 1);
  return Keep(context, op, reader, read.value, column, {read.at, end, row});
}

template <bool kInUnion, typename Reader>
const std::uint8_t* ReadLeaf(ItemContext& context, const Op& op, ColumnBuffers& column,
                             const std::uint8_t* at, const std::uint8_t* end, std::size_t row) {
  constexpr std::size_t kWords = sizeof(std::uint64_t) + (kInUnion ? 1 : 0);
  const auto load = [](const std::uint8_t* from) { return LoadWord(from, from + 8); };
  const Reader reader = Reader::Of(op, column);
  typename Reader::Value value{};
  bool present = true;
  const std::uint8_t* next = at;
  if (BytesBetween(at, end) < kWords ||
      !ReadQuickly<kInUnion>({op.null_branch, op.value_branch}, reader, next, end, load, value,
                             present)) [[unlikely]] {
    return ReadLeafSlowly<kInUnion, Reader>(context, op, column, at, end, row);
  }
  SetBitOf(column.validity(), row, present);
  if constexpr (kInUnion) column.AddNulls(present ? 0 : 1);
  return Keep(context, op, reader, value, column, {next, end, row});
}

const std::uint8_t* MarkPresent(ItemContext&, const Op&, ColumnBuffers& column,
                                const std::uint8_t* at, const std::uint8_t*, std::size_t row) {
  SetBitOf(column.validity(), row, true);
  return at;
}

void AddSteps(ColumnTree& columns, const std::vector<Op>& ops, std::vector<ItemStep>& steps) {
  for (const Op& op : ops) {
    const bool in_place = op.code == OpCode::kRecord && !op.in_union && op.null_columns.empty();
    steps.push_back({in_place ? MarkPresent : op.read_item, &op, &columns.at(op.column)});
    if (in_place) AddSteps(columns, op.children, steps);
  }
}

// The place of the steps may change with the next call; they themselves stay where they are.
std::span<const ItemStep> StepsOf(ItemContext& context, const Op& op) {
  if (context.steps.size() <= op.column) context.steps.resize(op.column + 1);
  ItemSteps& known = context.steps[op.column];
  if (known.op != &op) {
    known.op = &op;
    known.steps.clear();
    AddSteps(context.columns, op.children, known.steps);
  }
  return known.steps;
}

void SetNull(ItemContext& context, std::size_t column, std::size_t row) {
  context.columns.SetNull(column, row, row + 1);
}

[[gnu::always_inline]] inline const std::uint8_t* ReadFields(ItemContext& context,
                                                             const std::vector<Op>& ops,
                                                             const std::uint8_t* at,
                                                             const std::uint8_t* end,
                                                             std::size_t row) {
  for (const Op& op : ops) {
    at = op.read_item(context, op, context.columns.at(op.column), at, end, row);
    if (at == nullptr) [[unlikely]]
      return nullptr;
  }
  return at;
}

const std::uint8_t* ReadSkip(ItemContext& context, const Op& op, ColumnBuffers&,
                             const std::uint8_t* at, const std::uint8_t* end, std::size_t) {
  const Flaw flaw = op.skip.Skip(at, end);
  return flaw == Flaw::kNone ? at : Fail(context, op, flaw);
}

// Past the branch number of a union of null and a value, whichever it is entered in the row; null
// after a flaw.
const std::uint8_t* ReadPresent(ItemContext& context, const Op& op, ColumnBuffers& column,
                                const std::uint8_t* at, const std::uint8_t* end, std::size_t row,
                                bool& present) {
  std::int64_t branch = op.value_branch;
  if (op.in_union) {
    if (const Flaw flaw = ReadLong(at, end, branch); flaw != Flaw::kNone) {
      return Fail(context, op, flaw);
    }
  }
  present = branch == op.value_branch;
  if (present) {
    SetBitOf(column.validity(), row, true);
    return at;
  }
  if (branch != op.null_branch || branch < 0) return Fail(context, op, Flaw::kUnionBranch);
  SetNull(context, op.column, row);
  return at;
}

const std::uint8_t* ReadRecord(ItemContext& context, const Op& op, ColumnBuffers& column,
                               const std::uint8_t* at, const std::uint8_t* end, std::size_t row) {
  bool present = true;
  at = ReadPresent(context, op, column, at, end, row, present);
  if (at == nullptr || !present) return at;
  for (const std::size_t inside : op.null_columns) SetNull(context, inside, row);
  return ReadFields(context, op.children, at, end, row);
}

const std::uint8_t* ReadBranches(ItemContext& context, const Op& op, ColumnBuffers& column,
                                 const std::uint8_t* at, const std::uint8_t* end, std::size_t row) {
  std::int64_t branch = 0;
  if (const Flaw flaw = ReadLong(at, end, branch); flaw != Flaw::kNone) {
    return Fail(context, op, flaw);
  }
  if (static_cast<std::uint64_t>(branch) >= op.children.size()) {
    return Fail(context, op, Flaw::kUnionBranch);
  }
  if (branch == op.null_branch) {
    SetNull(context, op.column, row);
    return at;
  }
  SetBitOf(column.validity(), row, true);
  for (const std::size_t inside : op.null_columns) SetNull(context, inside, row);
  const Op& chosen = op.children[static_cast<std::size_t>(branch)];
  for (const Op& other : op.children) {
    if (&other != &chosen && other.code != OpCode::kSkip) SetNull(context, other.column, row);
  }
  return chosen.read_item(context, chosen, context.columns.at(chosen.column), at, end, row);
}

const std::uint8_t* ReadInner(ItemContext& context, const Op& op, ColumnBuffers& column,
                              const std::uint8_t* at, const std::uint8_t* end, std::size_t row) {
  bool present = true;
  at = ReadPresent(context, op, column, at, end, row, present);
  if (at == nullptr || !present) return at;
  std::size_t count = 0;
  const auto first = static_cast<std::size_t>(column.offsets()[row]);
  at = ReadItems(context, op, at, end, row, first, count);
  column.offsets()[row + 1] = static_cast<std::int32_t>(first + count);
  return at;
}

// Room inside for `items` items of the rows up to `row`, and for those to come.
Flaw Grow(ItemContext& context, const Op& op, std::size_t row, std::size_t items) {
  // So many rows tell what the others will need.
  constexpr std::size_t kTelling = 1024;
  if (items > kMostRows) return Flaw::kColumnFull;
  std::size_t more = std::max(2 * items, std::size_t{64});
  if (row >= kTelling) {
    const std::size_t all = context.columns.at(op.column).rows();
    const double likely =
        static_cast<double>(items) / static_cast<double>(row) * static_cast<double>(all) * 1.05;
    more = std::clamp(static_cast<std::size_t>(likely), items + items / 8, 64 * items);
  }
  more = std::min(more, kMostRows);
  for (const std::size_t inside : context.columns.inside(op.column)) {
    if (context.columns.Grow(inside, more).ok()) continue;
    if (!context.columns.Grow(inside, items).ok()) return Flaw::kNoMemory;
  }
  return Flaw::kNone;
}

// Columns grow as items are read, not by what a count says.
const std::uint8_t* ReadBlock(ItemContext& context, const Op& op, const std::uint8_t* at,
                              const std::uint8_t* end, std::size_t row, std::size_t item,
                              std::size_t last) {
  const ColumnBuffers& inside = context.columns.at(context.columns.inside(op.column).front());
  const std::span<const ItemStep> steps = StepsOf(context, op);
  for (; item < last; ++item) {
    if (item >= inside.rows()) [[unlikely]] {
      const Flaw flaw = Grow(context, op, row, item + 1);
      if (flaw != Flaw::kNone) return Fail(context, op, flaw);
    }
    for (const ItemStep& step : steps) {
      at = step.read(context, *step.op, *step.column, at, end, item);
      if (at == nullptr) [[unlikely]]
        return nullptr;
    }
  }
  return at;
}

}  // namespace

ReadItem ReadItemOf(OpCode code, bool in_union) {
  switch (code) {
    case OpCode::kSkip:
      return ReadSkip;
    case OpCode::kRecord:
      return ReadRecord;
    case OpCode::kBranches:
      return ReadBranches;
    case OpCode::kArray:
    case OpCode::kMap:
      return ReadInner;
    default:
      break;
  }
  return WithReader(code, [in_union](auto of) -> ReadItem {
    using Reader = typename decltype(of)::type;
    return in_union ? ReadLeaf<true, Reader> : ReadLeaf<false, Reader>;
  });
}

const std::uint8_t* ReadItems(ItemContext& context, const Op& op, const std::uint8_t* at,
                              const std::uint8_t* end, std::size_t row, std::size_t first,
                              std::size_t& count) {
  count = 0;
  while (true) {
    std::int64_t block = 0;
    Flaw flaw = ReadLong(at, end, block);
    if (flaw != Flaw::kNone) return Fail(context, op, flaw);
    if (block == 0) return at;
    const std::uint8_t* block_end = nullptr;
    if (block < 0) {
      // A negative count comes with the block's size in bytes.
      if (block == std::numeric_limits<std::int64_t>::min()) {
        return Fail(context, op, Flaw::kBlockCount);
      }
      block = -block;
      std::size_t size = 0;
      flaw = ReadLength(at, end, size);
      if (flaw != Flaw::kNone) return Fail(context, op, flaw);
      block_end = at + size;
    }
    // Items take a byte each at least, or are few: an invented count cannot keep us busy.
    const std::uint64_t most = op.empty_items ? kMostEmptyItems - count : BytesBetween(at, end);
    const auto more = static_cast<std::uint64_t>(block);
    if (more > most) return Fail(context, op, Flaw::kBlockCount);
    at = ReadBlock(context, op, at, end, row, first + count, first + count + more);
    if (at == nullptr) return nullptr;
    count += more;
    if (block_end != nullptr && at != block_end) return Fail(context, op, Flaw::kBlockSize);
  }
}

}  // namespace frazil::decode
