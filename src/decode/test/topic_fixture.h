// SPDX-License-Identifier: Apache-2.0
// A topic in memory: schemas are registered, records added, and all of it decoded.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/record_batch.h>

#include "avro/schema.h"
#include "base/bytes.h"
#include "decode/block_decoder.h"
#include "decode/schema_mapping.h"

namespace frazil::decode {

// Ends the test process for a schema that the test meant to be valid.
avro::Schema ParsedSchema(const std::string& json);
// A record schema named R with these fields, given as JSON.
std::string RecordJson(const std::string& fields);

class TopicFixture {
 public:
  // Maps the schema as the subject's next version. The first error is kept.
  Status Register(int id, const std::string& schema_json);
  // The same schema, for tests that make their own columns.
  void RegisterMapped(int id, avro::Schema schema, iceberg::Schema columns);

  // A framed record; offsets count from 100.
  void Add(int id, const Bytes& body);
  void AddValue(std::optional<Bytes> value);
  SourceRecord& last_record() { return block_.records.back(); }
  NullableView Keep(std::optional<Bytes> bytes);
  void AddHeader(const std::string& key, std::optional<Bytes> value);
  // Later records go to another block.
  void EndBlock();

  const iceberg::Schema& newest() const { return versions_.back(); }
  const iceberg::Schema& version(std::size_t number) const { return versions_[number]; }
  const avro::Schema& writer(int id) const { return writers_.at(id); }
  const iceberg::Schema& columns_of(int id) const { return columns_.at(id); }
  FieldId next_field_id() const { return next_field_id_; }
  std::vector<RecordBlock> Blocks() const;

  Result<std::shared_ptr<arrow::RecordBatch>> Decode() const { return Decode(newest()); }
  Result<std::shared_ptr<arrow::RecordBatch>> Decode(const iceberg::Schema& target,
                                                     EnumForm enums = EnumForm::kText) const;

  BlockOrigin origin{.topic = "orders", .generation = Generation(2), .partition = PartitionId(3)};

 private:
  std::map<int, avro::Schema> writers_;
  std::map<int, iceberg::Schema> columns_;
  std::vector<iceberg::Schema> versions_;
  FieldId next_field_id_{21};
  std::vector<RecordBlock> ended_;
  RecordBlock block_;
  std::int64_t next_offset_ = 100;
  // Exact-size heap copies, so that AddressSanitizer sees a read past the end.
  std::vector<std::shared_ptr<Bytes>> kept_;
};

// The cell as text: numbers, dates and times as integers (decimals unscaled), floating numbers as
// the hexadecimal of their bits, text as it is, other bytes as hexadecimal, nested values as
// "{field: cell, ...}", "[cell, ...]" and "<key = cell, ...>" with NULL; nullopt for NULL.
std::optional<std::string> Cell(const arrow::RecordBatch& batch, const std::string& column,
                                std::int64_t row);
// All rows of one column, NULL as "NULL".
std::vector<std::string> Column(const arrow::RecordBatch& batch, const std::string& column);

}  // namespace frazil::decode
