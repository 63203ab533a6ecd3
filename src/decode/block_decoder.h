// SPDX-License-Identifier: Apache-2.0
// Record blocks to Arrow columns: no object per record. Pure.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "decode/avro_plan.h"
#include "decode/source_record.h"
#include "iceberg/schema.h"

namespace arrow {
class RecordBatch;
}

namespace frazil::decode {

// A record, and the schema that it names where that is known.
struct RecordPlace {
  PartitionId partition{};
  Offset offset{};
  std::optional<WriterSchemaId> schema_id{};
};

// Where the records come from: filled into columns, and named in errors.
struct BlockOrigin {
  std::string topic;
  Generation generation;
  PartitionId partition;
  // Set to the record that an undecodable_record is about; null: nobody wants to know.
  std::optional<RecordPlace>* refused = nullptr;
};

// The writer schema ids that the records' values name in Confluent framing (byte 0, then the id as
// four bytes, big-endian). NULL values (tombstones) name none.
// Errors: undecodable_record, naming topic, partition and offset, for a value without framing.
Result<std::set<WriterSchemaId>> WriterSchemaIds(const BlockOrigin& origin,
                                                 std::span<const RecordBlock> blocks);

// The offset of the first record that names one of these schemas; nullopt when none does.
std::optional<Offset> FirstRecordOf(const std::set<WriterSchemaId>& ids,
                                    std::span<const RecordBlock> blocks);

using PlansById = std::map<WriterSchemaId, AvroPlan>;

// How columns of text come that every plan fills from one and the same enum, outside of lists and
// records.
enum class EnumForm {
  kText,
  // As an Arrow dictionary of int32 and utf8: no text is written for each row. The dictionary's
  // first text is empty and no row's.
  kDictionary,
};

// One Arrow batch with the columns of `target`, one row for each record, in their order. A NULL
// value is a row whose value columns are NULL. Timestamps are microseconds; a record timestamp of
// -1, or one that microseconds cannot hold, is NULL.
// Requires: `plans` were compiled for `target` and hold every id that WriterSchemaIds gives; a
// target of the format kRaw needs none, and its values are taken as they are. Errors:
// undecodable_record, naming topic, partition, offset and the path of the field, for a value that
// does not fit its schema, ends early, has bytes left over, or holds text that is not UTF-8;
// resource_exhausted when a column would pass 2 GiB, or all of them 4 GiB.
// The result holds copies; blocks may go.
Result<std::shared_ptr<arrow::RecordBatch>> DecodeBlocks(const BlockOrigin& origin,
                                                         const iceberg::Schema& target,
                                                         const PlansById& plans,
                                                         std::span<const RecordBlock> blocks,
                                                         EnumForm enums = EnumForm::kText);

}  // namespace frazil::decode
