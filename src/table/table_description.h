// SPDX-License-Identifier: Apache-2.0
// What people and their tools want to know of topics and tables: read only, and no part of what
// engines see.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/uuid.h"
#include "decode/block_decoder.h"
#include "iceberg/schema.h"
#include "iceberg/table_metadata.h"
#include "table/schema_source.h"
#include "table/topic_directory.h"

namespace frazil::table {

// How a table's last loads ended in this process.
struct LoadHistory {
  std::optional<UnixMillis> shown{};
  // The last load that was refused; absent after one that was not.
  std::optional<UnixMillis> refused{};
  std::optional<Error> refusal{};
  // The record that is the reason; absent where it is none.
  std::optional<decode::RecordPlace> refused_record{};
};

// Where a column of the value came from: the newest schema that has the field.
struct ColumnOrigin {
  std::string subject{};
  // Absent when the subject does not hold the schema, or could not be asked.
  std::optional<std::int32_t> subject_version{};
  WriterSchemaId schema_id{};
  // "AVRO".
  std::string format{};
  // The type's JSON in the schema's own words; empty where it cannot be told.
  std::string type{};
};

struct ColumnDescription {
  FieldId id{};
  // A nested field's path: "address.city", "items.element.sku", "tags.value".
  std::string path{};
  std::string type{};
  bool required = false;
  // Absent for Kafka's own columns and for topics without a schema.
  std::optional<ColumnOrigin> origin{};
};

// What was shown of a partition, and where its log stands.
struct PartitionDescription {
  Generation generation{};
  PartitionId partition{};
  // [start, end) of the last cut.
  Offset start{};
  Offset end{};
  // Absent when Kafka could not be asked, or the generation is over.
  std::optional<Offset> log_start{};
  std::optional<Offset> last_stable{};
  std::optional<Offset> high_watermark{};
  // The producer whose open transaction holds the last stable offset back (R7).
  std::optional<std::int64_t> holding_producer{};
};

struct SnapshotDescription {
  SnapshotId id{};
  std::optional<SnapshotId> parent{};
  UnixMillis stamp{};
  iceberg::Operation operation = iceberg::Operation::kAppend;
  std::int64_t added_records = 0;
  std::int64_t total_records = 0;
  std::int64_t total_files = 0;
};

struct LostRangeDescription {
  Generation generation{};
  PartitionId partition{};
  Offset start{};
  Offset end{};
  std::string reason{};
  UnixMillis stamp{};
};

struct TableDescription {
  std::string namespace_name{};
  std::string name{};
  std::string topic{};
  // The topic whose table would have the same name; empty: none.
  std::string clashes_with{};
  LoadHistory loads{};
  // The rest is absent, or empty, for a table that was never loaded.
  std::optional<Uuid> uuid{};
  std::string location{};
  std::optional<Uuid> topic_id{};
  Generation generation{};
  // What to know of its schemas: that the registry has none, say.
  std::optional<std::string> schema_notice{};
  // Since when the last known schemas serve because the registry is away; absent: it is not (R5).
  std::optional<UnixMillis> last_known_schema_since{};
  std::optional<SchemaVersion> schema_version{};
  std::vector<ColumnDescription> columns{};
  std::vector<PartitionDescription> partitions{};
  // Why the partitions say nothing of Kafka; absent: they do.
  std::optional<Error> kafka_error{};
  // Those that are listed, ascending.
  std::vector<SnapshotDescription> snapshots{};
  // Records that were gone before they could be kept (R9).
  std::vector<LostRangeDescription> lost{};
};

enum class Detail {
  kSummary,  // no columns; the last snapshot only; Kafka is not asked
  kStatus,   // as kSummary, with partitions as Kafka has them
  kFull,
};

// Threads: every member may be called from several threads at once.
class CatalogInspector {
 public:
  virtual ~CatalogInspector() = default;

  // All topics that Kafka lists, also those that are not shown; in byte order.
  // Errors: those of RecordSource::ListTopics.
  virtual Result<std::vector<ListedTopic>> Topics(Deadline deadline,
                                                  const std::stop_token& stop) = 0;

  // The tables there are, in byte order of their names. Errors: those of TableCatalog::ListTables.
  virtual Result<std::vector<TableDescription>> Tables(Detail detail, Deadline deadline,
                                                       const std::stop_token& stop) = 0;

  // One table. Takes no cut. Errors: table_not_found; those of listing; ledger.
  virtual Result<TableDescription> DescribeTable(const std::string& namespace_name,
                                                 const std::string& name, Detail detail,
                                                 Deadline deadline,
                                                 const std::stop_token& stop) = 0;
};

// A schema's columns, depth first, each nested one under its path.
std::vector<ColumnDescription> DescribeColumns(const iceberg::Schema& schema);

// The words in which an Avro record schema gives the type of a field; empty when it has no such
// field, or the text cannot be read.
std::string AvroTypeOfField(const std::string& schema_text, const std::string& field);

}  // namespace frazil::table
