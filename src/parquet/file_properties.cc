// SPDX-License-Identifier: Apache-2.0
#include "parquet/file_properties.h"

#include <cstdint>
#include <limits>
#include <string>

#include <arrow/memory_pool.h>

namespace frazil::parquet {

bool MayBeNan(const ::parquet::ColumnDescriptor& leaf) {
  return leaf.physical_type() == ::parquet::Type::FLOAT ||
         leaf.physical_type() == ::parquet::Type::DOUBLE;
}

std::shared_ptr<::parquet::WriterProperties> FileProperties(
    const ::parquet::SchemaDescriptor& leaves, int encoder_version) {
  constexpr std::int64_t kPageBytes = std::int64_t{1024} * 1024;
  constexpr std::int64_t kPageRows = 20'000;
  constexpr std::int64_t kWriteBatchRows = 1024;
  ::parquet::WriterProperties::Builder builder;
  builder.version(::parquet::ParquetVersion::PARQUET_2_6)
      ->data_page_version(::parquet::ParquetDataPageVersion::V1)
      ->memory_pool(arrow::system_memory_pool())
      ->created_by("frazil encoder " + std::to_string(encoder_version))
      ->compression(::parquet::Compression::UNCOMPRESSED)
      ->encoding(::parquet::Encoding::PLAIN)
      ->disable_dictionary()
      ->enable_statistics()
      ->max_statistics_size(kMaxStatisticsBytes)
      ->disable_write_page_index()
      ->set_size_statistics_level(::parquet::SizeStatisticsLevel::None)
      ->disable_page_checksum()
      ->disable_content_defined_chunking()
      ->data_pagesize(kPageBytes)
      ->max_rows_per_page(kPageRows)
      ->write_batch_size(kWriteBatchRows)
      ->max_row_group_length(std::numeric_limits<std::int64_t>::max());
  for (int i = 0; i < leaves.num_columns(); ++i) {
    const ::parquet::ColumnDescriptor& leaf = *leaves.Column(i);
    if (MayBeNan(leaf)) builder.disable_statistics(leaf.path());
  }
  return builder.build();
}

}  // namespace frazil::parquet
