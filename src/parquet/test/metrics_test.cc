// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include "base/encoding.h"
#include "iceberg/single_value.h"
#include "parquet/chunk_encoder.h"
#include "parquet/test/random_batches.h"
#include "parquet/test/sample_batches.h"

namespace frazil::parquet {
namespace {

using iceberg::ColumnMetrics;
using iceberg::NestedField;
using iceberg::Type;
using iceberg::TypeKind;
using Json = nlohmann::ordered_json;

std::map<FieldId, ColumnMetrics> MetricsOf(const Sample& sample, int version) {
  auto chunk = EncodeChunk(*sample.batch, sample.schema, version);
  EXPECT_TRUE(chunk.ok()) << chunk.error().ToString();
  return chunk.ok() ? std::move(chunk->columns) : std::map<FieldId, ColumnMetrics>{};
}

// Of every version: they differ in sizes alone.
std::map<FieldId, ColumnMetrics> MetricsOf(const Sample& sample) {
  auto found = MetricsOf(sample, kEncoderVersion);
  for (int version = kOldestEncoderVersion; version < kEncoderVersion; ++version) {
    auto other = MetricsOf(sample, version);
    for (auto& [id, column] : other) column.column_size = found.at(id).column_size;
    EXPECT_EQ(other, found) << sample.name << ", version " << version;
  }
  return found;
}

// One leaf: values, NULLs, NaNs, and the bounds in hexadecimal ("-": none).
struct Wanted {
  int id;
  std::int64_t values;
  std::int64_t nulls;
  std::int64_t nans;
  const char* lower;
  const char* upper;
};

std::string Hex(const std::optional<Bytes>& bound) {
  return bound.has_value() ? HexEncode(*bound) : "-";
}

void ExpectMetrics(const Sample& sample, const std::vector<Wanted>& wanted) {
  const auto metrics = MetricsOf(sample);
  EXPECT_EQ(metrics.size(), wanted.size());
  for (const Wanted& leaf : wanted) {
    ASSERT_TRUE(metrics.contains(FieldId(leaf.id))) << leaf.id;
    const ColumnMetrics& found = metrics.at(FieldId(leaf.id));
    EXPECT_GT(found.column_size, 0) << leaf.id;
    EXPECT_EQ(found.value_count, leaf.values) << leaf.id;
    EXPECT_EQ(found.null_count, leaf.nulls) << leaf.id;
    EXPECT_EQ(found.nan_count, leaf.nans) << leaf.id;
    EXPECT_EQ(Hex(found.lower_bound), leaf.lower) << leaf.id;
    EXPECT_EQ(Hex(found.upper_bound), leaf.upper) << leaf.id;
  }
}

TEST(MetricsTest, EveryTypeHasItsCountsAndBounds) {
  ExpectMetrics(FixedSamples().at(0), {{1, 5, 1, -1, "00", "01"},
                                       {2, 5, 1, -1, "00000080", "ffffff7f"},
                                       {3, 5, 0, -1, "0000000000000080", "ffffffffffffff7f"},
                                       {4, 5, 1, 1, "000080ff", "-"},          // -Infinity to NaN
                                       {5, 5, 1, 1, "0000000000000080", "-"},  // -0.0 to NaN
                                       {6, 5, 1, -1, "c4653601", "3b9ac9ff"},
                                       {7, 5, 1, -1, "fdabf41c01", "02540be3ff"},
                                       {8, 5, 1, -1, "f21f494c589c0001", "0de0b6b3a763ffff"},
                                       {9, 5, 1, -1, "ff7538dcfb76180001", "008ac7230489e7ffff"},
                                       {10, 5, 1, -1, "b4c4b357a5793b85f675ddc000000001",
                                        "4b3b4ca85a86c47a098a223fffffffff"},
                                       {11, 5, 1, -1, "c606f5ff", "a0c02c00"},
                                       {12, 5, 1, -1, "0000000000000000", "ff5fd71d14000000"},
                                       {13, 5, 1, -1, "0040d400014023ff", "ff5f73cc0c448403"},
                                       {14, 5, 1, -1, "0040d400014023ff", "ff5f73cc0c448403"},
                                       {15, 5, 1, -1, "", "c3a9e282acf09d849e"},
                                       {16, 5, 1, -1, "-", "-"},
                                       {17, 5, 1, -1, "000000", "7e7e7e"},
                                       {18, 5, 1, -1, "", "7f2062696e617279206c6f6e67657221"},
                                       {19, 5, 5, -1, "-", "-"},
                                       {20, 5, 1, 4, "-", "-"},
                                       {21, 5, 0, -1, "", "63"}});
}

TEST(MetricsTest, NestedLeavesCountTheirValuesAndThoseInListsHaveNoBounds) {
  ExpectMetrics(FixedSamples().at(1), {{1, 4, 0, -1, "0100000000000000", "0400000000000000"},
                                       {3, 4, 1, -1, "fbffffff", "07000000"},
                                       {4, 4, 2, -1, "0000000000000000", "0000a40731af0500"},
                                       {5, 4, 2, 1, "0000000000000440", "-"},
                                       {7, 3, 1, -1, "-", "-"},
                                       {9, 3, 0, -1, "-", "-"},
                                       {10, 3, 1, -1, "-", "-"},
                                       {12, 4, 1, -1, "-", "-"},
                                       {15, 4, 1, -1, "", "72"},
                                       {16, 4, 0, -1, "00", "01"},
                                       {19, 4, 2, 1, "-", "-"}});
}

TEST(MetricsTest, EmptyBatchCountsNothing) {
  const Sample sample = FixedSamples().at(3);
  const auto metrics = MetricsOf(sample);
  EXPECT_EQ(metrics.size(), sample.schema.fields.size());
  for (const auto& [id, column] : metrics) {
    EXPECT_EQ(column.column_size, 0);
    EXPECT_EQ(column.value_count, 0);
    EXPECT_EQ(column.null_count, 0);
    EXPECT_LE(column.nan_count, 0);
    EXPECT_FALSE(column.lower_bound.has_value() || column.upper_bound.has_value());
  }
}

// Whether a reader takes the zeros for one value or for two, the bounds hold.
TEST(MetricsTest, ZeroAsABoundCoversBothZeros) {
  for (const char* values : {"[0.0]", "[-0.0]", "[0.0, -0.0]", "[-0.0, 0.0, null]"}) {
    const auto metrics =
        MetricsOf(MakeSample("", SchemaOf({Field(1, "f", Type::Of(TypeKind::kDouble))}), {values}));
    EXPECT_EQ(Hex(metrics.at(FieldId(1)).lower_bound), "0000000000000080") << values;
    EXPECT_EQ(Hex(metrics.at(FieldId(1)).upper_bound), "0000000000000000") << values;
  }
}

// Engines that sort NaN above all numbers would skip the file for x > 1.
TEST(MetricsTest, NanLeavesNoUpperBoundAndNoStatistics) {
  const auto schema = SchemaOf({Field(1, "f", Type::Of(TypeKind::kDouble))});
  const auto metrics = MetricsOf(MakeSample("", schema, {"[1.0, NaN]"}));
  EXPECT_EQ(Hex(metrics.at(FieldId(1)).lower_bound), "000000000000f03f");
  EXPECT_EQ(Hex(metrics.at(FieldId(1)).upper_bound), "-");
}

TEST(MetricsTest, FixedThatABoundCannotHoldWholeHasNone) {
  const std::string value(17, 'a');
  const auto metrics = MetricsOf(MakeSample(
      "", SchemaOf({Field(1, "short", Type::Fixed(16)), Field(2, "long", Type::Fixed(17))}),
      {"[\"" + value.substr(1) + "\"]", "[\"" + value + "\"]"}));
  EXPECT_EQ(Hex(metrics.at(FieldId(1)).upper_bound), "61616161616161616161616161616161");
  EXPECT_EQ(Hex(metrics.at(FieldId(2)).lower_bound), "-");
  EXPECT_EQ(Hex(metrics.at(FieldId(2)).upper_bound), "-");
}

TEST(MetricsTest, LongBinaryWithoutAnythingAboveItHasNoUpperBound) {
  const auto schema = SchemaOf({Field(1, "f", Type::Of(TypeKind::kString))});
  // U+10FFFF, seventeen times.
  std::string text = "[\"";
  for (int i = 0; i < 17; ++i) text += "\xf4\x8f\xbf\xbf";
  const auto metrics = MetricsOf(MakeSample("", schema, {text + "\"]"}));
  EXPECT_TRUE(metrics.at(FieldId(1)).lower_bound.has_value());
  EXPECT_FALSE(metrics.at(FieldId(1)).upper_bound.has_value());
}

// The same counts from the JSON text, by another road than the Arrow arrays. JSON has no NaN, so
// the texts carry it as a string.
class Counter {
 public:
  void Count(const NestedField& field, const Json* value) {
    const Type& type = field.type;
    const bool is_null = value == nullptr || value->is_null();
    if (type.is_primitive()) {
      ColumnMetrics& metrics = metrics_[field.id];
      const bool is_real = type.kind == TypeKind::kFloat || type.kind == TypeKind::kDouble;
      if (is_real && metrics.nan_count < 0) metrics.nan_count = 0;
      ++metrics.value_count;
      if (is_null) ++metrics.null_count;
      if (is_real && !is_null && value->is_string() && *value == "NaN") ++metrics.nan_count;
      return;
    }
    if (type.kind == TypeKind::kStruct) {
      for (const NestedField& child : type.fields) {
        Count(child, is_null ? nullptr : &value->at(child.name));
      }
      return;
    }
    if (is_null) return;
    for (const Json& element : *value) {
      if (type.kind == TypeKind::kList) {
        Count(type.fields[0], &element);
      } else {
        Count(type.fields[0], &element.at(0));
        Count(type.fields[1], &element.at(1));
      }
    }
  }

  const ColumnMetrics& At(FieldId id) { return metrics_[id]; }

 private:
  std::map<FieldId, ColumnMetrics> metrics_;
};

Json ParseColumn(std::string text) {
  for (const std::string word : {"NaN", "-Infinity", "Infinity"}) {
    for (std::size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + word.size() + 2)) {
      // Infinity within -Infinity has its quotes already.
      if (at > 0 && (text[at - 1] == '"' || text[at - 1] == '-')) continue;
      text.insert(at + word.size(), "\"");
      text.insert(at, "\"");
    }
  }
  return Json::parse(text);
}

TEST(MetricsTest, CountsAgreeWithTheTextsOfRandomBatches) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Sample sample = RandomSample(seed, 40);
    const auto metrics = MetricsOf(sample);
    Counter counter;
    for (std::size_t i = 0; i < sample.columns.size(); ++i) {
      for (const Json& value : ParseColumn(sample.columns[i])) {
        counter.Count(sample.schema.fields[i], &value);
      }
    }
    const auto leaves = LeafFields(sample.schema);
    ASSERT_EQ(metrics.size(), leaves.size());
    for (const NestedField* leaf : leaves) {
      const ColumnMetrics& found = metrics.at(leaf->id);
      const ColumnMetrics& wanted = counter.At(leaf->id);
      EXPECT_EQ(found.value_count, wanted.value_count) << sample.name << " " << leaf->name;
      EXPECT_EQ(found.null_count, wanted.null_count) << sample.name << " " << leaf->name;
      if (found.value_count > 0) {
        EXPECT_EQ(found.nan_count, wanted.nan_count) << sample.name << " " << leaf->name;
      }
    }
  }
}

// The bound that the footer's statistics give, for types whose Parquet form is near enough.
std::optional<Bytes> FromStatistics(const NestedField& field, const std::string& plain,
                                    bool upper) {
  Bytes bytes(plain.begin(), plain.end());
  switch (field.type.kind) {
    case TypeKind::kString:
      return upper ? iceberg::UpperTextBound(plain) : iceberg::LowerTextBound(plain);
    case TypeKind::kBinary:
      return upper ? iceberg::UpperBinaryBound(bytes) : iceberg::LowerBinaryBound(bytes);
    case TypeKind::kDecimal: {
      // Big-endian for fixed ones, little-endian for integers; sign-extended to 16 bytes.
      if (field.type.precision > 18) std::reverse(bytes.begin(), bytes.end());
      std::array<std::uint8_t, 16> wide{};
      wide.fill((bytes.back() & 0x80) != 0 ? 0xff : 0x00);
      std::copy(bytes.begin(), bytes.end(), wide.begin());
      return iceberg::EncodeDecimal(wide);
    }
    default:
      return bytes;
  }
}

TEST(MetricsTest, BoundsAndCountsAgreeWithTheLibrarysStatistics) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Sample sample = RandomSample(seed, 40);
    auto chunk = EncodeChunk(*sample.batch, sample.schema);
    ASSERT_TRUE(chunk.ok()) << chunk.error().ToString();
    if (chunk->record_count == 0) continue;
    const auto reader = ::parquet::ParquetFileReader::Open(
        std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(
            chunk->file.data(), static_cast<std::int64_t>(chunk->file.size()))));
    const auto leaves = LeafFields(sample.schema);
    const auto* schema = reader->metadata()->schema();
    ASSERT_EQ(static_cast<std::size_t>(schema->num_columns()), leaves.size());
    for (int i = 0; i < schema->num_columns(); ++i) {
      const NestedField& leaf = *leaves[static_cast<std::size_t>(i)];
      const auto column = reader->metadata()->RowGroup(0)->ColumnChunk(i);
      ASSERT_EQ(schema->Column(i)->schema_node()->field_id(), leaf.id.value());
      const ColumnMetrics& found = chunk->columns.at(leaf.id);
      if (schema->Column(i)->max_repetition_level() > 0) {
        EXPECT_FALSE(found.lower_bound.has_value() || found.upper_bound.has_value());
        continue;
      }
      const auto statistics = column->statistics();
      EXPECT_EQ(found.value_count, column->num_values());
      // Reals have none.
      if (statistics == nullptr) continue;
      EXPECT_EQ(found.null_count, statistics->null_count());
      if (leaf.type.kind == TypeKind::kUuid || leaf.type.kind == TypeKind::kFixed) continue;
      ASSERT_EQ(found.lower_bound.has_value(), statistics->HasMinMax())
          << sample.name << " " << leaf.name;
      if (!statistics->HasMinMax()) continue;
      EXPECT_EQ(found.lower_bound, FromStatistics(leaf, statistics->EncodeMin(), false))
          << sample.name << " " << leaf.name;
      EXPECT_EQ(found.upper_bound, FromStatistics(leaf, statistics->EncodeMax(), true))
          << sample.name << " " << leaf.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 500U);
}

}  // namespace
}  // namespace frazil::parquet
