// SPDX-License-Identifier: Apache-2.0
// The Avro schemas of manifests and manifest lists, and the field ids by which they are read.
// Spec: Apache Iceberg table spec, "Manifests", "Manifest Lists", appendix A. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace frazil::iceberg {

// Constant texts: readers that are handed a changed one see another file.
const std::string& ManifestAvroSchema();
const std::string& ManifestListAvroSchema();

// Field ids of the spec.
namespace entry_id {
inline constexpr std::int32_t kStatus = 0;
inline constexpr std::int32_t kSnapshotId = 1;
inline constexpr std::int32_t kDataFile = 2;
inline constexpr std::int32_t kSequenceNumber = 3;
inline constexpr std::int32_t kFileSequenceNumber = 4;
}  // namespace entry_id

namespace data_file_id {
inline constexpr std::int32_t kFilePath = 100;
inline constexpr std::int32_t kFileFormat = 101;
inline constexpr std::int32_t kPartition = 102;
inline constexpr std::int32_t kRecordCount = 103;
inline constexpr std::int32_t kFileSize = 104;
inline constexpr std::int32_t kColumnSizes = 108;
inline constexpr std::int32_t kValueCounts = 109;
inline constexpr std::int32_t kNullValueCounts = 110;
inline constexpr std::int32_t kLowerBounds = 125;
inline constexpr std::int32_t kUpperBounds = 128;
inline constexpr std::int32_t kKeyMetadata = 131;
inline constexpr std::int32_t kSplitOffsets = 132;
inline constexpr std::int32_t kContent = 134;
inline constexpr std::int32_t kEqualityIds = 135;
inline constexpr std::int32_t kNanValueCounts = 137;
inline constexpr std::int32_t kSortOrderId = 140;
}  // namespace data_file_id

namespace manifest_file_id {
inline constexpr std::int32_t kPath = 500;
inline constexpr std::int32_t kLength = 501;
inline constexpr std::int32_t kSpecId = 502;
inline constexpr std::int32_t kAddedSnapshotId = 503;
inline constexpr std::int32_t kAddedFiles = 504;
inline constexpr std::int32_t kExistingFiles = 505;
inline constexpr std::int32_t kDeletedFiles = 506;
inline constexpr std::int32_t kPartitions = 507;
inline constexpr std::int32_t kAddedRows = 512;
inline constexpr std::int32_t kExistingRows = 513;
inline constexpr std::int32_t kDeletedRows = 514;
inline constexpr std::int32_t kSequenceNumber = 515;
inline constexpr std::int32_t kMinSequenceNumber = 516;
inline constexpr std::int32_t kContent = 517;
inline constexpr std::int32_t kKeyMetadata = 519;
}  // namespace manifest_file_id

}  // namespace frazil::iceberg
