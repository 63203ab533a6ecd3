// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <string_view>

#include "iceberg/manifest_avro_internal.h"

namespace frazil::iceberg {
namespace {

std::string Quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string Required(std::int32_t id, std::string_view name, std::string_view type) {
  return R"({"name":)" + Quoted(name) + R"(,"type":)" + std::string(type) + R"(,"field-id":)" +
         std::to_string(id) + "}";
}

std::string Optional(std::int32_t id, std::string_view name, std::string_view type) {
  return R"({"name":)" + Quoted(name) + R"(,"type":["null",)" + std::string(type) +
         R"(],"default":null,"field-id":)" + std::to_string(id) + "}";
}

std::string Record(std::string_view name, std::initializer_list<std::string> fields) {
  std::string text = R"({"type":"record","name":)" + Quoted(name) + R"(,"fields":[)";
  for (const std::string& field : fields) {
    if (text.back() != '[') text += ',';
    text += field;
  }
  return text + "]}";
}

// A map whose keys are integers is an array of pairs in Avro.
std::string IntegerMap(std::int32_t key_id, std::int32_t value_id, std::string_view value_type) {
  const std::string name = "k" + std::to_string(key_id) + "_v" + std::to_string(value_id);
  return R"({"type":"array","items":)" +
         Record(name,
                {Required(key_id, "key", "\"int\""), Required(value_id, "value", value_type)}) +
         R"(,"logicalType":"map"})";
}

std::string List(std::int32_t element_id, std::string_view element) {
  return R"({"type":"array","items":)" + std::string(element) + R"(,"element-id":)" +
         std::to_string(element_id) + "}";
}

constexpr std::string_view kInt = R"("int")";
constexpr std::string_view kLong = R"("long")";
constexpr std::string_view kText = R"("string")";
constexpr std::string_view kBytes = R"("bytes")";

std::string DataFileSchema() {
  using namespace data_file_id;  // NOLINT(google-build-using-namespace)
  return Record("r2", {Required(kContent, "content", kInt), Required(kFilePath, "file_path", kText),
                       Required(kFileFormat, "file_format", kText),
                       Required(kPartition, "partition", Record("r102", {})),
                       Required(kRecordCount, "record_count", kLong),
                       Required(kFileSize, "file_size_in_bytes", kLong),
                       Optional(kColumnSizes, "column_sizes", IntegerMap(117, 118, kLong)),
                       Optional(kValueCounts, "value_counts", IntegerMap(119, 120, kLong)),
                       Optional(kNullValueCounts, "null_value_counts", IntegerMap(121, 122, kLong)),
                       Optional(kNanValueCounts, "nan_value_counts", IntegerMap(138, 139, kLong)),
                       Optional(kLowerBounds, "lower_bounds", IntegerMap(126, 127, kBytes)),
                       Optional(kUpperBounds, "upper_bounds", IntegerMap(129, 130, kBytes)),
                       Optional(kKeyMetadata, "key_metadata", kBytes),
                       Optional(kSplitOffsets, "split_offsets", List(133, kLong)),
                       Optional(kEqualityIds, "equality_ids", List(136, kInt)),
                       Optional(kSortOrderId, "sort_order_id", kInt)});
}

std::string MakeManifestSchema() {
  return Record("manifest_entry",
                {Required(entry_id::kStatus, "status", kInt),
                 Optional(entry_id::kSnapshotId, "snapshot_id", kLong),
                 Optional(entry_id::kSequenceNumber, "sequence_number", kLong),
                 Optional(entry_id::kFileSequenceNumber, "file_sequence_number", kLong),
                 Required(entry_id::kDataFile, "data_file", DataFileSchema())});
}

std::string MakeManifestListSchema() {
  using namespace manifest_file_id;  // NOLINT(google-build-using-namespace)
  const std::string summary =
      Record("r508", {Required(509, "contains_null", R"("boolean")"),
                      Optional(518, "contains_nan", R"("boolean")"),
                      Optional(510, "lower_bound", kBytes), Optional(511, "upper_bound", kBytes)});
  return Record(
      "manifest_file",
      {Required(kPath, "manifest_path", kText), Required(kLength, "manifest_length", kLong),
       Required(kSpecId, "partition_spec_id", kInt), Required(kContent, "content", kInt),
       Required(kSequenceNumber, "sequence_number", kLong),
       Required(kMinSequenceNumber, "min_sequence_number", kLong),
       Required(kAddedSnapshotId, "added_snapshot_id", kLong),
       Required(kAddedFiles, "added_files_count", kInt),
       Required(kExistingFiles, "existing_files_count", kInt),
       Required(kDeletedFiles, "deleted_files_count", kInt),
       Required(kAddedRows, "added_rows_count", kLong),
       Required(kExistingRows, "existing_rows_count", kLong),
       Required(kDeletedRows, "deleted_rows_count", kLong),
       Optional(kPartitions, "partitions", List(508, summary)),
       Optional(kKeyMetadata, "key_metadata", kBytes)});
}

}  // namespace

const std::string& ManifestAvroSchema() {
  static const std::string kSchema = MakeManifestSchema();
  return kSchema;
}

const std::string& ManifestListAvroSchema() {
  static const std::string kSchema = MakeManifestListSchema();
  return kSchema;
}

}  // namespace frazil::iceberg
