// SPDX-License-Identifier: Apache-2.0
// What the pages of encoder version 2 look like, and how long they are said to be.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "parquet/chunk_encoder.h"
#include "parquet/page_plan.h"
#include "parquet/test/generated_batch.h"
#include "parquet/test/random_batches.h"
#include "parquet/test/read_back.h"
#include "parquet/test/sample_batches.h"

namespace frazil::parquet {
namespace {

using iceberg::Type;
using iceberg::TypeKind;
using ::parquet::Encoding;

std::shared_ptr<arrow::io::BufferReader> Input(const Bytes& file) {
  return std::make_shared<arrow::io::BufferReader>(
      std::make_shared<arrow::Buffer>(file.data(), static_cast<std::int64_t>(file.size())));
}

EncodedChunk Encoded(const std::shared_ptr<arrow::Array>& column, Type type,
                     bool required = false) {
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("f", column->type())}),
                                              column->length(), {column});
  auto chunk = EncodeChunk(*batch, SchemaOf({Field(1, "f", std::move(type), required)}), 2);
  if (!chunk.ok()) ADD_FAILURE() << chunk.error().ToString();
  return chunk.ok() ? std::move(chunk).value() : EncodedChunk{};
}

struct Page {
  ::parquet::PageType::type type;
  Encoding::type encoding;
  std::int64_t values;
  std::int64_t bytes;
};

std::vector<Page> PagesOf(const Bytes& file, int column = 0) {
  const auto reader = ::parquet::ParquetFileReader::Open(Input(file));
  const auto pages = reader->RowGroup(0)->GetColumnPageReader(column);
  std::vector<Page> found;
  while (const auto page = pages->NextPage()) {
    if (page->type() == ::parquet::PageType::DICTIONARY_PAGE) {
      const auto& dictionary = static_cast<const ::parquet::DictionaryPage&>(*page);
      found.push_back({page->type(), dictionary.encoding(), dictionary.num_values(), page->size()});
    } else {
      const auto& data = static_cast<const ::parquet::DataPage&>(*page);
      found.push_back({page->type(), data.encoding(), data.num_values(), page->size()});
    }
  }
  return found;
}

bool HasDictionary(const EncodedChunk& chunk) {
  return PagesOf(chunk.file).front().type == ::parquet::PageType::DICTIONARY_PAGE;
}

template <typename Builder, typename ValueOf>
std::shared_ptr<arrow::Array> Column(int rows, ValueOf value_of) {
  Builder builder;
  for (int i = 0; i < rows; ++i) EXPECT_TRUE(builder.Append(value_of(i)).ok());
  return *builder.Finish();
}

std::string Text(int number) { return "a text of some length, " + std::to_string(number); }

TEST(PagesTest, FooterSaysWhatThereIsAndNothingElse) {
  for (const Sample& sample : FixedSamples()) {
    const auto chunk = EncodeChunk(*sample.batch, sample.schema, 2);
    ASSERT_TRUE(chunk.ok());
    const auto footer = ::parquet::ParquetFileReader::Open(Input(chunk->file))->metadata();
    EXPECT_EQ(footer->created_by(), "frazil encoder 2");
    EXPECT_EQ(footer->version(), ::parquet::ParquetVersion::PARQUET_2_6);
    EXPECT_EQ(footer->key_value_metadata(), nullptr);
    ASSERT_EQ(footer->num_row_groups(), chunk->record_count == 0 ? 0 : 1);
    std::int64_t end = 4;
    for (int i = 0; footer->num_row_groups() > 0 && i < footer->num_columns(); ++i) {
      const auto column = footer->RowGroup(0)->ColumnChunk(i);
      EXPECT_EQ(column->compression(), ::parquet::Compression::UNCOMPRESSED);
      const bool may_be_nan =
          column->type() == ::parquet::Type::FLOAT || column->type() == ::parquet::Type::DOUBLE;
      EXPECT_EQ(column->is_stats_set(), !may_be_nan);
      EXPECT_FALSE(column->GetColumnIndexLocation().has_value());
      EXPECT_FALSE(column->GetOffsetIndexLocation().has_value());
      const auto start = column->has_dictionary_page() ? column->dictionary_page_offset()
                                                       : column->data_page_offset();
      EXPECT_EQ(start, end) << "columns follow one another";
      end = start + column->total_compressed_size();
      const FieldId id(footer->schema()->Column(i)->schema_node()->field_id());
      EXPECT_EQ(chunk->columns.at(id).column_size, column->total_compressed_size());
    }
    // Magic, columns, footer, its length, magic: nothing else.
    EXPECT_EQ(end + footer->size() + 8, chunk->file_size);
  }
}

TEST(PagesTest, FewTextsGetADictionaryAndManyDoNot) {
  constexpr int kRows = 20'000;
  const auto of = [](int different) {
    return Encoded(Column<arrow::StringBuilder>(kRows, [&](int i) { return Text(i % different); }),
                   Type::Of(TypeKind::kString));
  };
  for (const int few : {1, 2, 5, 192}) {
    const auto pages = PagesOf(of(few).file);
    ASSERT_EQ(pages.size(), 2U) << few;
    EXPECT_EQ(pages[0].type, ::parquet::PageType::DICTIONARY_PAGE);
    EXPECT_EQ(pages[0].encoding, Encoding::PLAIN);
    EXPECT_EQ(pages[0].values, few);
    EXPECT_EQ(pages[1].encoding, Encoding::RLE_DICTIONARY);
    EXPECT_EQ(pages[1].values, kRows);
  }
  for (const int many : {257, 1000, kRows}) {
    const auto pages = PagesOf(of(many).file);
    ASSERT_EQ(pages.size(), 1U) << many;
    EXPECT_EQ(pages[0].encoding, Encoding::PLAIN);
  }
}

// Texts that differ in one place each, so that a hash which overlooks one would show.
TEST(PagesTest, DictionaryHoldsTextsThatDifferAnywhere) {
  for (int length = 1; length <= 40; ++length) {
    for (int place = 0; place < length; ++place) {
      const auto column = Column<arrow::StringBuilder>(4000, [&](int i) {
        std::string text(static_cast<std::size_t>(length), 'x');
        text[static_cast<std::size_t>(place)] = static_cast<char>('!' + i % 90);
        return text;
      });
      const auto pages = PagesOf(Encoded(column, Type::Of(TypeKind::kString)).file);
      EXPECT_EQ(pages.front().values, 90) << length << ", " << place;
    }
  }
}

TEST(PagesTest, DictionaryThatOverflowsLateIsGivenUpBeforeAnythingIsWritten) {
  // One value but for the last rows, which no sample sees.
  const auto column =
      Column<arrow::StringBuilder>(20'000, [](int i) { return Text(i < 19'700 ? 0 : i); });
  const auto pages = PagesOf(Encoded(column, Type::Of(TypeKind::kString)).file);
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_EQ(pages[0].encoding, Encoding::PLAIN);
}

TEST(PagesTest, ShortColumnsHaveNoDictionary) {
  const auto column = Column<arrow::StringBuilder>(3, [](int) { return "x"; });
  EXPECT_FALSE(HasDictionary(Encoded(column, Type::Of(TypeKind::kString))));
}

TEST(PagesTest, ConstantColumnsTakeNextToNothing) {
  constexpr int kRows = 30'000;
  const auto ints = Encoded(Column<arrow::Int32Builder>(kRows, [](int) { return 7; }),
                            Type::Of(TypeKind::kInt), true);
  EXPECT_TRUE(HasDictionary(ints));
  EXPECT_LT(ints.columns.at(FieldId(1)).column_size, 60);
  const auto longs = Encoded(Column<arrow::Int64Builder>(kRows, [](int) { return -1; }),
                             Type::Of(TypeKind::kLong));
  EXPECT_LT(longs.columns.at(FieldId(1)).column_size, 80);
  const auto texts = Encoded(Column<arrow::StringBuilder>(kRows, [](int) { return "constant"; }),
                             Type::Of(TypeKind::kString));
  EXPECT_LT(texts.columns.at(FieldId(1)).column_size, 80);
  arrow::BinaryBuilder nulls;
  ASSERT_TRUE(nulls.AppendNulls(kRows).ok());
  const auto none = Encoded(*nulls.Finish(), Type::Of(TypeKind::kBinary));
  EXPECT_LT(none.columns.at(FieldId(1)).column_size, 50);
}

// NaN is no number that one could compare, and a zero may be either of two.
TEST(PagesTest, RealsAndBooleansHaveNoDictionary) {
  const auto reals = Column<arrow::DoubleBuilder>(10'000, [](int) { return 0.0; });
  EXPECT_FALSE(HasDictionary(Encoded(reals, Type::Of(TypeKind::kDouble))));
  const auto booleans = Column<arrow::BooleanBuilder>(10'000, [](int) { return true; });
  EXPECT_FALSE(HasDictionary(Encoded(booleans, Type::Of(TypeKind::kBoolean))));
}

TEST(PagesTest, PagesEndAfterSoManyRowsOrBytes) {
  const auto numbers = Column<arrow::Int64Builder>(70'000, [](int i) { return i; });
  auto pages = PagesOf(Encoded(numbers, Type::Of(TypeKind::kLong)).file);
  ASSERT_EQ(pages.size(), 3U);
  EXPECT_EQ(pages[0].values, kPageEntries);
  EXPECT_EQ(pages[2].values, 70'000 - 2 * kPageEntries);

  const auto texts =
      Column<arrow::StringBuilder>(3000, [](int i) { return std::string(1020, 'x') + Text(i); });
  std::int64_t rows = 0;
  pages = PagesOf(Encoded(texts, Type::Of(TypeKind::kString)).file);
  EXPECT_EQ(pages.size(), 4U);
  for (const Page& page : pages) {
    EXPECT_LE(page.bytes, static_cast<std::int64_t>(kPageBytes) + 4 + 200) << "levels apart";
    rows += page.values;
  }
  EXPECT_EQ(rows, 3000);

  const auto large = Column<arrow::StringBuilder>(
      20, [](int i) { return std::string(kPageBytes, 'x') + Text(i); });
  pages = PagesOf(Encoded(large, Type::Of(TypeKind::kString)).file);
  EXPECT_EQ(pages.size(), 3U) << "eight rows at least";
}

TEST(PagesTest, PagesOfListsEndWithARow) {
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::Int64Builder>());
  auto& values = static_cast<arrow::Int64Builder&>(*lists.value_builder());
  constexpr int kRows = 30'000;
  for (int row = 0; row < kRows; ++row) {
    ASSERT_TRUE(lists.Append().ok());
    for (int i = 0; i < row % 9; ++i) ASSERT_TRUE(values.Append(row * 10 + i).ok());
  }
  const auto type = Type::List(FieldId(2), Type::Of(TypeKind::kLong), false);
  const EncodedChunk chunk = Encoded(*lists.Finish(), type);
  const auto reader = ::parquet::ParquetFileReader::Open(Input(chunk.file));
  const auto pages = reader->RowGroup(0)->GetColumnPageReader(0);
  int count = 0;
  while (const auto page = pages->NextPage()) {
    const auto& data = static_cast<const ::parquet::DataPageV1&>(*page);
    // The repetition levels come first: their length, and one packed run.
    const std::uint8_t* run = data.data() + 4;
    while ((*run & 0x80) != 0) ++run;
    EXPECT_EQ(run[1] & 1, 0) << "the first level begins a row";
    EXPECT_LT(data.num_values(), kPageEntries + 9);
    ++count;
  }
  EXPECT_EQ(count, 4);
}

TEST(PagesTest, TextAsADictionaryGivesTheSameBytes) {
  std::vector<Sample> samples = FixedSamples();
  for (std::uint64_t seed = 1; seed <= 200; ++seed) samples.push_back(RandomSample(seed, 40));
  for (const Sample& sample : samples) {
    const auto folded = WithTextFolded(*sample.batch);
    for (int version = kOldestEncoderVersion; version <= kEncoderVersion; ++version) {
      const auto wanted = EncodeChunk(*sample.batch, sample.schema, version);
      const auto found = EncodeChunk(*folded, sample.schema, version);
      ASSERT_TRUE(wanted.ok());
      ASSERT_TRUE(found.ok()) << sample.name << ": " << found.error().ToString();
      EXPECT_EQ(found->file, wanted->file) << sample.name << ", version " << version;
      EXPECT_EQ(found->columns, wanted->columns) << sample.name << ", version " << version;
    }
  }
  for (const int different : {3, 256, 300, 5000}) {
    const auto texts =
        Column<arrow::StringBuilder>(5000, [&](int i) { return Text(i % different); });
    const auto type = Type::Of(TypeKind::kString);
    const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("f", arrow::utf8())}),
                                                texts->length(), {texts});
    EXPECT_EQ(Encoded(WithTextFolded(*batch)->column(0), type).file, Encoded(texts, type).file)
        << different;
  }
}

TEST(PagesTest, DictionaryThatLacksAValueIsRefused) {
  const auto texts = Column<arrow::StringBuilder>(2, [](int i) { return Text(i); });
  for (const int index : {-1, 2}) {
    const auto indices = Column<arrow::Int32Builder>(1, [&](int) { return index; });
    auto data = indices->data()->Copy();
    data->type = arrow::dictionary(arrow::int32(), arrow::utf8());
    data->dictionary = texts->data();
    const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("f", data->type)}), 1,
                                                {arrow::MakeArray(data)});
    const auto chunk = EncodeChunk(*batch, SchemaOf({Field(1, "f", Type::Of(TypeKind::kString))}));
    ASSERT_FALSE(chunk.ok());
    EXPECT_EQ(chunk.error().code(), ErrorCode::kInternal);
  }
}

void ExpectSameWithoutBytes(const EncodedChunk& measured, const EncodedChunk& chunk,
                            const std::string& name) {
  EXPECT_TRUE(measured.file.empty());
  EXPECT_EQ(measured.file_size, static_cast<std::int64_t>(chunk.file.size())) << name;
  EXPECT_EQ(measured.record_count, chunk.record_count) << name;
  EXPECT_EQ(measured.columns, chunk.columns) << name;
}

TEST(PagesTest, SizeOnlySaysWhatTheFileWouldBe) {
  std::vector<Sample> samples = FixedSamples();
  for (std::uint64_t seed = 1; seed <= 400; ++seed) samples.push_back(RandomSample(seed, 40));
  for (std::uint64_t seed = 1001; seed <= 1010; ++seed) samples.push_back(RandomSample(seed, 3000));
  std::uint64_t seed = 0;
  for (const Sample& sample : samples) {
    const auto groups = RandomGroups(++seed, sample.batch->num_rows());
    for (int version = kOldestEncoderVersion; version <= kEncoderVersion; ++version) {
      const auto chunk = EncodeInGroups(sample, groups, version);
      const auto measured = EncodeInGroups(sample, groups, version, 0, EncoderOutput::kSizeOnly);
      ASSERT_TRUE(chunk.ok() && measured.ok());
      ExpectSameWithoutBytes(*measured, *chunk, sample.name);
    }
  }
}

void ExpectGeneratedReadsBack(std::uint64_t seed, std::int64_t most_rows) {
  SeededChoices choices(seed);
  const GeneratedBatch made = GenerateBatch(choices, most_rows, 70'000);
  const auto folded = WithTextFolded(*made.batch);
  for (int version = kOldestEncoderVersion; version <= kEncoderVersion; ++version) {
    const std::string name =
        "seed " + std::to_string(seed) + ", version " + std::to_string(version);
    const auto chunk = EncodeInGroups(made.schema, *made.batch, made.groups, version);
    ASSERT_TRUE(chunk.ok()) << name << ": " << chunk.error().ToString();
    EXPECT_EQ(DifferenceFrom(*made.batch, chunk->file).substr(0, 2000), "") << name;
    const auto measured =
        EncodeInGroups(made.schema, *made.batch, made.groups, version, 0, EncoderOutput::kSizeOnly);
    ASSERT_TRUE(measured.ok());
    ExpectSameWithoutBytes(*measured, *chunk, name);
    const auto of_folded = EncodeInGroups(made.schema, *folded, made.groups, version);
    ASSERT_TRUE(of_folded.ok()) << name << ": " << of_folded.error().ToString();
    EXPECT_TRUE(of_folded->file == chunk->file) << name;
  }
}

TEST(PagesTest, GeneratedBatchesReadBackAndAreMeasuredRight) {
  for (std::uint64_t seed = 1; seed <= 250; ++seed) ExpectGeneratedReadsBack(seed, 60);
  for (std::uint64_t seed = 1001; seed <= 1012; ++seed) ExpectGeneratedReadsBack(seed, 4000);
  for (std::uint64_t seed = 2001; seed <= 2004; ++seed) ExpectGeneratedReadsBack(seed, 100'000);
}

}  // namespace
}  // namespace frazil::parquet
