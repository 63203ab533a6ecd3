// SPDX-License-Identifier: Apache-2.0
// Columns of enums as Arrow dictionaries.
#include <arrow/array.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "decode/test/topic_fixture.h"

namespace frazil::decode {
namespace {

using testing::ElementsAre;

constexpr const char* kEnum = R"({"type":"enum","name":"L","symbols":["LOW","HIGH"]})";

class EnumFormTest : public testing::Test {
 protected:
  // The field "x" of that type, and one before and behind it.
  void Register(int id, const std::string& type) {
    ASSERT_TRUE(topic_
                    .Register(id, RecordJson(R"({"name":"a","type":"int"},{"name":"x","type":)" +
                                             type + R"(},{"name":"z","type":"string"})"))
                    .ok());
  }
  void Add(int id, const std::string& hex) {
    topic_.Add(id, *HexDecode("02" + hex +
                              "0471"
                              "71"));
  }

  std::shared_ptr<arrow::Array> Decode(EnumForm form) {
    const auto batch = topic_.Decode(topic_.newest(), form);
    EXPECT_TRUE(batch.ok()) << batch.error().ToString();
    EXPECT_TRUE((*batch)->ValidateFull().ok()) << (*batch)->ValidateFull().ToString();
    EXPECT_EQ((*batch)->schema()->GetFieldByName("x")->type()->id(),
              (*batch)->GetColumnByName("x")->type_id());
    return (*batch)->GetColumnByName("x");
  }
  // What each row says.
  static std::vector<std::string> TextsOf(const arrow::Array& array) {
    std::vector<std::string> texts;
    const auto* folded = array.type_id() == arrow::Type::DICTIONARY
                             ? &static_cast<const arrow::DictionaryArray&>(array)
                             : nullptr;
    const auto& text =
        static_cast<const arrow::StringArray&>(folded == nullptr ? array : *folded->dictionary());
    for (std::int64_t i = 0; i < array.length(); ++i) {
      if (array.IsNull(i)) {
        texts.emplace_back("NULL");
      } else {
        texts.push_back(text.GetString(folded == nullptr ? i : folded->GetValueIndex(i)));
      }
    }
    return texts;
  }
  // Both forms say the same.
  std::vector<std::string> Texts(arrow::Type::type expected) {
    const auto folded = Decode(EnumForm::kDictionary);
    EXPECT_EQ(folded->type_id(), expected);
    const auto plain = Decode(EnumForm::kText);
    EXPECT_EQ(plain->type_id(), arrow::Type::STRING);
    EXPECT_EQ(TextsOf(*folded), TextsOf(*plain));
    EXPECT_EQ(folded->null_count(), plain->null_count());
    return TextsOf(*folded);
  }

  TopicFixture topic_;
};

TEST_F(EnumFormTest, AnEnumIsADictionary) {
  Register(1, kEnum);
  Add(1, "02");
  Add(1, "00");
  Add(1, "02");
  EXPECT_THAT(Texts(arrow::Type::DICTIONARY), ElementsAre("HIGH", "LOW", "HIGH"));
}

TEST_F(EnumFormTest, NullsAndTombstonesAreNull) {
  Register(1, std::string(R"(["null",)") + kEnum + "]");
  Add(1, "0202");
  Add(1, "00");
  topic_.AddValue(std::nullopt);
  topic_.EndBlock();
  Add(1, "0200");
  EXPECT_THAT(Texts(arrow::Type::DICTIONARY), ElementsAre("HIGH", "NULL", "NULL", "LOW"));
}

TEST_F(EnumFormTest, WritersOfTheSameSymbolsShareADictionary) {
  Register(1, kEnum);
  Register(2, std::string(R"(["null",)") + kEnum + "]");
  Add(1, "02");
  Add(2, "0200");
  Add(2, "00");
  EXPECT_THAT(Texts(arrow::Type::DICTIONARY), ElementsAre("HIGH", "LOW", "NULL"));
}

TEST_F(EnumFormTest, AWriterWithoutTheFieldLeavesItNull) {
  ASSERT_TRUE(topic_.Register(1, RecordJson(R"({"name":"a","type":"int"})")).ok());
  Register(2, kEnum);
  topic_.Add(1, *HexDecode("02"));
  Add(2, "02");
  EXPECT_THAT(Texts(arrow::Type::DICTIONARY), ElementsAre("NULL", "HIGH"));
}

TEST_F(EnumFormTest, OtherSymbolsAndStringsAreText) {
  Register(1, kEnum);
  Add(1, "02");
  Register(2, R"({"type":"enum","name":"L","symbols":["LOW","MID","HIGH"]})");
  Add(2, "02");
  EXPECT_THAT(Texts(arrow::Type::STRING), ElementsAre("HIGH", "MID"));
}

TEST_F(EnumFormTest, AStringIsText) {
  Register(1, kEnum);
  Add(1, "02");
  Register(2, R"("string")");
  Add(2,
      "0459"
      "4f");
  EXPECT_THAT(Texts(arrow::Type::STRING), ElementsAre("HIGH", "YO"));
}

TEST_F(EnumFormTest, ASymbolThatThereIsNotIsRefused) {
  Register(1, kEnum);
  Add(1, "04");
  const auto batch = topic_.Decode(topic_.newest(), EnumForm::kDictionary);
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.error().code(), ErrorCode::kUndecodableRecord);
}

TEST_F(EnumFormTest, ManyRowsPassTheSliceThatIsDecodedAtOnce) {
  Register(1, std::string(R"(["null",)") + kEnum + "]");
  for (int i = 0; i < 40'000; ++i) Add(1, i % 3 == 0 ? "00" : i % 3 == 1 ? "0200" : "0202");
  const auto texts = Texts(arrow::Type::DICTIONARY);
  ASSERT_EQ(texts.size(), 40'000U);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(texts[i], i % 3 == 0 ? "NULL" : i % 3 == 1 ? "LOW" : "HIGH") << i;
  }
}

}  // namespace
}  // namespace frazil::decode
