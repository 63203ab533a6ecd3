// SPDX-License-Identifier: Apache-2.0
// Moves past a value of any Avro type without keeping it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "avro/schema.h"
#include "decode/flaw_internal.h"

namespace frazil::decode {

class SkipProgram {
 public:
  SkipProgram() = default;
  // Requires: recursive references stand inside the record that they name.
  explicit SkipProgram(const avro::Schema& schema);

  // Whether values take no bytes at all.
  bool skips_nothing() const;
  // Moves `at` past one value. Time is bounded by the bytes moved past, times the schema's depth.
  Flaw Skip(const std::uint8_t*& at, const std::uint8_t* end) const;

 private:
  enum class Kind : std::uint8_t {
    kVarint,
    kFixed,
    kLengthPrefixed,
    kRecord,
    kArray,
    kMap,
    kUnion,
  };
  struct Node {
    Kind kind = Kind::kFixed;
    // Every value takes no bytes: null, fixed of size 0, a record of such.
    bool empty = false;
    std::size_t size = 0;
    // Numbers of nodes. Of a record only those that take bytes: a row of empty fields costs no
    // time.
    std::vector<std::uint32_t> children;
  };
  // A record that is being built, for references to it from inside.
  struct Enclosing {
    const std::string* name;
    std::uint32_t node;
  };

  std::uint32_t Build(const avro::Schema& schema, std::vector<Enclosing>& enclosing);
  void BuildRecord(const avro::Schema& schema, std::uint32_t node,
                   std::vector<Enclosing>& enclosing);
  Flaw SkipNode(const Node& node, const std::uint8_t*& at, const std::uint8_t* end,
                int depth) const;
  Flaw SkipBlocks(const Node& node, const std::uint8_t*& at, const std::uint8_t* end,
                  int depth) const;
  Flaw SkipItems(const Node& node, std::uint64_t count, const std::uint8_t*& at,
                 const std::uint8_t* end, int depth) const;

  // The root is the first.
  std::vector<Node> nodes_;
};

}  // namespace frazil::decode
