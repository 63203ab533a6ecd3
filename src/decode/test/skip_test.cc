// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "decode/skip_internal.h"
#include "decode/test/topic_fixture.h"

namespace frazil::decode {
namespace {

struct Skipped {
  Flaw flaw = Flaw::kNone;
  std::size_t bytes = 0;
};

Skipped Skip(const std::string& schema_json, const std::string& hex) {
  const SkipProgram program(ParsedSchema(schema_json));
  const Bytes bytes = *HexDecode(hex);
  const std::uint8_t* at = bytes.data();
  Skipped skipped;
  skipped.flaw = program.Skip(at, bytes.data() + bytes.size());
  skipped.bytes = static_cast<std::size_t>(at - bytes.data());
  return skipped;
}

void ExpectSkips(const std::string& schema_json, const std::string& hex, std::size_t bytes) {
  const Skipped skipped = Skip(schema_json, hex);
  EXPECT_EQ(Text(skipped.flaw), Text(Flaw::kNone)) << schema_json;
  EXPECT_EQ(skipped.bytes, bytes) << schema_json;
}

void ExpectFlaw(const std::string& schema_json, const std::string& hex, Flaw flaw) {
  EXPECT_EQ(Text(Skip(schema_json, hex).flaw), Text(flaw)) << schema_json;
}

TEST(Skip, EveryTypeIsPassedExactly) {
  ExpectSkips(R"("null")", "aa", 0);
  ExpectSkips(R"("boolean")", "01aa", 1);
  ExpectSkips(R"("int")", "8001aa", 2);
  ExpectSkips(R"("long")", "ffffffffffffffffff01aa", 10);
  ExpectSkips(R"("float")", "00000000aa", 4);
  ExpectSkips(R"("double")", "0000000000000000aa", 8);
  ExpectSkips(R"("bytes")", "040102aa", 3);
  ExpectSkips(R"("string")", "00aa", 1);
  ExpectSkips(R"({"type":"enum","name":"E","symbols":["A"]})", "00aa", 1);
  ExpectSkips(R"({"type":"fixed","name":"F","size":3})", "010203aa", 3);
  ExpectSkips(R"(["null","string"])", "020261aa", 3);
  ExpectSkips(R"(["null","string"])", "00aa", 1);
  ExpectSkips(RecordJson(R"({"name":"n","type":"null"},{"name":"i","type":"int"})"), "02aa", 1);
}

TEST(Skip, BlocksComeWithOrWithoutTheirSize) {
  const std::string array = R"({"type":"array","items":"int"})";
  ExpectSkips(array, "00aa", 1);
  ExpectSkips(array,
              "0402040206"
              "00aa",
              6);
  // -2 items in 3 bytes.
  ExpectSkips(array,
              "0306800104"
              "00aa",
              6);
  const std::string map = R"({"type":"map","values":"int"})";
  ExpectSkips(map, "0202610200aa", 5);
  ExpectSkips(map, "010602610200aa", 6);
}

TEST(Skip, InventedCountsCostNothing) {
  const std::string huge = "feffffffffffffffff01";  // 2^63 - 1
  ExpectFlaw(R"({"type":"array","items":"int"})", huge + "02", Flaw::kBlockCount);
  ExpectFlaw(R"({"type":"map","values":"null"})", huge + "02", Flaw::kBlockCount);
  ExpectSkips(R"({"type":"array","items":"null"})", huge + "00", 11);
  ExpectSkips(R"({"type":"array","items":{"type":"record","name":"N","fields":[]}})", huge + "00",
              11);
  // The lowest long as a count, which has no positive.
  ExpectFlaw(R"({"type":"array","items":"int"})",
             "ffffffffffffffffff01"
             "06"
             "02",
             Flaw::kEndsEarly);
  ExpectFlaw(R"({"type":"array","items":"int"})",
             "0101"
             "02",
             Flaw::kNegativeLength);
}

TEST(Skip, DamageIsFound) {
  ExpectFlaw(R"("int")", "", Flaw::kEndsEarly);
  ExpectFlaw(R"("int")", "80", Flaw::kEndsEarly);
  ExpectFlaw(R"("int")", "ffffffffffffffffffff01", Flaw::kLongVarint);
  ExpectFlaw(R"("string")", "0461", Flaw::kEndsEarly);
  ExpectFlaw(R"("string")", "01", Flaw::kNegativeLength);
  ExpectFlaw(R"(["null","int"])", "04", Flaw::kUnionBranch);
  ExpectFlaw(R"(["null","int"])", "01", Flaw::kUnionBranch);
  ExpectFlaw(R"("double")", "00000000000000", Flaw::kEndsEarly);
}

TEST(Skip, ARecordInsideItselfIsFollowedToADepth) {
  const std::string list =
      R"({"type":"record","name":"Node","fields":[{"name":"next","type":["null","Node"]}]})";
  ExpectSkips(list, "020200aa", 3);
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "02";
  ExpectFlaw(list, deep + "00", Flaw::kTooDeep);
  const std::string endless =
      R"({"type":"record","name":"A","fields":[{"name":"a","type":"A"},{"name":"b","type":"A"}]})";
  ExpectFlaw(endless, "00", Flaw::kTooDeep);
}

}  // namespace
}  // namespace frazil::decode
