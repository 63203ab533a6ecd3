// SPDX-License-Identifier: Apache-2.0
#include <string>

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

Flaw SkipLengthPrefixed(const std::uint8_t*& at, const std::uint8_t* end) {
  std::size_t length = 0;
  if (const Flaw flaw = ReadLength(at, end, length); flaw != Flaw::kNone) return flaw;
  at += length;
  return Flaw::kNone;
}

}  // namespace

SkipProgram::SkipProgram(const avro::Schema& schema) {
  std::vector<Enclosing> enclosing;
  Build(schema, enclosing);
}

bool SkipProgram::skips_nothing() const { return nodes_.empty() || nodes_.front().empty; }

std::uint32_t SkipProgram::Build(const avro::Schema& schema, std::vector<Enclosing>& enclosing) {
  if (schema.recursive_reference) {
    for (std::size_t i = enclosing.size(); i-- > 0;) {
      if (*enclosing[i].name == schema.name) return enclosing[i].node;
    }
    FRAZIL_CHECK(!"a recursive reference stands inside its record");
  }
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  const auto leaf = [&](Kind kind, std::size_t size = 0) {
    nodes_[number].kind = kind;
    nodes_[number].size = size;
    nodes_[number].empty = kind == Kind::kFixed && size == 0;
  };
  switch (schema.type) {
    case avro::Type::kNull:
      leaf(Kind::kFixed, 0);
      break;
    case avro::Type::kBoolean:
      leaf(Kind::kFixed, 1);
      break;
    case avro::Type::kInt:
    case avro::Type::kLong:
    case avro::Type::kEnum:
      leaf(Kind::kVarint);
      break;
    case avro::Type::kFloat:
      leaf(Kind::kFixed, 4);
      break;
    case avro::Type::kDouble:
      leaf(Kind::kFixed, 8);
      break;
    case avro::Type::kFixed:
      leaf(Kind::kFixed, schema.size);
      break;
    case avro::Type::kBytes:
    case avro::Type::kString:
      leaf(Kind::kLengthPrefixed);
      break;
    case avro::Type::kRecord:
      BuildRecord(schema, number, enclosing);
      break;
    case avro::Type::kArray:
    case avro::Type::kMap:
    case avro::Type::kUnion: {
      leaf(schema.type == avro::Type::kArray ? Kind::kArray
           : schema.type == avro::Type::kMap ? Kind::kMap
                                             : Kind::kUnion);
      for (const avro::Schema& child : schema.children) {
        const std::uint32_t built = Build(child, enclosing);
        nodes_[number].children.push_back(built);
      }
      break;
    }
  }
  return number;
}

void SkipProgram::BuildRecord(const avro::Schema& schema, std::uint32_t node,
                              std::vector<Enclosing>& enclosing) {
  enclosing.push_back({&schema.name, node});
  nodes_[node].kind = Kind::kRecord;
  for (const avro::Field& field : schema.fields) {
    const std::uint32_t child = Build(field.schema, enclosing);
    if (!nodes_[child].empty) nodes_[node].children.push_back(child);
  }
  nodes_[node].empty = nodes_[node].children.empty();
  enclosing.pop_back();
}

Flaw SkipProgram::Skip(const std::uint8_t*& at, const std::uint8_t* end) const {
  return nodes_.empty() ? Flaw::kNone : SkipNode(nodes_.front(), at, end, 0);
}

Flaw SkipProgram::SkipNode(const Node& node, const std::uint8_t*& at, const std::uint8_t* end,
                           int depth) const {
  if (depth > kMostDepth) return Flaw::kTooDeep;
  std::int64_t number = 0;
  switch (node.kind) {
    case Kind::kVarint:
      return ReadLong(at, end, number);
    case Kind::kFixed:
      return SkipBytes(node.size, at, end);
    case Kind::kLengthPrefixed:
      return SkipLengthPrefixed(at, end);
    case Kind::kRecord:
      for (const std::uint32_t child : node.children) {
        const Flaw flaw = SkipNode(nodes_[child], at, end, depth + 1);
        if (flaw != Flaw::kNone) return flaw;
      }
      return Flaw::kNone;
    case Kind::kArray:
    case Kind::kMap:
      return SkipBlocks(node, at, end, depth);
    case Kind::kUnion:
      if (const Flaw flaw = ReadLong(at, end, number); flaw != Flaw::kNone) return flaw;
      if (number < 0 || static_cast<std::uint64_t>(number) >= node.children.size()) {
        return Flaw::kUnionBranch;
      }
      return SkipNode(nodes_[node.children[static_cast<std::size_t>(number)]], at, end, depth + 1);
  }
  return Flaw::kNone;
}

Flaw SkipProgram::SkipBlocks(const Node& node, const std::uint8_t*& at, const std::uint8_t* end,
                             int depth) const {
  while (true) {
    std::int64_t count = 0;
    if (const Flaw flaw = ReadLong(at, end, count); flaw != Flaw::kNone) return flaw;
    if (count == 0) return Flaw::kNone;
    Flaw flaw = Flaw::kNone;
    if (count < 0) {
      // A negative count comes with the block's size in bytes.
      flaw = SkipLengthPrefixed(at, end);
    } else {
      flaw = SkipItems(node, static_cast<std::uint64_t>(count), at, end, depth);
    }
    if (flaw != Flaw::kNone) return flaw;
  }
}

Flaw SkipProgram::SkipItems(const Node& node, std::uint64_t count, const std::uint8_t*& at,
                            const std::uint8_t* end, int depth) const {
  const Node& item = nodes_[node.children.front()];
  const bool keyed = node.kind == Kind::kMap;
  if (item.empty && !keyed) return Flaw::kNone;
  // Each item takes a byte at least, so an invented count cannot keep us busy.
  if (count > BytesBetween(at, end)) return Flaw::kBlockCount;
  for (; count > 0; --count) {
    if (keyed) {
      if (const Flaw flaw = SkipLengthPrefixed(at, end); flaw != Flaw::kNone) return flaw;
    }
    const Flaw flaw = SkipNode(item, at, end, depth + 1);
    if (flaw != Flaw::kNone) return flaw;
  }
  return Flaw::kNone;
}

}  // namespace frazil::decode
