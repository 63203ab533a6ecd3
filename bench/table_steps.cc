// SPDX-License-Identifier: Apache-2.0
#include <arrow/record_batch.h>

#include "avro/schema.h"
#include "bench/sample_records.h"
#include "bench/steps_internal.h"
#include "decode/avro_plan.h"
#include "decode/block_decoder.h"
#include "decode/kafka_columns.h"
#include "decode/schema_mapping.h"
#include "parquet/chunk_encoder.h"

namespace frazil::bench {
namespace {

std::vector<decode::RecordBlock> MakeBlocks(const std::shared_ptr<const Values>& values) {
  decode::RecordBlock block;
  for (std::size_t i = 0; i < values->ends.size(); ++i) {
    const ByteView value = values->at(i);
    decode::SourceRecord record;
    record.offset = static_cast<std::int64_t>(i);
    record.timestamp = kFirstTimestamp + record.offset / 10;
    record.value = {.data = value.data(), .size = static_cast<std::int32_t>(value.size())};
    block.records.push_back(record);
  }
  block.owners = {values};
  block.payload_bytes = values->bytes.size();
  block.held_bytes = values->bytes.size();
  std::vector<decode::RecordBlock> blocks;
  blocks.push_back(std::move(block));
  return blocks;
}

// A shape's table, and its records.
struct Topic {
  iceberg::Schema schema;
  decode::PlansById plans;
  decode::BlockOrigin origin{
      .topic = "bench", .generation = Generation(0), .partition = PartitionId(0)};
  std::vector<decode::RecordBlock> blocks;

  std::shared_ptr<arrow::RecordBatch> Decode() const {
    const auto writers = Value(decode::WriterSchemaIds(origin, blocks));
    FRAZIL_CHECK(writers.size() == 1);
    return Value(
        decode::DecodeBlocks(origin, schema, plans, blocks, decode::EnumForm::kDictionary));
  }
};

std::shared_ptr<const Topic> MakeTopic(Shape shape, const std::shared_ptr<const Values>& values) {
  auto topic = std::make_shared<Topic>();
  const avro::Schema writer = Value(avro::ParseSchema(std::string(SchemaText(shape))));
  topic->schema = Value(decode::MapFirstSchema(writer, decode::kFirstValueField)).schema;
  topic->plans.emplace(WriterSchemaId(kSchemaId),
                       Value(decode::AvroPlan::Compile(writer, topic->schema, topic->schema)));
  topic->blocks = MakeBlocks(values);
  return topic;
}

}  // namespace

void AddTableSteps(const std::string& shape, const std::shared_ptr<const Values>& values,
                   std::vector<Step>& steps) {
  const auto topic = MakeTopic(ShapeNamed(shape), values);
  const auto count = static_cast<std::int64_t>(values->ends.size());
  steps.push_back({"decode_" + shape, count, values->leaves,
                   [topic, count] { FRAZIL_CHECK(topic->Decode()->num_rows() == count); }});
  const std::shared_ptr<arrow::RecordBatch> batch = topic->Decode();
  const std::size_t size = Value(parquet::EncodeChunk(*batch, topic->schema)).file.size();
  steps.push_back({"parquet_" + shape, count, values->leaves, [topic, batch, size] {
                     const auto again = Value(parquet::EncodeChunk(*batch, topic->schema));
                     FRAZIL_CHECK(again.file.size() == size);
                   }});
}

}  // namespace frazil::bench
