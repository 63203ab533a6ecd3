// SPDX-License-Identifier: Apache-2.0
// The decoder's columns against a reader that takes one value after the other, in the plainest way:
// on random records, on every truncation of some, and on damaged ones.
#include <gtest/gtest.h>

#include "decode/test/reference_reader.h"
#include "decode/test/topic_fixture.h"

namespace frazil::decode {
namespace {

// The types that are not nested, each as it is (%) and as a union with null; last in the record
// stands what a record's end cuts off.
constexpr const char* kLeaves[] = {
    R"("boolean")",
    R"("int")",
    R"("long")",
    R"("float")",
    R"("double")",
    R"("bytes")",
    R"("string")",
    R"({"type":"enum","name":"E%","symbols":["A","BB","A_symbol_of_more_than_sixteen_bytes"]})",
    R"({"type":"enum","name":"E%","symbols":["NEW","PAID","SHIPPED"]})",
    R"({"type":"fixed","name":"F%","size":3})",
    R"({"type":"bytes","logicalType":"decimal","precision":10,"scale":2})",
    R"({"type":"bytes","logicalType":"decimal","precision":38})",
    R"({"type":"fixed","name":"F%","size":5,"logicalType":"decimal","precision":9})",
    R"({"type":"fixed","name":"F%","size":20,"logicalType":"decimal","precision":30})",
    R"({"type":"string","logicalType":"uuid"})",
    R"({"type":"int","logicalType":"date"})",
    R"({"type":"int","logicalType":"time-millis"})",
    R"({"type":"long","logicalType":"timestamp-millis"})",
    R"({"type":"long","logicalType":"timestamp-micros"})",
    R"({"type":"long","logicalType":"timestamp-nanos"})",
};

class NamedFields {
 public:
  void Add(const std::string& type) {
    if (!json_.empty()) json_ += ",";
    json_ += R"({"name":"f)" + std::to_string(next_) + R"(","type":)" + Named(type) + "}";
    ++next_;
  }
  std::string Named(std::string type) {
    for (auto at = type.find('%'); at != std::string::npos; at = type.find('%')) {
      type.replace(at, 1, std::to_string(names_++));
    }
    return type;
  }
  const std::string& json() const { return json_; }

 private:
  std::string json_;
  int next_ = 0;
  int names_ = 0;
};

std::string Record(const NamedFields& fields, const std::string& name) {
  return R"({"type":"record","name":")" + name + R"(","fields":[)" + fields.json() + "]}";
}

// Rotated, so that each type ends a record once.
NamedFields Leaves(std::size_t rotation) {
  NamedFields fields;
  constexpr std::size_t kCount = std::size(kLeaves);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::string leaf = kLeaves[(i + rotation) % kCount];
    const std::string with_null[] = {R"(["null",)" + leaf + "]", "[" + leaf + R"(,"null"])"};
    fields.Add(leaf);
    fields.Add(with_null[i % 2]);
  }
  return fields;
}

std::vector<std::string> Schemas() {
  std::vector<std::string> schemas;
  for (std::size_t rotation = 0; rotation < std::size(kLeaves); rotation += 3) {
    schemas.push_back(Record(Leaves(rotation), "R"));
  }
  for (const char* leaf : kLeaves) {
    NamedFields alone;
    alone.Add(leaf);
    schemas.push_back(Record(alone, "R"));
    NamedFields with_null;
    with_null.Add(R"(["null",)" + std::string(leaf) + "]");
    schemas.push_back(Record(with_null, "R"));
  }
  const std::string inner = Record(Leaves(2), "Inner");
  for (const std::string& nested :
       {inner, R"(["null",)" + inner + "]", R"({"type":"array","items":)" + inner + "}",
        R"({"type":"array","items":["null",)" + inner + "]}",
        R"(["null",{"type":"map","values":)" + inner + "}]",
        std::string(R"({"type":"map","values":{"type":"array","items":["null","string"]}})"),
        std::string(R"({"type":"array","items":["string","null",{"type":"array","items":)"
                    R"({"type":"map","values":"long"}}]})"),
        std::string(R"(["null","long","string","boolean","double"])"),
        std::string(R"({"type":"array","items":["int","bytes"]})")}) {
    schemas.push_back(R"({"type":"record","name":"R","fields":[{"name":"f0","type":"long"},)"
                      R"({"name":"f1","type":)" +
                      nested + R"(},{"name":"f2","type":["null","string"]}]})");
  }
  return schemas;
}

// The cells of a record's columns; empty when the bytes are at fault.
std::vector<std::string> ReferenceCells(const avro::Schema& schema, const Bytes& body) {
  avro::BinaryReader from(body);
  std::vector<std::string> cells;
  for (const avro::Field& field : schema.fields) {
    auto cell = ReferenceCell(field.schema, from);
    if (!cell.ok()) return {};
    cells.push_back(*std::move(cell));
  }
  return from.remaining() == 0 ? cells : std::vector<std::string>();
}

void ExpectRow(const arrow::RecordBatch& batch, const avro::Schema& schema, std::int64_t row,
               const std::vector<std::string>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string& name = schema.fields[i].name;
    ASSERT_EQ(Cell(batch, name, row).value_or("NULL"), expected[i]) << name << ", row " << row;
  }
}

Bytes RandomBody(const avro::Schema& schema, std::mt19937_64& random) {
  avro::BinaryWriter to;
  WriteRandom(schema, random, to);
  return to.Take();
}

TEST(Reference, RandomRecordsAreReadAlike) {
  std::mt19937_64 random(7);
  for (const std::string& json : Schemas()) {
    TopicFixture topic;
    const auto mapped = topic.Register(1, json);
    ASSERT_TRUE(mapped.ok()) << mapped.error().ToString() << json;
    const avro::Schema& schema = topic.writer(1);
    std::vector<std::vector<std::string>> expected;
    for (int i = 0; i < 60; ++i) {
      const Bytes body = RandomBody(schema, random);
      expected.push_back(ReferenceCells(schema, body));
      ASSERT_FALSE(expected.back().empty()) << json;
      topic.Add(1, body);
      if (random() % 16 == 0) {
        topic.AddValue(std::nullopt);
        expected.emplace_back(schema.fields.size(), "NULL");
      }
      if (random() % 16 == 0) topic.EndBlock();
    }
    const auto batch = topic.Decode();
    ASSERT_TRUE(batch.ok()) << batch.error().ToString() << json;
    for (std::size_t row = 0; row < expected.size(); ++row) {
      ExpectRow(**batch, schema, static_cast<std::int64_t>(row), expected[row]);
    }
  }
}

// A record alone, and behind sound ones: the fault is its own.
void ExpectAlike(const std::string& json, const Bytes& sound, const Bytes& damaged) {
  TopicFixture topic;
  ASSERT_TRUE(topic.Register(1, json).ok());
  const avro::Schema& schema = topic.writer(1);
  topic.Add(1, sound);
  topic.Add(1, damaged);
  topic.Add(1, sound);
  const auto expected = ReferenceCells(schema, damaged);
  const auto batch = topic.Decode();
  ASSERT_EQ(batch.ok(), !expected.empty()) << (batch.ok() ? json : batch.error().ToString());
  if (batch.ok()) {
    ExpectRow(**batch, schema, 1, expected);
  } else {
    EXPECT_EQ(batch.error().code(), ErrorCode::kUndecodableRecord);
    EXPECT_NE(batch.error().message().find("offset 101"), std::string::npos);
  }
}

// Short enough that each of its bytes can be damaged.
Bytes ShortBody(const avro::Schema& schema, std::mt19937_64& random) {
  Bytes body = RandomBody(schema, random);
  for (int i = 0; i < 100 && body.size() > 400; ++i) {
    Bytes other = RandomBody(schema, random);
    if (other.size() < body.size()) body = std::move(other);
  }
  return body;
}

TEST(Reference, DamagedRecordsAreReadOrRefusedAlike) {
  std::mt19937_64 random(11);
  for (const std::string& json : Schemas()) {
    const avro::Schema schema = ParsedSchema(json);
    const Bytes sound = ShortBody(schema, random);
    const std::size_t step = 1 + sound.size() / 200;
    for (std::size_t i = 0; i < sound.size(); i += step) {
      const auto middle = sound.begin() + static_cast<std::ptrdiff_t>(i);
      ExpectAlike(json, sound, Bytes(sound.begin(), middle));
      Bytes damaged = sound;
      damaged[i] ^= static_cast<std::uint8_t>(1 + random() % 255);
      ExpectAlike(json, sound, damaged);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace frazil::decode
