// SPDX-License-Identifier: Apache-2.0
// Whatever happens to the file's bytes, no answer is another one than was recorded.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "ledger/page_hashes.h"
#include "ledger/test/ledger_fixture.h"

namespace frazil::ledger {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Answers = std::vector<std::string>;

class IntegrityTest : public LedgerTest {
 protected:
  // A topic with schemas, generations and a table that has lived.
  void Fill(int states) {
    Open();
    table_ = MakeTable();
    topic_ = (*ledger_->FindTopic("orders"))->key;
    const SchemaRow schema{.schema = SomeSchema(0, 3), .writer_schema_id = WriterSchemaId(1)};
    const WriterRow writer{.writer_schema_id = WriterSchemaId(1),
                           .version = SchemaVersion(0),
                           .format = "AVRO",
                           .text = std::string(9000, 't'),
                           .references = {"\"long\"", "\"int\""}};
    ASSERT_TRUE(ledger_->AppendSchemas(topic_, {schema}, {writer}, FieldId(21)).ok());
    ASSERT_TRUE(ledger_->PinValueFormat(topic_, "avro").ok());
    RandomLife life(*ledger_, table_, 7);
    for (int i = 0; i < states; ++i) {
      clock_.Set(kNewYear + i * 5000);
      life.Step();
    }
    last_state_ = life.last_state();
    last_cut_ = life.last_cut();
    paths_ = life.paths();
    NewState lost = StateOf({});
    lost.generation = {.generation = Generation(1), .topic_id = SomeUuid(9)};
    ASSERT_TRUE(ledger_->RecordState(table_, last_state_++, lost).ok());
  }

  // Everything that the interface tells.
  Answers AllAnswers(Ledger& ledger) const {
    Answers answers = {HexEncode(ledger.Secret())};
    const auto add = [&](const auto& result, const auto& describe) {
      answers.push_back(result.ok() ? describe(*result) : "error: " + result.error().ToString());
    };
    add(ledger.FindTopic("orders"), [](const std::optional<TopicRow>& topic) {
      if (!topic) return std::string("none");
      return topic->name + std::to_string(topic->key) + topic->topic_id.ToString() +
             std::to_string(topic->generation.value()) + topic->value_format +
             std::to_string(topic->next_field_id.value());
    });
    add(ledger.FindTable(topic_, "speed"), [](const std::optional<TableRow>& table) {
      return table ? table->uuid.ToString() + std::to_string(table->key) : std::string("none");
    });
    add(ledger.Generations(topic_), [](const std::vector<GenerationRow>& rows) {
      std::string text;
      for (const auto& row : rows) {
        text += std::to_string(row.generation.value()) + row.topic_id.ToString();
      }
      return text;
    });
    add(ledger.Schemas(topic_), [](const std::vector<SchemaRow>& rows) {
      std::string text;
      for (const auto& row : rows) {
        text += iceberg::SchemaToJson(row.schema) + std::to_string(row.writer_schema_id.value());
      }
      return text;
    });
    add(ledger.Writers(topic_), [](const std::vector<WriterRow>& rows) {
      std::string text;
      for (const auto& row : rows) {
        text += row.format + row.text + std::to_string(row.version.value());
        for (const auto& reference : row.references) text += reference;
      }
      return text;
    });
    add(ledger.LostRanges(table_), [](const std::vector<LostRange>& ranges) {
      std::string text;
      for (const auto& range : ranges) {
        text += range.reason + std::to_string(range.start.value()) + "-" +
                std::to_string(range.end.value()) + "@" + std::to_string(range.stamp.value());
      }
      return text;
    });
    add(ledger.Current(table_), [](const CurrentView& view) { return Describe(view); });
    for (std::int64_t i = 0; i <= last_state_ + 1; ++i) {
      answers.push_back(Describe(ledger.FindState(table_, i)));
    }
    for (std::int64_t i = 0; i <= last_cut_ + 1; ++i) {
      answers.push_back(Describe(ledger.FindCut(table_, CutNumber(i))));
      answers.push_back(Describe(ledger.FindManifest(table_, CutNumber(i))));
    }
    for (const std::string& path : paths_) {
      answers.push_back(Describe(ledger.FindChunk(table_, path)));
    }
    answers.push_back(Describe(ledger.FindChunk(table_, "s3://frazil/never")));
    return answers;
  }

  std::string ReadFile() const {
    std::ifstream file(File(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void WriteFile(const std::string& content) const {
    std::filesystem::remove(File() + "-wal");
    std::filesystem::remove(File() + "-shm");
    std::ofstream file(File(), std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
  }

  // Opens the file with these bytes: each answer is as expected, or an error. Counts errors.
  void Compare(const std::string& content, const Answers& expected, const std::string& what) {
    WriteFile(content);
    auto opened = OpenSqliteLedger(folder_, clock_);
    if (!opened.ok()) {
      EXPECT_EQ(opened.error().code(), ErrorCode::kLedger) << opened.error().ToString();
      ++refused_;
      return;
    }
    const Answers answers = AllAnswers(**opened);
    ASSERT_EQ(answers.size(), expected.size());
    bool any_error = false;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i] == expected[i]) continue;
      any_error = true;
      EXPECT_THAT(answers[i],
                  testing::AnyOf(StartsWith("error: corrupt_data"), StartsWith("error: ledger")))
          << what << ", instead of " << expected[i];
    }
    if (any_error) ++errors_;
  }

  std::int64_t table_ = 0;
  std::int64_t topic_ = 0;
  std::int64_t last_state_ = 0;
  std::int64_t last_cut_ = 0;
  std::vector<std::string> paths_;
  int refused_ = 0;
  int errors_ = 0;
};

TEST_F(IntegrityTest, FlippedBitsNeverGiveAnotherAnswer) {
  Fill(30);
  const Answers expected = AllAnswers(*ledger_);
  for (const std::string& answer : expected) ASSERT_THAT(answer, Not(StartsWith("error")));
  Close();
  const std::string whole = ReadFile();
  ASSERT_GT(whole.size(), 20 * kPageSize);
  std::mt19937_64 random(1);
  for (int i = 0; i < 120; ++i) {
    std::string damaged = whole;
    const std::size_t at = random() % whole.size();
    // A bit, or a whole byte.
    const auto mask = static_cast<char>(i % 3 == 0 ? 0xff : 1 << (random() % 8));
    damaged[at] = static_cast<char>(damaged[at] ^ mask);
    Compare(damaged, expected, "byte " + std::to_string(at));
  }
  EXPECT_GT(refused_ + errors_, 90);
  EXPECT_GT(errors_, 30);
}

TEST_F(IntegrityTest, EveryByteOfTheHeaderCounts) {
  Fill(3);
  const Answers expected = AllAnswers(*ledger_);
  Close();
  const std::string whole = ReadFile();
  for (std::size_t at = 0; at < 100; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x11);
    Compare(damaged, expected, "byte " + std::to_string(at));
  }
  EXPECT_EQ(refused_, 100);
}

TEST_F(IntegrityTest, PagesThatAreGoneOrExchangedAreNoticed) {
  Fill(10);
  const Answers expected = AllAnswers(*ledger_);
  Close();
  const std::string whole = ReadFile();
  for (std::size_t size = 1; size < whole.size(); size += 20'011) {
    Compare(whole.substr(0, size), expected, "cut to " + std::to_string(size));
  }
  const std::size_t pages = whole.size() / kPageSize;
  for (std::size_t i = 1; i + 1 < pages; ++i) {
    // A page with its own hash in another's place.
    std::string damaged = whole;
    damaged.replace(i * kPageSize, kPageSize, whole, (i + 1) * kPageSize, kPageSize);
    Compare(damaged, expected, "page " + std::to_string(i));
    damaged.replace(i * kPageSize, kPageSize, kPageSize, '\0');
    Compare(damaged, expected, "page of zeros " + std::to_string(i));
  }
  EXPECT_GT(refused_ + errors_, static_cast<int>(pages));
}

TEST_F(IntegrityTest, WritingOnADamagedFileIsAnErrorOrRight) {
  Fill(10);
  Close();
  const std::string whole = ReadFile();
  int errors = 0;
  for (std::size_t at = 4096 + 50; at < whole.size(); at += 4096) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    WriteFile(damaged);
    auto opened = OpenSqliteLedger(folder_, clock_);
    if (!opened.ok()) continue;
    const auto last = (*opened)->FindState(table_, last_state_);
    const auto recorded = (*opened)->RecordState(table_, last_state_, NewState{});
    if (!recorded.ok()) {
      ++errors;
      continue;
    }
    EXPECT_EQ(recorded->state.number, last_state_ + 1);
    if (last.ok()) {
      EXPECT_EQ(recorded->state.cut, (*last)->state.cut);
    }
  }
  EXPECT_GT(errors, 0);
}

TEST_F(IntegrityTest, RowsChangedPastFrazilAreCorruptData) {
  Fill(10);
  Close();
  const std::string whole = ReadFile();
  for (const char* sql :
       {"UPDATE tables SET last_cut = last_cut - 1", "UPDATE states SET stamp = stamp + 1",
        "DELETE FROM chunks WHERE id = 1", "DELETE FROM cuts WHERE number = 1"}) {
    WriteFile(whole);
    Execute(sql);
    auto opened = OpenSqliteLedger(folder_, clock_);
    if (!opened.ok()) {
      EXPECT_THAT(opened.error().message(), HasSubstr("the ledger is damaged")) << sql;
      continue;
    }
    const auto current = (*opened)->Current(table_);
    ASSERT_FALSE(current.ok()) << sql;
    EXPECT_EQ(current.error().code(), ErrorCode::kCorruptData) << sql;
  }
}

// Page 1 may be half written when the power fails; then the log has it whole.
TEST_F(IntegrityTest, HalfWrittenFirstPageIsTakenFromTheLog) {
  Fill(3);
  Close();
  Open();
  const std::string before = ReadFile();
  ASSERT_TRUE(ledger_->CreateTopic("another", Uuid{}, FieldId(21)).ok());
  // Grows the file, so that page 1 is in the log.
  RandomLife life(*ledger_, MakeTable("lively"), 3);
  for (int i = 0; i < 20; ++i) life.Step();
  const Answers expected = AllAnswers(*ledger_);
  const std::string copy = folder_ + "-copy";
  std::filesystem::create_directories(copy);
  std::filesystem::copy(File(), copy + "/ledger.sqlite");
  std::filesystem::copy(File() + "-wal", copy + "/ledger.sqlite-wal");
  {
    std::fstream file(copy + "/ledger.sqlite", std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(20);
    file.write(std::string(30, '\x7f').data(), 30);
  }
  const auto opened = OpenSqliteLedger(copy, clock_);
  ASSERT_TRUE(opened.ok()) << opened.error().ToString();
  EXPECT_EQ(AllAnswers(**opened), expected);
}

}  // namespace
}  // namespace frazil::ledger
