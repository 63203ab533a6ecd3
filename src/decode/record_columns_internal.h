// SPDX-License-Identifier: Apache-2.0
// Kafka's own columns: coordinates, timestamp, key and headers of each record. Pure.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "decode/block_decoder.h"

namespace arrow {
class Array;
}

namespace frazil::decode {

// The error of a record, naming topic, partition and offset.
Error RecordError(const BlockOrigin& origin, std::int64_t offset, std::string_view reason,
                  std::string_view place = {});

// One of KafkaColumns(), or kafka_value, while records are added in their order.
class RecordColumn {
 public:
  virtual ~RecordColumn() = default;

  // Errors: undecodable_record for a header key that is not UTF-8; resource_exhausted.
  virtual Status Add(const RecordBlock& block, std::span<const SourceRecord> records) = 0;
  // Once. The errors of Add.
  virtual Result<std::shared_ptr<arrow::Array>> Finish() = 0;
};

// Those of them that a schema has.
class RecordColumns {
 public:
  // `origin` and `target` must outlive it. Errors: resource_exhausted; unsupported for a field that
  // is not known.
  static Result<RecordColumns> Make(const BlockOrigin& origin, const iceberg::Schema& target,
                                    std::size_t rows);

  // All blocks, `rows` records, at once. Errors: as RecordColumn's.
  Status Fill(std::span<const RecordBlock> blocks);
  // Requires: Fill succeeded; the target has that field.
  std::shared_ptr<arrow::Array> Finish(FieldId field) { return std::move(finished_.at(field)); }

 private:
  std::map<FieldId, std::unique_ptr<RecordColumn>> columns_;
  std::map<FieldId, std::shared_ptr<arrow::Array>> finished_;
};

}  // namespace frazil::decode
