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
    // A record that refers to itself; any other one's steps stand in its place.
    kRecord,
    kArray,
    kMap,
    // A union of null and one other type.
    kNullable,
    kUnion,
  };
  struct Step {
    Kind kind = Kind::kFixed;
    // kNullable: the branch number of null as a byte. The other one's is 2 - null_byte.
    std::uint8_t null_byte = 0;
    // Number of a sequence: of the record, the item, the value. kUnion: number in `unions_`.
    std::uint32_t inside = 0;
    // kFixed.
    std::size_t size = 0;
  };
  // Steps that take a byte each at least: a row of empty fields costs no time.
  using Sequence = std::vector<Step>;
  // A record that is being built, for references to it from inside.
  struct Enclosing {
    const std::string* name;
    std::uint32_t sequence;
    bool referenced = false;
  };

  void Build(const avro::Schema& schema, std::vector<Enclosing>& enclosing, Sequence& to);
  void BuildRecord(const avro::Schema& schema, std::vector<Enclosing>& enclosing, Sequence& to);
  void BuildUnion(const avro::Schema& schema, std::vector<Enclosing>& enclosing, Sequence& to);
  std::uint32_t BuildInside(const avro::Schema& schema, std::vector<Enclosing>& enclosing);

  Flaw SkipSequence(const Sequence& steps, const std::uint8_t*& at, const std::uint8_t* end,
                    int depth) const;
  Flaw SkipNested(const Step& step, const std::uint8_t*& at, const std::uint8_t* end,
                  int depth) const;
  Flaw SkipUnion(const Step& step, const std::uint8_t*& at, const std::uint8_t* end,
                 int depth) const;
  Flaw SkipBlocks(const Step& step, const std::uint8_t*& at, const std::uint8_t* end,
                  int depth) const;
  Flaw SkipItems(const Step& step, std::uint64_t count, const std::uint8_t*& at,
                 const std::uint8_t* end, int depth) const;

  Sequence root_;
  std::vector<Sequence> sequences_;
  // The sequences of each union's branches.
  std::vector<std::vector<std::uint32_t>> unions_;
};

}  // namespace frazil::decode
