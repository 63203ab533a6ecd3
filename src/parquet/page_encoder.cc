// SPDX-License-Identifier: Apache-2.0
#include "parquet/page_encoder.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <parquet/metadata.h>
#include <parquet/types.h>

#include "base/bytes.h"
#include "parquet/arrow_columns.h"
#include "parquet/column_chunk.h"
#include "parquet/column_metrics.h"
#include "parquet/file_properties.h"
#include "parquet/leaf_columns.h"
#include "parquet/library_error.h"
#include "parquet/parquet_schema.h"

namespace frazil::parquet {
namespace {

constexpr int kVersion = 2;
constexpr std::array<std::uint8_t, 4> kMagic = {'P', 'A', 'R', '1'};

void Describe(const ColumnChunk& chunk, std::int64_t entries,
              ::parquet::ColumnChunkMetaDataBuilder& column) {
  using Encoding = ::parquet::Encoding;
  const bool dictionary = chunk.dictionary_offset > 0;
  std::map<Encoding::type, std::int32_t> dictionary_pages;
  if (dictionary) dictionary_pages[Encoding::PLAIN] = 1;
  const std::map<Encoding::type, std::int32_t> data_pages = {
      {dictionary ? Encoding::RLE_DICTIONARY : Encoding::PLAIN, chunk.data_pages}};
  if (chunk.statistics.is_set()) column.SetStatistics(chunk.statistics);
  // An index page at 0, which there is not, makes DuckDB refuse the file as inconsistent.
  column.Finish(entries, chunk.dictionary_offset, /*index_page_offset=*/-1, chunk.data_offset,
                chunk.bytes, chunk.bytes, dictionary, /*dictionary_fallback=*/false,
                dictionary_pages, data_pages);
}

class PageEncoder final : public FileEncoder {
 public:
  PageEncoder(const iceberg::Schema& schema, std::size_t expected_bytes, EncoderOutput output)
      : schema_(schema), meter_(schema_), file_(expected_bytes, output) {}

  Status Open() {
    FRAZIL_ASSIGN_OR_RETURN(const auto root, ParquetSchema(schema_));
    leaves_.Init(root);
    footer_ = ::parquet::FileMetaDataBuilder::Make(&leaves_, FileProperties(leaves_, kVersion));
    file_.Append(kMagic.data(), kMagic.size());
    for (const auto* leaf : LeafFields(schema_)) sizes_.emplace(leaf->id, 0);
    return {};
  }

  Status Append(const arrow::RecordBatch& batch) override {
    arrow::ArrayVector columns;
    for (int i = 0; i < batch.num_columns(); ++i) {
      const auto& field = schema_.fields[static_cast<std::size_t>(i)];
      FRAZIL_ASSIGN_OR_RETURN(auto column,
                              ConformColumn(field, batch.column(i), Dictionaries::kKeep));
      columns.push_back(std::move(column));
    }
    // A file without rows has no row group at all: readers take that better than an empty one.
    if (batch.num_rows() == 0) return {};
    const std::size_t start = file_.size();
    ::parquet::RowGroupMetaDataBuilder& group = *footer_->AppendRowGroup();
    group.set_num_rows(batch.num_rows());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      FRAZIL_RETURN_IF_ERROR(
          VisitLeaves(schema_.fields[i], columns[i], [&](const LeafColumn& leaf) -> Status {
            FRAZIL_ASSIGN_OR_RETURN(const ColumnChunk chunk, WriteColumnChunk(leaf, file_));
            meter_.Add(leaf, chunk.summary);
            sizes_.at(leaf.field->id) += chunk.bytes;
            Describe(chunk, leaf.entries, *group.NextColumnChunk());
            return {};
          }));
    }
    group.Finish(static_cast<std::int64_t>(file_.size() - start));
    record_count_ += batch.num_rows();
    return {};
  }

  std::size_t bytes_written() const override { return file_.size(); }

  Result<EncodedChunk> Finish() override {
    const auto sink = arrow::io::BufferOutputStream::Create();
    if (!sink.ok()) return LibraryError(sink.status());
    footer_->Finish()->WriteTo(sink->get());
    const auto footer = (*sink)->Finish();
    if (!footer.ok()) return LibraryError(footer.status());
    const auto size = static_cast<std::size_t>((*footer)->size());
    file_.Append((*footer)->data(), size);
    Bytes end;
    AppendLittleEndian(static_cast<std::uint32_t>(size), end);
    frazil::Append(kMagic, end);
    file_.Append(end.data(), end.size());
    EncodedChunk chunk{.file = {},
                       .file_size = static_cast<std::int64_t>(file_.size()),
                       .record_count = record_count_,
                       .columns = meter_.Metrics()};
    for (auto& [id, column] : chunk.columns) column.column_size = sizes_.at(id);
    chunk.file = file_.Take();
    return chunk;
  }

 private:
  const iceberg::Schema schema_;
  ColumnMeter meter_;
  FileBuffer file_;
  ::parquet::SchemaDescriptor leaves_;
  std::unique_ptr<::parquet::FileMetaDataBuilder> footer_;
  // Of the column chunks so far, by leaf.
  std::map<FieldId, std::int64_t> sizes_;
  std::int64_t record_count_ = 0;
};

}  // namespace

Result<std::unique_ptr<FileEncoder>> OpenPageEncoder(const iceberg::Schema& schema,
                                                     std::size_t expected_file_bytes,
                                                     EncoderOutput output) {
  auto encoder = std::make_unique<PageEncoder>(schema, expected_file_bytes, output);
  FRAZIL_RETURN_IF_ERROR(encoder->Open());
  return std::unique_ptr<FileEncoder>(std::move(encoder));
}

}  // namespace frazil::parquet
