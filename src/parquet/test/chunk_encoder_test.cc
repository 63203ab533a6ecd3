// SPDX-License-Identifier: Apache-2.0
#include "parquet/chunk_encoder.h"

#include <sstream>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/printer.h>

#include "parquet/test/random_batches.h"
#include "parquet/test/read_back.h"
#include "parquet/test/sample_batches.h"

namespace frazil::parquet {
namespace {

using iceberg::Type;
using iceberg::TypeKind;
using testing::HasSubstr;

std::shared_ptr<arrow::io::BufferReader> Input(const Bytes& file) {
  return std::make_shared<arrow::io::BufferReader>(
      std::make_shared<arrow::Buffer>(file.data(), static_cast<std::int64_t>(file.size())));
}

std::unique_ptr<::parquet::ParquetFileReader> OpenFile(const Bytes& file) {
  return ::parquet::ParquetFileReader::Open(Input(file));
}

constexpr int kVersions[] = {1, 2};

EncodedChunk Encoded(const Sample& sample, int version = kEncoderVersion) {
  auto chunk = EncodeChunk(*sample.batch, sample.schema, version);
  if (!chunk.ok()) ADD_FAILURE() << sample.name << ": " << chunk.error().ToString();
  return chunk.ok() ? std::move(chunk).value() : EncodedChunk{};
}

void ExpectReadsBack(const Sample& sample, int version) {
  const EncodedChunk chunk = Encoded(sample, version);
  EXPECT_EQ(chunk.file_size, static_cast<std::int64_t>(chunk.file.size()));
  EXPECT_EQ(chunk.record_count, sample.batch->num_rows());
  EXPECT_EQ(DifferenceFrom(*sample.batch, chunk.file), "") << sample.name;
}

TEST(ChunkEncoderTest, FixedSamplesReadBackAsTheyWere) {
  for (const int version : kVersions) {
    for (const Sample& sample : FixedSamples()) ExpectReadsBack(sample, version);
  }
}

TEST(ChunkEncoderTest, RandomBatchesReadBackAsTheyWere) {
  for (const int version : kVersions) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      ExpectReadsBack(RandomSample(seed, 40), version);
    }
    for (std::uint64_t seed = 1001; seed <= 1010; ++seed) {
      ExpectReadsBack(RandomSample(seed, 3000), version);
    }
  }
}

TEST(ChunkEncoderTest, SchemaIsWhatTheIcebergSpecificationSays) {
  const auto schema_text = [](const Sample& sample) {
    std::ostringstream text;
    ::parquet::schema::PrintSchema(
        OpenFile(Encoded(sample).file)->metadata()->schema()->schema_root().get(), text);
    return text.str();
  };
  const auto samples = FixedSamples();
  EXPECT_EQ(schema_text(samples.at(0)), R"(required group field_id=-1 table {
  optional boolean field_id=1 boolean;
  optional int32 field_id=2 int;
  required int64 field_id=3 long;
  optional float field_id=4 float;
  optional double field_id=5 double;
  optional int32 field_id=6 decimal_9 (Decimal(precision=9, scale=2));
  optional int64 field_id=7 decimal_10 (Decimal(precision=10, scale=2));
  optional int64 field_id=8 decimal_18 (Decimal(precision=18, scale=0));
  optional fixed_len_byte_array(9) field_id=9 decimal_19 (Decimal(precision=19, scale=19));
  optional fixed_len_byte_array(16) field_id=10 decimal_38 (Decimal(precision=38, scale=0));
  optional int32 field_id=11 date (Date);
  optional int64 field_id=12 time (Time(isAdjustedToUTC=false, timeUnit=microseconds));
  optional int64 field_id=13 timestamp (Timestamp(isAdjustedToUTC=false, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false));
  optional int64 field_id=14 timestamptz (Timestamp(isAdjustedToUTC=true, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false));
  optional binary field_id=15 string (String);
  optional fixed_len_byte_array(16) field_id=16 uuid (UUID);
  optional fixed_len_byte_array(3) field_id=17 fixed;
  optional binary field_id=18 binary;
  optional int64 field_id=19 only_nulls;
  optional double field_id=20 only_nans;
  required binary field_id=21 required_string (String);
}
)");
  EXPECT_EQ(schema_text(samples.at(1)), R"(required group field_id=-1 table {
  required int64 field_id=1 id;
  optional group field_id=2 point {
    required int32 field_id=3 x;
    optional int64 field_id=4 moment (Timestamp(isAdjustedToUTC=true, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false));
    optional double field_id=5 ratio;
  }
  optional group field_id=6 moments (List) {
    repeated group field_id=-1 list {
      optional int64 field_id=7 element (Timestamp(isAdjustedToUTC=false, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false));
    }
  }
  optional group field_id=8 by_name (Map) {
    repeated group field_id=-1 key_value {
      required binary field_id=9 key (String);
      optional int64 field_id=10 value (Timestamp(isAdjustedToUTC=false, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false));
    }
  }
  optional group field_id=11 lists (List) {
    repeated group field_id=-1 list {
      optional group field_id=13 element (List) {
        repeated group field_id=-1 list {
          optional int32 field_id=12 element;
        }
      }
    }
  }
  required group field_id=14 required_point {
    optional binary field_id=15 code (String);
    required boolean field_id=16 flag;
  }
  required group field_id=17 points (List) {
    repeated group field_id=-1 list {
      optional group field_id=18 element {
        optional float field_id=19 ratio;
      }
    }
  }
}
)");
  EXPECT_EQ(schema_text(samples.at(2)), R"(required group field_id=-1 table {
  optional int64 field_id=21 id;
  optional binary field_id=22 customer (String);
  optional int64 field_id=23 amount (Decimal(precision=10, scale=2));
  required int32 field_id=1 kafka_generation;
  required int32 field_id=2 kafka_partition;
  required int64 field_id=3 kafka_offset;
  optional int64 field_id=4 kafka_timestamp (Timestamp(isAdjustedToUTC=true, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false));
  optional binary field_id=5 kafka_key;
  required group field_id=6 kafka_headers (List) {
    repeated group field_id=-1 list {
      required group field_id=7 element {
        required binary field_id=8 key (String);
        optional binary field_id=9 value;
      }
    }
  }
}
)");
}

TEST(ChunkEncoderTest, FileOfVersionOneIsPlainUncompressedAndBare) {
  for (const Sample& sample : FixedSamples()) {
    const EncodedChunk chunk = Encoded(sample, 1);
    const auto reader = OpenFile(chunk.file);
    const auto footer = reader->metadata();
    EXPECT_EQ(footer->created_by(), "frazil encoder 1");
    EXPECT_EQ(footer->version(), ::parquet::ParquetVersion::PARQUET_2_6);
    EXPECT_EQ(footer->key_value_metadata(), nullptr);
    EXPECT_EQ(footer->num_rows(), chunk.record_count);
    ASSERT_EQ(footer->num_row_groups(), chunk.record_count == 0 ? 0 : 1);
    std::int64_t columns_size = 0;
    for (int i = 0; footer->num_row_groups() > 0 && i < footer->num_columns(); ++i) {
      const auto column = footer->RowGroup(0)->ColumnChunk(i);
      EXPECT_EQ(column->compression(), ::parquet::Compression::UNCOMPRESSED);
      EXPECT_FALSE(column->has_dictionary_page());
      // Statistics do not tell of NaN.
      const bool may_be_nan =
          column->type() == ::parquet::Type::FLOAT || column->type() == ::parquet::Type::DOUBLE;
      EXPECT_EQ(column->is_stats_set(), !may_be_nan);
      EXPECT_FALSE(column->GetColumnIndexLocation().has_value());
      EXPECT_FALSE(column->GetOffsetIndexLocation().has_value());
      EXPECT_EQ(column->size_statistics(), nullptr);
      for (const auto encoding : column->encodings()) {
        EXPECT_TRUE(encoding == ::parquet::Encoding::PLAIN || encoding == ::parquet::Encoding::RLE);
      }
      const FieldId id(footer->schema()->Column(i)->schema_node()->field_id());
      EXPECT_EQ(chunk.columns.at(id).column_size, column->total_compressed_size());
      columns_size += column->total_compressed_size();
    }
    // Magic, columns, footer, its length, magic: nothing else.
    EXPECT_EQ(4 + columns_size + footer->size() + 8, static_cast<std::uint32_t>(chunk.file.size()));
  }
}

TEST(ChunkEncoderTest, PagesAreOfVersionOne) {
  const EncodedChunk chunk = Encoded(FixedSamples().at(4), 1);
  const auto reader = OpenFile(chunk.file);
  const auto pages = reader->RowGroup(0)->GetColumnPageReader(0);
  int count = 0;
  while (const auto page = pages->NextPage()) {
    EXPECT_EQ(page->type(), ::parquet::PageType::DATA_PAGE);
    ++count;
  }
  EXPECT_EQ(count, 3) << "50,000 rows, 20,000 a page";
}

TEST(ChunkEncoderTest, SliceGivesTheBytesOfItsOwnRows) {
  for (const Sample& sample : FixedSamples()) {
    if (sample.batch->num_rows() < 3) continue;
    const auto slice = sample.batch->Slice(1, 2);
    arrow::ArrayVector copies;
    for (int i = 0; i < slice->num_columns(); ++i) {
      std::unique_ptr<arrow::ArrayBuilder> builder;
      ASSERT_TRUE(
          arrow::MakeBuilder(arrow::default_memory_pool(), slice->column(i)->type(), &builder)
              .ok());
      ASSERT_TRUE(
          builder->AppendArraySlice(arrow::ArraySpan(*slice->column(i)->data()), 0, 2).ok());
      copies.push_back(*builder->Finish());
    }
    const auto copy = arrow::RecordBatch::Make(slice->schema(), 2, copies);
    for (const int version : kVersions) {
      const auto of_slice = EncodeChunk(*slice, sample.schema, version);
      const auto of_copy = EncodeChunk(*copy, sample.schema, version);
      ASSERT_TRUE(of_slice.ok()) << of_slice.error().ToString();
      ASSERT_TRUE(of_copy.ok()) << of_copy.error().ToString();
      EXPECT_EQ(of_slice->file, of_copy->file) << sample.name;
      EXPECT_EQ(of_slice->columns, of_copy->columns) << sample.name;
    }
  }
}

TEST(ChunkEncoderTest, NamesNullabilityAndMetadataOfTheBatchDoNotMatter) {
  const auto metadata = arrow::key_value_metadata({"PARQUET:field_id"}, {"77"});
  const Type element = Type::Struct({Field(3, "a", Type::Of(TypeKind::kInt), true)});
  const auto schema = SchemaOf({Field(1, "list", Type::List(FieldId(2), element, true), true)});
  const Sample sample = MakeSample("", schema, {R"([[{"a": 1}], [], [{"a": 2}, {"a": 3}]])"});
  const auto loose = arrow::list(
      arrow::field("item", arrow::struct_({arrow::field("other", arrow::int32(), true, metadata)}),
                   true, metadata));
  const auto array = arrow::json::ArrayFromJSONString(
      loose, R"([[{"other": 1}], [], [{"other": 2}, {"other": 3}]])");
  ASSERT_TRUE(array.ok());
  const auto batch = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("x", loose, true, metadata)}, metadata), 3, {*array});
  const auto chunk = EncodeChunk(*batch, schema);
  ASSERT_TRUE(chunk.ok()) << chunk.error().ToString();
  EXPECT_EQ(chunk->file, Encoded(sample).file);
}

struct RefusedCase {
  const char* name;
  Type type;
  bool required;
  std::shared_ptr<arrow::DataType> batch_type;
  const char* values;
  const char* message;
};

TEST(ChunkEncoderTest, BatchThatDoesNotFitTheSchemaIsRefused) {
  const Type required_int = Type::Struct({Field(2, "a", Type::Of(TypeKind::kInt), true)});
  const auto utc = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const auto arrow_struct = arrow::struct_({arrow::field("a", arrow::int32())});
  const RefusedCase cases[] = {
      {"another type", Type::Of(TypeKind::kLong), false, arrow::int32(), "[1]", "column f is long"},
      {"another unit", Type::Of(TypeKind::kTimestamptz), false,
       arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"), "[1]", "column f is timestamptz"},
      {"a zone too many", Type::Of(TypeKind::kTimestamp), false, utc, "[1]",
       "column f is timestamp"},
      {"a zone too few", Type::Of(TypeKind::kTimestamptz), false,
       arrow::timestamp(arrow::TimeUnit::MICRO), "[1]", "column f is timestamptz"},
      {"another scale", Type::Decimal(9, 2), false, arrow::decimal128(9, 3), R"(["1.000"])",
       "column f is decimal"},
      {"another length", Type::Fixed(4), false, arrow::fixed_size_binary(3), R"(["abc"])",
       "column f is fixed"},
      {"a list for a struct", required_int, false, arrow::list(arrow::int32()), "[[1]]",
       "column f is struct"},
      {"another field inside", required_int, false,
       arrow::struct_({arrow::field("a", arrow::int64())}), R"([{"a": 1}])", "column f is struct"},
      {"NULL in a required field", Type::Of(TypeKind::kInt), true, arrow::int32(), "[1, null]",
       "a required field holds NULL: f"},
      {"NULL in a required struct", required_int, true, arrow_struct, R"([{"a": 1}, null])",
       "a required field holds NULL: f"},
      {"NULL in a required field of a struct", required_int, false, arrow_struct,
       R"([{"a": 1}, null, {"a": null}])", "a required field holds NULL: a"},
      {"NULL in a required element", Type::List(FieldId(2), Type::Of(TypeKind::kInt), true), false,
       arrow::list(arrow::int32()), "[[1], null, [2, null]]",
       "a required field holds NULL: element"},
      {"NULL in a required list", Type::List(FieldId(2), Type::Of(TypeKind::kInt), true), true,
       arrow::list(arrow::int32()), "[[1], null]", "a required field holds NULL: f"},
      {"a struct without fields", Type::Struct({}), false, arrow::struct_(arrow::FieldVector{}),
       "[null]", "a struct without fields"},
  };
  for (const RefusedCase& test_case : cases) {
    const auto array = arrow::json::ArrayFromJSONString(test_case.batch_type, test_case.values);
    ASSERT_TRUE(array.ok()) << test_case.name << array.status().ToString();
    const auto batch = arrow::RecordBatch::Make(
        arrow::schema({arrow::field("f", test_case.batch_type)}), (*array)->length(), {*array});
    for (const int version : kVersions) {
      const auto chunk = EncodeChunk(
          *batch, SchemaOf({Field(1, "f", test_case.type, test_case.required)}), version);
      ASSERT_FALSE(chunk.ok()) << test_case.name;
      EXPECT_EQ(chunk.error().code(), ErrorCode::kInternal) << test_case.name;
      EXPECT_THAT(chunk.error().message(), HasSubstr(test_case.message)) << test_case.name;
    }
  }
}

TEST(ChunkEncoderTest, DecimalThatItsPrecisionCannotHoldIsRefused) {
  // 10^9 fits into the four bytes of a decimal(9, 0), 2^32 does not; neither belongs there.
  for (const std::int64_t wide : {std::int64_t{1'000'000'000}, std::int64_t{1} << 32}) {
    for (const bool negative : {false, true}) {
      arrow::Decimal128Builder builder(arrow::decimal128(9, 0));
      ASSERT_TRUE(builder.Append(arrow::Decimal128(negative ? -wide : wide)).ok());
      ASSERT_TRUE(builder.Append(arrow::Decimal128(1)).ok());
      const auto batch = arrow::RecordBatch::Make(
          arrow::schema({arrow::field("f", arrow::decimal128(9, 0))}), 2, {*builder.Finish()});
      for (const int version : kVersions) {
        const auto chunk =
            EncodeChunk(*batch, SchemaOf({Field(1, "f", Type::Decimal(9, 0))}), version);
        ASSERT_FALSE(chunk.ok());
        EXPECT_EQ(chunk.error().code(), ErrorCode::kInternal);
        EXPECT_THAT(chunk.error().message(), HasSubstr("decimal(9, 0)"));
      }
    }
  }
}

TEST(ChunkEncoderTest, NumberOfColumnsMustBeTheSchemas) {
  const Sample sample = FixedSamples().at(2);
  auto schema = sample.schema;
  schema.fields.pop_back();
  const auto chunk = EncodeChunk(*sample.batch, schema);
  ASSERT_FALSE(chunk.ok());
  EXPECT_EQ(chunk.error().code(), ErrorCode::kInternal);
  EXPECT_FALSE(EncodeChunk(*sample.batch->Slice(0, 0), SchemaOf({})).ok());
}

TEST(ChunkEncoderTest, UnknownEncoderVersionIsNotReproducible) {
  const Sample sample = FixedSamples().at(2);
  for (const int version : {0, kOldestEncoderVersion - 1, kEncoderVersion + 1, -1}) {
    const auto chunk = EncodeChunk(*sample.batch, sample.schema, version);
    ASSERT_FALSE(chunk.ok());
    EXPECT_EQ(chunk.error().code(), ErrorCode::kPathNotReproducible);
  }
}

// Legal in Arrow, and a trap: the elements below a NULL list exist for nobody.
TEST(ChunkEncoderTest, ElementsBelowANullListAreNotWritten) {
  const auto schema =
      SchemaOf({Field(1, "f", Type::List(FieldId(2), Type::Of(TypeKind::kInt), false))});
  const Sample sample = MakeSample("", schema, {"[[1], null, [3]]"});
  const auto values = *arrow::json::ArrayFromJSONString(arrow::int32(), "[1, 2, 3]");
  const auto offsets = *arrow::json::ArrayFromJSONString(arrow::int32(), "[0, 1, 2, 3]");
  const std::uint8_t bits = 0b101;
  const auto validity = std::make_shared<arrow::Buffer>(&bits, 1);
  const auto data = arrow::ArrayData::Make(
      arrow::list(arrow::int32()), 3, {validity, offsets->data()->buffers[1]}, {values->data()}, 1);
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("f", data->type)}), 3,
                                              {arrow::MakeArray(data)});
  for (const int version : kVersions) {
    const auto chunk = EncodeChunk(*batch, schema, version);
    ASSERT_TRUE(chunk.ok()) << chunk.error().ToString();
    EXPECT_EQ(chunk->file, Encoded(sample, version).file);
    EXPECT_EQ(chunk->columns, Encoded(sample, version).columns);
  }
}

}  // namespace
}  // namespace frazil::parquet
