// SPDX-License-Identifier: Apache-2.0
// What libparquet is told about a file. Internal to this module.
#pragma once

#include <memory>

#include <parquet/properties.h>
#include <parquet/schema.h>

namespace frazil::parquet {

// Everything that shapes the file is said here, so that no default of the library's does (R4).
std::shared_ptr<::parquet::WriterProperties> FileProperties(
    const ::parquet::SchemaDescriptor& leaves, int encoder_version);

// Whether the leaf's values may be NaN. Statistics leave NaN out, and engines that sort it above
// all numbers (DuckDB) would skip the row groups that hold it: x > 1 is true for NaN there. So such
// leaves have none.
bool MayBeNan(const ::parquet::ColumnDescriptor& leaf);

// A bound longer than this is no statistic: one that is cut would be taken for a value.
inline constexpr std::size_t kMaxStatisticsBytes = 4096;

}  // namespace frazil::parquet
