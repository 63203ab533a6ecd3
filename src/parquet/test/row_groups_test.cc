// SPDX-License-Identifier: Apache-2.0
// A file that is encoded batch by batch.
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/compare.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "parquet/chunk_encoder.h"
#include "parquet/test/random_batches.h"
#include "parquet/test/sample_batches.h"

namespace frazil::parquet {
namespace {

using iceberg::Type;
using iceberg::TypeKind;

std::shared_ptr<arrow::io::BufferReader> Input(const Bytes& file) {
  return std::make_shared<arrow::io::BufferReader>(
      std::make_shared<arrow::Buffer>(file.data(), static_cast<std::int64_t>(file.size())));
}

std::shared_ptr<::parquet::FileMetaData> Footer(const Bytes& file) {
  return ::parquet::ParquetFileReader::Open(Input(file))->metadata();
}

EncodedChunk EncodedInGroups(const Sample& sample, const std::vector<std::int64_t>& groups,
                             std::size_t expected_bytes = 0) {
  auto chunk = EncodeInGroups(sample, groups, kEncoderVersion, expected_bytes);
  if (!chunk.ok()) ADD_FAILURE() << sample.name << ": " << chunk.error().ToString();
  return chunk.ok() ? std::move(chunk).value() : EncodedChunk{};
}

// All but what depends on the form of the file.
std::map<FieldId, iceberg::ColumnMetrics> WithoutSizes(EncodedChunk chunk) {
  for (auto& [id, column] : chunk.columns) column.column_size = 0;
  return std::move(chunk.columns);
}

TEST(RowGroupsTest, EachBatchWithRowsIsOneRowGroup) {
  const Sample sample = FixedSamples().at(4);
  const std::vector<std::int64_t> groups = {0, 30'000, 0, 1, 19'999};
  const auto footer = Footer(EncodedInGroups(sample, groups).file);
  ASSERT_EQ(footer->num_row_groups(), 3);
  EXPECT_EQ(footer->RowGroup(0)->num_rows(), 30'000);
  EXPECT_EQ(footer->RowGroup(1)->num_rows(), 1);
  EXPECT_EQ(footer->RowGroup(2)->num_rows(), 19'999);
}

// DuckDB, over HTTP, refuses a file whose chunks do not add up to their row group: an index page's
// offset of 0 does that.
TEST(RowGroupsTest, ChunksNameNoPageButTheirOwn) {
  for (const Sample& sample : FixedSamples()) {
    const auto footer = Footer(EncodedInGroups(sample, {sample.batch->num_rows()}).file);
    for (int group = 0; group < footer->num_row_groups(); ++group) {
      for (int column = 0; column < footer->num_columns(); ++column) {
        const auto chunk = footer->RowGroup(group)->ColumnChunk(column);
        EXPECT_FALSE(chunk->has_index_page()) << sample.name << ", column " << column;
        EXPECT_GE(chunk->data_page_offset(), 4) << sample.name << ", column " << column;
      }
    }
  }
}

// libparquet's own default would cut after 1,048,576 rows.
TEST(RowGroupsTest, BatchOfAnyLengthIsOneRowGroup) {
  constexpr std::int64_t kRows = 2'200'000;
  arrow::BooleanBuilder builder;
  ASSERT_TRUE(builder.AppendValues(std::vector<bool>(kRows, true)).ok());
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("f", arrow::boolean())}),
                                              kRows, {*builder.Finish()});
  const auto chunk = EncodeChunk(*batch, SchemaOf({Field(1, "f", Type::Of(TypeKind::kBoolean))}));
  ASSERT_TRUE(chunk.ok()) << chunk.error().ToString();
  const auto footer = Footer(chunk->file);
  ASSERT_EQ(footer->num_row_groups(), 1);
  EXPECT_EQ(footer->RowGroup(0)->num_rows(), kRows);
}

TEST(RowGroupsTest, RowsAndMetricsAreThoseOfOneBatch) {
  const auto options = arrow::EqualOptions().nans_equal(true).signed_zeros_equal(false);
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Sample sample = RandomSample(seed, 40);
    const auto groups = RandomGroups(seed, sample.batch->num_rows());
    const EncodedChunk chunk = EncodedInGroups(sample, groups);
    const auto whole = EncodeChunk(*sample.batch, sample.schema);
    ASSERT_TRUE(whole.ok());
    EXPECT_EQ(chunk.record_count, whole->record_count);
    EXPECT_EQ(WithoutSizes(chunk), WithoutSizes(*whole)) << sample.name;
    auto opened = ::parquet::arrow::OpenFile(Input(chunk.file), arrow::default_memory_pool());
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    const auto table = (*opened)->ReadTable();
    ASSERT_TRUE(table.ok()) << sample.name << ": " << table.status().ToString();
    ASSERT_EQ((*table)->num_rows(), sample.batch->num_rows());
    for (int i = 0; i < (*table)->num_columns(); ++i) {
      const arrow::ChunkedArray wanted(sample.batch->column(i));
      EXPECT_TRUE(wanted.Equals(*(*table)->column(i), options)) << sample.name << " column " << i;
    }
  }
}

TEST(RowGroupsTest, ColumnSizesAreSummed) {
  const EncodedChunk chunk = EncodedInGroups(FixedSamples().at(1), {1, 2, 1});
  const auto footer = Footer(chunk.file);
  std::map<FieldId, std::int64_t> sizes;
  for (int group = 0; group < footer->num_row_groups(); ++group) {
    for (int i = 0; i < footer->num_columns(); ++i) {
      sizes[FieldId(footer->schema()->Column(i)->schema_node()->field_id())] +=
          footer->RowGroup(group)->ColumnChunk(i)->total_compressed_size();
    }
  }
  ASSERT_EQ(footer->num_row_groups(), 3);
  ASSERT_EQ(sizes.size(), chunk.columns.size());
  for (const auto& [id, column] : chunk.columns) EXPECT_EQ(column.column_size, sizes.at(id));
}

TEST(RowGroupsTest, OneBatchGivesTheBytesOfEncodeChunk) {
  for (const Sample& sample : FixedSamples()) {
    const auto whole = EncodeChunk(*sample.batch, sample.schema);
    ASSERT_TRUE(whole.ok());
    EXPECT_EQ(EncodedInGroups(sample, {sample.batch->num_rows()}).file, whole->file);
  }
}

TEST(RowGroupsTest, NoBatchIsAsAnEmptyOne) {
  for (const Sample& sample : FixedSamples()) {
    const auto empty = EncodeChunk(*sample.batch->Slice(0, 0), sample.schema);
    ASSERT_TRUE(empty.ok());
    const EncodedChunk none = EncodedInGroups(sample, {});
    EXPECT_EQ(none.file, empty->file) << sample.name;
    EXPECT_EQ(none.columns, empty->columns) << sample.name;
  }
}

TEST(RowGroupsTest, ExpectedSizeDoesNotChangeTheBytes) {
  const Sample sample = FixedSamples().at(4);
  const std::vector<std::int64_t> groups = {20'000, 20'000, 10'000};
  const Bytes file = EncodedInGroups(sample, groups).file;
  EXPECT_EQ(EncodedInGroups(sample, groups, 1).file, file);
  EXPECT_EQ(EncodedInGroups(sample, groups, std::size_t{64} << 20).file, file);
}

TEST(RowGroupsTest, BytesWrittenGrowByWhatEachBatchAdds) {
  const Sample sample = FixedSamples().at(4);
  auto encoder = ChunkEncoder::Open(sample.schema, kEncoderVersion, 0);
  ASSERT_TRUE(encoder.ok());
  EXPECT_EQ(encoder->bytes_written(), 4U) << "the magic";
  ASSERT_TRUE(encoder->Append(*sample.batch->Slice(0, 25'000)).ok());
  const std::size_t after_first = encoder->bytes_written();
  ASSERT_TRUE(encoder->Append(*sample.batch->Slice(25'000, 0)).ok());
  EXPECT_EQ(encoder->bytes_written(), after_first);
  ChunkEncoder moved = std::move(encoder).value();
  ASSERT_TRUE(moved.Append(*sample.batch->Slice(25'000)).ok());
  const std::size_t without_footer = moved.bytes_written();
  const auto chunk = moved.Finish();
  ASSERT_TRUE(chunk.ok());
  std::int64_t columns_size = 0;
  for (const auto& [id, column] : chunk->columns) columns_size += column.column_size;
  EXPECT_EQ(static_cast<std::int64_t>(without_footer), 4 + columns_size);
  EXPECT_EQ(chunk->file.size(), without_footer + Footer(chunk->file)->size() + 8);
}

TEST(RowGroupsTest, BatchThatDoesNotFitIsRefusedInAnyPlace) {
  const auto schema = SchemaOf({Field(1, "f", Type::Of(TypeKind::kInt), true)});
  const Sample good = MakeSample("", schema, {"[1, 2]"});
  const Sample bad =
      MakeSample("", SchemaOf({Field(1, "f", Type::Of(TypeKind::kInt))}), {"[3, null]"});
  auto encoder = ChunkEncoder::Open(schema, kEncoderVersion, 0);
  ASSERT_TRUE(encoder.ok());
  ASSERT_TRUE(encoder->Append(*good.batch).ok());
  const Status refused = encoder->Append(*bad.batch);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kInternal);
}

}  // namespace
}  // namespace frazil::parquet
