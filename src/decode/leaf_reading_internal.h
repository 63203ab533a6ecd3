// SPDX-License-Identifier: Apache-2.0
// Reads one value, its union's branch number before it, and copies bytes: what loops over many rows
// and reading item by item share. Pure.
#pragma once

#include <cstring>
#include <limits>

#include "base/check.h"
#include "decode/leaf_readers_internal.h"

namespace frazil::decode {

// Of bytes or text.
inline constexpr std::int64_t kLargestColumn = std::numeric_limits<std::int32_t>::max();
// What is copied at once.
inline constexpr std::size_t kPiece = 16;
static_assert(kPiece <= ColumnBuffers::kSlack);

// A union of null and the value, or of the value alone.
struct UnionBranches {
  int null_branch;
  int value_branch;
};

template <typename Value>
struct Slowly {
  const std::uint8_t* at;
  Value value{};
  bool present = true;
  Flaw flaw = Flaw::kNone;
};

// One value, its union's branch number before it, byte by byte: what is rare, and what is at fault.
template <bool kInUnion, typename Reader>
[[gnu::noinline]] Slowly<typename Reader::Value> ReadSlowly(UnionBranches branches, Reader reader,
                                                            const std::uint8_t* at,
                                                            const std::uint8_t* end) {
  Slowly<typename Reader::Value> read{.at = at};
  if constexpr (kInUnion) {
    std::int64_t branch = 0;
    read.flaw = ReadLong(read.at, end, branch);
    if (read.flaw != Flaw::kNone) return read;
    read.present = branch != branches.null_branch || branch < 0;
    if (!read.present) return read;
    if (branch != branches.value_branch) read.flaw = Flaw::kUnionBranch;
    if (read.flaw != Flaw::kNone) return read;
  }
  read.flaw = reader.Read(read.at, end, read.value);
  return read;
}

// The same from words that `load(place)` gives, nearly without branches: false when that does not
// do.
template <bool kInUnion, typename Reader, typename Load>
[[gnu::always_inline]] inline bool ReadQuickly(UnionBranches branches, const Reader& reader,
                                               const std::uint8_t*& at, const std::uint8_t* end,
                                               Load load, typename Reader::Value& value,
                                               bool& present) {
  using Value = typename Reader::Value;
  const std::uint8_t* from = at;
  bool is_null = false;
  if constexpr (kInUnion) {
    // A branch number in zig-zag; -1 gives one that is never met.
    const int branch = *from++;
    is_null = branch == 2 * branches.null_branch;
    present = branch == 2 * branches.value_branch;
  }
  std::size_t size = 0;
  const bool quick = reader.Quick(load(from), value, size);
  const bool sound = is_null | (present & quick & (size <= BytesBetween(from, end)));
  if constexpr (kInUnion) {
    size = is_null ? 0 : size;
    value = is_null ? Value() : value;
  }
  at = from + size;
  return sound;
}

// The same near the end of a record whose last eight bytes are readable.
template <bool kInUnion, typename Reader>
[[gnu::noinline]] Slowly<typename Reader::Value> ReadNearEnd(UnionBranches branches, Reader reader,
                                                             const std::uint8_t* at,
                                                             const std::uint8_t* end) {
  const auto load = [end](const std::uint8_t* from) { return LoadWord(from, end); };
  Slowly<typename Reader::Value> read{.at = at};
  if (at != end &&
      ReadQuickly<kInUnion>(branches, reader, read.at, end, load, read.value, read.present)) {
    return read;
  }
  return ReadSlowly<kInUnion>(branches, reader, at, end);
}

// Moves `at` past one value.
template <bool kInUnion, typename Reader>
[[gnu::always_inline]] inline Flaw ReadValue(UnionBranches branches, const Reader& reader,
                                             const std::uint8_t*& at, const std::uint8_t* end,
                                             bool words_before_end, typename Reader::Value& value,
                                             bool& present) {
  constexpr std::size_t kWords = sizeof(std::uint64_t) + (kInUnion ? 1 : 0);
  const auto load = [](const std::uint8_t* from) { return LoadWord(from, from + 8); };
  const std::uint8_t* const from = at;
  if (BytesBetween(from, end) >= kWords &&
      ReadQuickly<kInUnion>(branches, reader, at, end, load, value, present)) [[likely]] {
    return Flaw::kNone;
  }
  const auto read = words_before_end ? ReadNearEnd<kInUnion>(branches, reader, from, end)
                                     : ReadSlowly<kInUnion>(branches, reader, from, end);
  at = read.at;
  value = read.value;
  present = read.present;
  return read.flaw;
}

// A value of at most 2 * kPiece bytes in two pieces. Requires: kPiece bytes are readable.
[[gnu::always_inline]] inline void CopyPieces(const std::uint8_t* from, std::size_t size,
                                              std::uint8_t* to) {
  const std::size_t second = size > kPiece ? size - kPiece : 0;
  std::memcpy(to, from, kPiece);
  std::memcpy(to + second, from + second, kPiece);
}

// Any value. Requires: `room` bytes are readable, and with `words_before_end` the eight before
// them.
inline void CopySlowly(const std::uint8_t* from, std::size_t size, std::size_t room,
                       std::uint8_t* to, bool words_before_end) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (size == 0) return;
  if (size < kWord && words_before_end) {
    const std::uint64_t word = LoadWord(from, from + room);
    std::memcpy(to, &word, kWord);
  } else if (size >= kWord && size <= 2 * kWord) {
    std::uint64_t words[2];
    std::memcpy(&words[0], from, kWord);
    std::memcpy(&words[1], from + size - kWord, kWord);
    std::memcpy(to, &words[0], kWord);
    std::memcpy(to + size - kWord, &words[1], kWord);
  } else {
    std::memcpy(to, from, size);
  }
}

// Writes up to kPiece bytes behind the value, too.
[[gnu::always_inline]] inline void CopyValue(const std::uint8_t* from, std::size_t size,
                                             std::size_t room, std::uint8_t* to,
                                             bool words_before_end) {
  if (size <= 2 * kPiece && room >= kPiece) [[likely]] {
    CopyPieces(from, size, to);
  } else {
    CopySlowly(from, size, room, to, words_before_end);
  }
}

template <typename Reader>
struct TypeOf {
  using type = Reader;
};

// `visit(TypeOf<Reader>())` for the reader of an operation that is not nested.
template <typename Visit>
[[gnu::always_inline]] inline auto WithReader(OpCode code, Visit visit) {
  switch (code) {
    case OpCode::kPresent:
      return visit(TypeOf<PresentReader>());
    case OpCode::kBoolean:
      return visit(TypeOf<BooleanReader>());
    case OpCode::kInt:
      return visit(TypeOf<IntReader<std::int32_t, 1>>());
    case OpCode::kIntToLong:
      return visit(TypeOf<IntReader<std::int64_t, 1>>());
    case OpCode::kIntMillisToLong:
      return visit(TypeOf<IntReader<std::int64_t, 1000>>());
    case OpCode::kLong:
      return visit(TypeOf<LongReader<AsItIs>>());
    case OpCode::kMillisToMicros:
      return visit(TypeOf<LongReader<MillisToMicros>>());
    case OpCode::kNanosToMicros:
      return visit(TypeOf<LongReader<NanosToMicros>>());
    case OpCode::kFloat:
      return visit(TypeOf<FloatingReader<float, float>>());
    case OpCode::kFloatToDouble:
      return visit(TypeOf<FloatingReader<float, double>>());
    case OpCode::kDouble:
      return visit(TypeOf<FloatingReader<double, double>>());
    case OpCode::kBytes:
      return visit(TypeOf<LengthReader>());
    case OpCode::kEnum:
      return visit(TypeOf<EnumReader>());
    case OpCode::kFixed:
      return visit(TypeOf<FixedReader>());
    case OpCode::kDecimalBytes:
      return visit(TypeOf<DecimalBytesReader>());
    case OpCode::kDecimalFixed:
      return visit(TypeOf<DecimalFixedReader>());
    case OpCode::kUuidText:
      return visit(TypeOf<UuidTextReader>());
    case OpCode::kSkip:
    case OpCode::kRecord:
    case OpCode::kBranches:
    case OpCode::kArray:
    case OpCode::kMap:
      break;
  }
  FRAZIL_CHECK(!"nested values are no leaves");
  return visit(TypeOf<BooleanReader>());
}

}  // namespace frazil::decode
