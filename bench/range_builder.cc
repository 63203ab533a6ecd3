// SPDX-License-Identifier: Apache-2.0
#include "bench/range_builder.h"

#include <optional>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>

#include "avro/schema.h"
#include "bench/command_line.h"
#include "decode/avro_plan.h"
#include "decode/kafka_columns.h"
#include "decode/schema_mapping.h"
#include "parquet/chunk_encoder.h"
#include "table/chunk_builder.h"

namespace frazil::bench {
namespace {

constexpr std::size_t kFullFile = 84'000'000;

template <typename T>
T Value(Result<T> result) {
  if (!result.ok()) Fail(result.error().ToString());
  return std::move(result).value();
}

}  // namespace

Until UntilNamed(const std::string& name) {
  if (name == "records") return Until::kRecords;
  if (name == "arrow") return Until::kArrow;
  if (name == "counted") return Until::kCounted;
  if (name == "parquet") return Until::kParquet;
  Fail("--until is records, arrow, counted or parquet");
}

class RangeBuilder::State {
 public:
  State(Until until, Shape shape, WriterSchemaId schema_id, decode::BlockOrigin origin)
      : until_(until), origin_(std::move(origin)) {
    const auto writer = Value(avro::ParseSchema(std::string(SchemaText(shape))));
    schema_ = Value(decode::MapFirstSchema(writer, decode::kFirstValueField)).schema;
    plans_.emplace(schema_id, Value(decode::AvroPlan::Compile(writer, schema_, schema_)));
  }

  void Add(decode::RecordBlock block) {
    built_.records += static_cast<std::int64_t>(block.records.size());
    built_.payload_bytes += block.payload_bytes;
    if (until_ == Until::kRecords) return;
    const std::size_t weight = block.payload_bytes + block.records.size() * table::kRecordWeight;
    if (weight_ > 0 && weight_ + weight > table::kRowGroupWeight) Flush();
    weight_ += weight;
    group_.push_back(std::move(block));
  }

  BuiltRange Finish() {
    Flush();
    if (encoder_) Close();
    return built_;
  }

 private:
  void Flush() {
    if (group_.empty()) return;
    if (Value(decode::WriterSchemaIds(origin_, group_)).size() != 1) Fail("other schemas");
    const auto batch = Value(
        decode::DecodeBlocks(origin_, schema_, plans_, group_, decode::EnumForm::kDictionary));
    group_.clear();
    weight_ = 0;
    built_.rows += batch->num_rows();
    ++built_.row_groups;
    if (until_ == Until::kArrow) return;
    if (!encoder_) {
      const auto output = until_ == Until::kCounted ? parquet::EncoderOutput::kSizeOnly
                                                    : parquet::EncoderOutput::kFile;
      encoder_.emplace(Value(parquet::ChunkEncoder::Open(schema_, parquet::kEncoderVersion,
                                                         kFullFile + kFullFile / 8, output)));
    }
    const Status appended = encoder_->Append(*batch);
    if (!appended.ok()) Fail(appended.error().ToString());
    if (encoder_->bytes_written() >= kFullFile) Close();
  }

  void Close() {
    const auto chunk = Value(encoder_->Finish());
    encoder_.reset();
    built_.file_bytes += static_cast<std::size_t>(chunk.file_size);
    ++built_.files;
  }

  const Until until_;
  const decode::BlockOrigin origin_;
  iceberg::Schema schema_;
  decode::PlansById plans_;
  std::vector<decode::RecordBlock> group_;
  std::size_t weight_ = 0;
  std::optional<parquet::ChunkEncoder> encoder_;
  BuiltRange built_;
};

RangeBuilder::RangeBuilder(Until until, Shape shape, WriterSchemaId schema_id,
                           decode::BlockOrigin origin)
    : state_(std::make_unique<State>(until, shape, schema_id, std::move(origin))) {}

RangeBuilder::~RangeBuilder() = default;

void RangeBuilder::Add(decode::RecordBlock block) { state_->Add(std::move(block)); }

BuiltRange RangeBuilder::Finish() { return state_->Finish(); }

}  // namespace frazil::bench
