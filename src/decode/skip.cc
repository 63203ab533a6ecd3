// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <string>
#include <utility>

#include "base/check.h"
#include "decode/skip_internal.h"
#include "decode/varint_internal.h"

namespace frazil::decode {

namespace {

// Only a schema that refers to itself can come near it.
constexpr int kMostDepth = 128;

Flaw SkipBytes(std::size_t size, const std::uint8_t*& at, const std::uint8_t* end) {
  if (size > BytesBetween(at, end)) return Flaw::kEndsEarly;
  at += size;
  return Flaw::kNone;
}

// The slow ways take copies of the cursor, so that it may stay in a register.
struct Skipped {
  const std::uint8_t* at;
  Flaw flaw = Flaw::kNone;
};

[[gnu::noinline]] Skipped SkipVarintSlowly(const std::uint8_t* at, const std::uint8_t* end) {
  Skipped skipped{.at = at};
  std::int64_t number = 0;
  skipped.flaw = ReadLong(skipped.at, end, number);
  return skipped;
}

[[gnu::noinline]] Skipped SkipLengthSlowly(const std::uint8_t* at, const std::uint8_t* end) {
  Skipped skipped{.at = at};
  std::size_t length = 0;
  skipped.flaw = ReadLength(skipped.at, end, length);
  if (skipped.flaw == Flaw::kNone) skipped.at += length;
  return skipped;
}

[[gnu::always_inline]] inline Flaw SkipVarint(const std::uint8_t*& at, const std::uint8_t* end) {
  if (BytesBetween(at, end) >= 8) {
    const std::uint64_t ends = ~LoadWord(at, end) & 0x8080808080808080;
    if (ends != 0) {
      at += static_cast<std::size_t>(std::countr_zero(ends)) / 8 + 1;
      return Flaw::kNone;
    }
  }
  const Skipped skipped = SkipVarintSlowly(at, end);
  at = skipped.at;
  return skipped.flaw;
}

[[gnu::always_inline]] inline Flaw SkipLengthPrefixed(const std::uint8_t*& at,
                                                      const std::uint8_t* end) {
  const std::size_t left = BytesBetween(at, end);
  if (left >= 8) {
    const std::uint64_t word = LoadWord(at, end);
    const ShortVarint varint = ShortVarintOfWord(word);
    const std::size_t size = varint.size + varint.bits / 2;
    if (varint.sound & (word % 2 == 0) & (size <= left)) {
      at += size;
      return Flaw::kNone;
    }
  }
  const Skipped skipped = SkipLengthSlowly(at, end);
  at = skipped.at;
  return skipped.flaw;
}

}  // namespace

SkipProgram::SkipProgram(const avro::Schema& schema) {
  std::vector<Enclosing> enclosing;
  Build(schema, enclosing, root_);
}

bool SkipProgram::skips_nothing() const { return root_.empty(); }

void SkipProgram::Build(const avro::Schema& schema, std::vector<Enclosing>& enclosing,
                        Sequence& to) {
  const auto fixed = [&to](std::size_t size) {
    if (size == 0) return;
    if (to.empty() || to.back().kind != Kind::kFixed) to.push_back({.kind = Kind::kFixed});
    to.back().size += size;
  };
  switch (schema.type) {
    case avro::Type::kNull:
      return;
    case avro::Type::kBoolean:
      return fixed(1);
    case avro::Type::kInt:
    case avro::Type::kLong:
    case avro::Type::kEnum:
      to.push_back({.kind = Kind::kVarint});
      return;
    case avro::Type::kFloat:
      return fixed(4);
    case avro::Type::kDouble:
      return fixed(8);
    case avro::Type::kFixed:
      return fixed(schema.size);
    case avro::Type::kBytes:
    case avro::Type::kString:
      to.push_back({.kind = Kind::kLengthPrefixed});
      return;
    case avro::Type::kRecord:
      return BuildRecord(schema, enclosing, to);
    case avro::Type::kArray:
    case avro::Type::kMap: {
      const Kind kind = schema.type == avro::Type::kArray ? Kind::kArray : Kind::kMap;
      to.push_back({.kind = kind, .inside = BuildInside(schema.children.front(), enclosing)});
      return;
    }
    case avro::Type::kUnion:
      return BuildUnion(schema, enclosing, to);
  }
}

std::uint32_t SkipProgram::BuildInside(const avro::Schema& schema,
                                       std::vector<Enclosing>& enclosing) {
  Sequence inside;
  Build(schema, enclosing, inside);
  sequences_.push_back(std::move(inside));
  return static_cast<std::uint32_t>(sequences_.size() - 1);
}

void SkipProgram::BuildRecord(const avro::Schema& schema, std::vector<Enclosing>& enclosing,
                              Sequence& to) {
  if (schema.recursive_reference) {
    for (std::size_t i = enclosing.size(); i-- > 0;) {
      if (*enclosing[i].name != schema.name) continue;
      enclosing[i].referenced = true;
      to.push_back({.kind = Kind::kRecord, .inside = enclosing[i].sequence});
      return;
    }
    FRAZIL_CHECK(!"a recursive reference stands inside its record");
  }
  const auto number = static_cast<std::uint32_t>(sequences_.size());
  sequences_.emplace_back();
  enclosing.push_back({.name = &schema.name, .sequence = number});
  Sequence steps;
  for (const avro::Field& field : schema.fields) Build(field.schema, enclosing, steps);
  if (enclosing.back().referenced) {
    to.push_back({.kind = Kind::kRecord, .inside = number});
    sequences_[number] = std::move(steps);
  } else {
    to.insert(to.end(), steps.begin(), steps.end());
  }
  enclosing.pop_back();
}

void SkipProgram::BuildUnion(const avro::Schema& schema, std::vector<Enclosing>& enclosing,
                             Sequence& to) {
  std::vector<std::uint32_t> branches;
  branches.reserve(schema.children.size());
  for (const avro::Schema& branch : schema.children) {
    branches.push_back(BuildInside(branch, enclosing));
  }
  for (std::size_t null = 0; branches.size() == 2 && null < 2; ++null) {
    if (schema.children[null].type != avro::Type::kNull) continue;
    to.push_back({.kind = Kind::kNullable,
                  .null_byte = static_cast<std::uint8_t>(2 * null),
                  .inside = branches[1 - null]});
    return;
  }
  to.push_back({.kind = Kind::kUnion, .inside = static_cast<std::uint32_t>(unions_.size())});
  unions_.push_back(std::move(branches));
}

Flaw SkipProgram::Skip(const std::uint8_t*& at, const std::uint8_t* end) const {
  return SkipSequence(root_, at, end, 0);
}

Flaw SkipProgram::SkipSequence(const Sequence& steps, const std::uint8_t*& from,
                               const std::uint8_t* end, int depth) const {
  if (depth > kMostDepth) return Flaw::kTooDeep;
  const std::uint8_t* at = from;
  for (const Step& step : steps) {
    Flaw flaw = Flaw::kNone;
    switch (step.kind) {
      case Kind::kVarint:
        flaw = SkipVarint(at, end);
        break;
      case Kind::kFixed:
        flaw = SkipBytes(step.size, at, end);
        break;
      case Kind::kLengthPrefixed:
        flaw = SkipLengthPrefixed(at, end);
        break;
      default: {
        const std::uint8_t* inside = at;
        flaw = SkipNested(step, inside, end, depth);
        at = inside;
      }
    }
    if (flaw != Flaw::kNone) return flaw;
  }
  from = at;
  return Flaw::kNone;
}

Flaw SkipProgram::SkipNested(const Step& step, const std::uint8_t*& at, const std::uint8_t* end,
                             int depth) const {
  switch (step.kind) {
    case Kind::kArray:
    case Kind::kMap:
      return SkipBlocks(step, at, end, depth);
    case Kind::kNullable:
      if (at != end && *at == step.null_byte) {
        ++at;
        return Flaw::kNone;
      }
      return SkipUnion(step, at, end, depth);
    case Kind::kUnion:
      return SkipUnion(step, at, end, depth);
    default:
      return SkipSequence(sequences_[step.inside], at, end, depth + 1);
  }
}

Flaw SkipProgram::SkipUnion(const Step& step, const std::uint8_t*& at, const std::uint8_t* end,
                            int depth) const {
  std::int64_t branch = 0;
  if (const Flaw flaw = ReadLong(at, end, branch); flaw != Flaw::kNone) return flaw;
  if (step.kind == Kind::kNullable) {
    if (branch == step.null_byte / 2) return Flaw::kNone;
    if (branch != 1 - step.null_byte / 2) return Flaw::kUnionBranch;
    return SkipSequence(sequences_[step.inside], at, end, depth + 1);
  }
  const std::vector<std::uint32_t>& branches = unions_[step.inside];
  if (branch < 0 || static_cast<std::uint64_t>(branch) >= branches.size()) {
    return Flaw::kUnionBranch;
  }
  return SkipSequence(sequences_[branches[static_cast<std::size_t>(branch)]], at, end, depth + 1);
}

Flaw SkipProgram::SkipBlocks(const Step& step, const std::uint8_t*& at, const std::uint8_t* end,
                             int depth) const {
  while (true) {
    std::int64_t count = 0;
    if (const Flaw flaw = ReadLong(at, end, count); flaw != Flaw::kNone) return flaw;
    if (count == 0) return Flaw::kNone;
    Flaw flaw = Flaw::kNone;
    if (count < 0) {
      // A negative count comes with the block's size in bytes.
      std::size_t size = 0;
      flaw = ReadLength(at, end, size);
      at += flaw == Flaw::kNone ? size : 0;
    } else {
      flaw = SkipItems(step, static_cast<std::uint64_t>(count), at, end, depth);
    }
    if (flaw != Flaw::kNone) return flaw;
  }
}

Flaw SkipProgram::SkipItems(const Step& step, std::uint64_t count, const std::uint8_t*& at,
                            const std::uint8_t* end, int depth) const {
  const Sequence& item = sequences_[step.inside];
  const bool keyed = step.kind == Kind::kMap;
  if (item.empty() && !keyed) return Flaw::kNone;
  // Each item takes a byte at least, so an invented count cannot keep us busy.
  if (count > BytesBetween(at, end)) return Flaw::kBlockCount;
  for (; count > 0; --count) {
    if (keyed) {
      std::size_t length = 0;
      if (const Flaw flaw = ReadLength(at, end, length); flaw != Flaw::kNone) return flaw;
      at += length;
    }
    const Flaw flaw = SkipSequence(item, at, end, depth + 1);
    if (flaw != Flaw::kNone) return flaw;
  }
  return Flaw::kNone;
}

}  // namespace frazil::decode
