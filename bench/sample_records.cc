// SPDX-License-Identifier: Apache-2.0
#include "bench/sample_records.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "avro/binary.h"

namespace frazil::bench {
namespace {

constexpr std::string_view kFlatSchema =
    R"({"type":"record","name":"Order","namespace":"shop","fields":[)"
    R"({"name":"id","type":"long"},{"name":"customer","type":"string"},)"
    R"({"name":"amount","type":{"type":"bytes","logicalType":"decimal","precision":10,"scale":2}},)"
    R"({"name":"ts","type":{"type":"long","logicalType":"timestamp-millis"}},)"
    R"({"name":"status","type":{"type":"enum","name":"Status",)"
    R"("symbols":["NEW","PAID","PACKED","SENT","RETURNED"]}},)"
    R"({"name":"qty","type":"int"},{"name":"note","type":["null","string"]},)"
    R"({"name":"price","type":"double"}]})";

constexpr std::string_view kNestedSchema =
    R"({"type":"record","name":"Basket","namespace":"shop","fields":[)"
    R"({"name":"id","type":"long"},)"
    R"({"name":"ts","type":{"type":"long","logicalType":"timestamp-millis"}},)"
    R"({"name":"payer","type":{"type":"record","name":"Payer","fields":[)"
    R"({"name":"customer","type":"string"},)"
    R"({"name":"status","type":{"type":"enum","name":"Status",)"
    R"("symbols":["NEW","PAID","PACKED","SENT","RETURNED"]}},)"
    R"({"name":"address","type":["null",{"type":"record","name":"Address","fields":[)"
    R"({"name":"city","type":"string"},{"name":"zip","type":"int"}]}]}]}},)"
    R"({"name":"lines","type":{"type":"array","items":{"type":"record","name":"Line","fields":[)"
    R"({"name":"sku","type":"string"},)"
    R"({"name":"amount","type":{"type":"bytes","logicalType":"decimal","precision":10,"scale":2}},)"
    R"({"name":"qty","type":"int"},{"name":"price","type":"double"},)"
    R"({"name":"note","type":["null","string"]}]}}},)"
    R"({"name":"tags","type":{"type":"map","values":"string"}}]})";

constexpr std::int64_t kFirstTime = 1'767'225'600'000;  // 2026-01-01
// What stands before a number of four digits: 40,000 notes.
constexpr std::array<std::string_view, 4> kNotes = {"left at the door ", "ring twice at no. ",
                                                    "back garden, shed ", "with the porter "};
constexpr std::array<std::string_view, 4> kCities = {"Aachen", "Rotterdam", "Gdansk", "Oulu"};

// SplitMix64: numbers that look random, from one that does not.
class Chance {
 public:
  explicit Chance(std::int64_t seed) : state_(static_cast<std::uint64_t>(seed)) {}

  std::int64_t Below(std::int64_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_;
};

// Twelve characters.
std::string Name(std::string_view eight, std::int64_t number) {
  std::string name(eight);
  const std::string digits = std::to_string(number);
  name.append(4 - digits.size(), '0');
  return name + digits;
}

void WriteAmount(Chance& chance, avro::BinaryWriter& out) {
  Bytes bytes;
  AppendBigEndian(static_cast<std::int32_t>(chance.Below(20'000'000) - 1'000'000), bytes);
  out.WriteBytes(bytes);
}

void WriteNote(Chance& chance, avro::BinaryWriter& out) {
  if (chance.Below(4) == 0) {
    out.WriteLong(0);
    return;
  }
  out.WriteLong(1);
  std::string note(kNotes[static_cast<std::size_t>(chance.Below(kNotes.size()))]);
  note += std::to_string(1'000 + chance.Below(9'000));
  out.WriteString(note);
}

void WriteFlat(std::int64_t number, Chance& chance, avro::BinaryWriter& out) {
  out.WriteLong(number);
  out.WriteString(Name("customer", chance.Below(10'000)));
  WriteAmount(chance, out);
  out.WriteLong(kFirstTime + number * 7 + chance.Below(5));
  out.WriteInt(static_cast<std::int32_t>(chance.Below(5)));
  out.WriteInt(static_cast<std::int32_t>(chance.Below(100)));
  WriteNote(chance, out);
  out.WriteDouble(static_cast<double>(chance.Below(1'000'000)) / 100);
}

// Both are what the record's first two chances say.
std::int64_t LineCount(Chance& chance) { return 1 + chance.Below(5); }
std::int64_t TagCount(Chance& chance) { return chance.Below(3); }

void WriteNested(std::int64_t number, Chance& chance, avro::BinaryWriter& out) {
  const std::int64_t lines = LineCount(chance);
  const std::int64_t tags = TagCount(chance);
  out.WriteLong(number);
  out.WriteLong(kFirstTime + number * 7 + chance.Below(5));
  out.WriteString(Name("customer", chance.Below(10'000)));
  out.WriteInt(static_cast<std::int32_t>(chance.Below(5)));
  if (chance.Below(4) == 0) {
    out.WriteLong(0);
  } else {
    out.WriteLong(1);
    out.WriteString(kCities[static_cast<std::size_t>(chance.Below(kCities.size()))]);
    out.WriteInt(static_cast<std::int32_t>(chance.Below(100'000)));
  }
  out.WriteLong(lines);
  for (std::int64_t line = 0; line < lines; ++line) {
    out.WriteString(Name("article-", chance.Below(10'000)));
    WriteAmount(chance, out);
    out.WriteInt(static_cast<std::int32_t>(chance.Below(100)));
    out.WriteDouble(static_cast<double>(chance.Below(1'000'000)) / 100);
    WriteNote(chance, out);
  }
  out.WriteLong(0);
  if (tags > 0) out.WriteLong(tags);
  for (std::int64_t tag = 0; tag < tags; ++tag) {
    out.WriteString(tag == 0 ? "channel" : "campaign");
    out.WriteString(kNotes[static_cast<std::size_t>(chance.Below(kNotes.size()))].substr(0, 8));
  }
  out.WriteLong(0);
}

}  // namespace

Shape ShapeNamed(std::string_view name) {
  if (name == "flat") return Shape::kFlat;
  if (name == "nested") return Shape::kNested;
  std::fprintf(stderr, "a shape is flat or nested\n");
  std::exit(2);
}

std::string_view SchemaText(Shape shape) {
  return shape == Shape::kFlat ? kFlatSchema : kNestedSchema;
}

void AppendValue(Shape shape, std::int64_t number, std::int32_t schema_id, Bytes& to) {
  to.push_back(0);
  AppendBigEndian(schema_id, to);
  Chance chance(number);
  avro::BinaryWriter out;
  if (shape == Shape::kFlat) {
    WriteFlat(number, chance, out);
  } else {
    WriteNested(number, chance, out);
  }
  Append(out.bytes(), to);
}

std::int64_t LeafValues(Shape shape, std::int64_t number) {
  if (shape == Shape::kFlat) return 8;
  Chance chance(number);
  const std::int64_t lines = LineCount(chance);
  return 6 + 5 * lines + 2 * TagCount(chance);
}

}  // namespace frazil::bench
