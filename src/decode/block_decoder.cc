// SPDX-License-Identifier: Apache-2.0
#include "decode/block_decoder.h"

#include <limits>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/encoding.h"
#include "decode/arrow_type_internal.h"
#include "decode/kafka_columns.h"
#include "decode/plan_execution_internal.h"
#include "decode/record_columns_internal.h"

namespace frazil::decode {

namespace {

constexpr std::size_t kFrameSize = 5;
// Of all value columns of a batch together.
constexpr std::int64_t kMostBytes = std::int64_t{4} << 30;

// nullopt for a value without framing.
std::optional<WriterSchemaId> FramedId(const NullableView& value) {
  if (value.size < static_cast<std::int32_t>(kFrameSize) || value.data[0] != 0) {
    return std::nullopt;
  }
  return WriterSchemaId(LoadBigEndian<std::int32_t>(value.data + 1));
}

Error NotFramed(const BlockOrigin& origin, const SourceRecord& record) {
  return RecordError(origin, record.offset,
                     "a record's value does not begin with a zero byte and a schema id, as "
                     "serializers that use a schema registry write it; check what produced it",
                     "size " + std::to_string(record.value.size));
}

// Consecutive records with the same writer's schema, or tombstones.
struct Run {
  RowRange rows;
  const AvroPlan* plan = nullptr;
  WriterSchemaId id;
};

class BatchDecoder {
 public:
  BatchDecoder(const BlockOrigin& origin, const iceberg::Schema& target, const PlansById& plans,
               std::span<const RecordBlock> blocks)
      : origin_(origin), target_(target), plans_(plans), blocks_(blocks) {}

  Result<std::shared_ptr<arrow::RecordBatch>> Decode() {
    for (const RecordBlock& block : blocks_) rows_ += block.records.size();
    if (rows_ >= std::numeric_limits<std::int32_t>::max()) {
      return Error(ErrorCode::kResourceExhausted,
                   "one chunk cannot hold so many records: " + std::to_string(rows_));
    }
    if (FormatOf(target_) == ValueFormat::kRaw) return Assemble();
    FRAZIL_RETURN_IF_ERROR(ReadFrames());
    FRAZIL_RETURN_IF_ERROR(MakeColumns());
    for (const Run& run : runs_) FRAZIL_RETURN_IF_ERROR(DecodeRun(run));
    FRAZIL_RETURN_IF_ERROR(CheckText());
    return Assemble();
  }

 private:
  Status ReadFrames() {
    cursors_.at.reserve(rows_);
    cursors_.end.reserve(rows_);
    for (const RecordBlock& block : blocks_) {
      for (const SourceRecord& record : block.records) FRAZIL_RETURN_IF_ERROR(AddRow(record));
    }
    return {};
  }

  Status AddRow(const SourceRecord& record) {
    const std::size_t row = cursors_.at.size();
    if (record.value.is_null()) {
      cursors_.at.push_back(nullptr);
      cursors_.end.push_back(nullptr);
      if (runs_.empty() || runs_.back().plan != nullptr) runs_.push_back({{row, row}, nullptr, {}});
      runs_.back().rows.end = row + 1;
      return {};
    }
    const auto id = FramedId(record.value);
    if (!id.has_value()) return NotFramed(origin_, record);
    cursors_.at.push_back(record.value.data + kFrameSize);
    cursors_.end.push_back(record.value.data + record.value.size);
    if (runs_.empty() || runs_.back().plan == nullptr || runs_.back().id != *id) {
      const auto plan = plans_.find(*id);
      if (plan == plans_.end()) {
        return Error(ErrorCode::kInternal,
                     "no plan was made for a writer's schema: id " + std::to_string(id->value()));
      }
      runs_.push_back({{row, row}, &plan->second, *id});
    }
    runs_.back().rows.end = row + 1;
    return {};
  }

  Status MakeColumns() {
    auto columns = ColumnTree::Make(target_, rows_, budget_);
    if (!columns.ok()) {
      return Error(columns.error().code(),
                   columns.error().message() + ": topic " + Printable(origin_.topic));
    }
    columns_ = std::move(columns).value();
    return {};
  }

  Status DecodeRun(const Run& run) {
    if (run.plan == nullptr) {
      for (const std::size_t column : columns_.top()) {
        columns_.SetNull(column, run.rows.begin, run.rows.end);
      }
      return {};
    }
    const auto failure = Execute(run.plan->program(), run.rows, cursors_, columns_, budget_);
    if (!failure.has_value()) return {};
    return ErrorOf(*failure, run.id);
  }

  Status CheckText() {
    const auto bad = columns_.FirstBadText();
    if (!bad.has_value()) return {};
    const std::string path = columns_.PathOf(bad->number);
    for (const Run& run : runs_) {
      if (bad->row < run.rows.end) return ErrorOf({bad->row, path, Flaw::kNotUtf8}, run.id);
    }
    return {};
  }

  Error ErrorOf(const Failure& failure, WriterSchemaId id) const {
    const bool names_field = !failure.path.empty();
    if (failure.flaw == Flaw::kColumnFull || failure.flaw == Flaw::kNoMemory) {
      return Error(ErrorCode::kResourceExhausted,
                   "the records of one chunk cannot be decoded because " +
                       std::string(Text(failure.flaw)) + ": topic " + Printable(origin_.topic) +
                       ", field " + Printable(failure.path));
    }
    std::string place = "schema id " + std::to_string(id.value());
    if (names_field) place += ", field " + Printable(failure.path);
    Error error = RecordError(origin_, OffsetOf(failure.row),
                              "a record does not fit the schema that it names because " +
                                  std::string(Text(failure.flaw)) + "; check what produced it",
                              place);
    if (origin_.refused != nullptr) (*origin_.refused)->schema_id = id;
    return error;
  }

  std::int64_t OffsetOf(std::size_t row) const {
    for (const RecordBlock& block : blocks_) {
      if (row < block.records.size()) return block.records[row].offset;
      row -= block.records.size();
    }
    return -1;
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Assemble() {
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    auto value_column = columns_.top().begin();
    for (const iceberg::NestedField& field : target_.fields) {
      fields.push_back(ArrowField(field));
      if (field.id >= kFirstValueField) {
        arrays.push_back(columns_.Finish(*value_column++));
        continue;
      }
      FRAZIL_ASSIGN_OR_RETURN(auto array, KafkaColumn(origin_, field, blocks_, rows_));
      arrays.push_back(std::move(array));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)),
                                    static_cast<std::int64_t>(rows_), std::move(arrays));
  }

  const BlockOrigin& origin_;
  const iceberg::Schema& target_;
  const PlansById& plans_;
  std::span<const RecordBlock> blocks_;
  std::size_t rows_ = 0;
  Cursors cursors_;
  std::vector<Run> runs_;
  MemoryBudget budget_{kMostBytes};
  ColumnTree columns_;
};

}  // namespace

Result<std::set<WriterSchemaId>> WriterSchemaIds(const BlockOrigin& origin,
                                                 std::span<const RecordBlock> blocks) {
  std::set<WriterSchemaId> ids;
  std::optional<WriterSchemaId> last;
  for (const RecordBlock& block : blocks) {
    for (const SourceRecord& record : block.records) {
      if (record.value.is_null()) continue;
      const auto id = FramedId(record.value);
      if (!id.has_value()) return NotFramed(origin, record);
      if (id != last) ids.insert(*id);
      last = id;
    }
  }
  return ids;
}

std::optional<Offset> FirstRecordOf(const std::set<WriterSchemaId>& ids,
                                    std::span<const RecordBlock> blocks) {
  for (const RecordBlock& block : blocks) {
    for (const SourceRecord& record : block.records) {
      const auto id = FramedId(record.value);
      if (id.has_value() && ids.contains(*id)) return Offset(record.offset);
    }
  }
  return std::nullopt;
}

Result<std::shared_ptr<arrow::RecordBatch>> DecodeBlocks(const BlockOrigin& origin,
                                                         const iceberg::Schema& target,
                                                         const PlansById& plans,
                                                         std::span<const RecordBlock> blocks) {
  try {
    return BatchDecoder(origin, target, plans, blocks).Decode();
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::kResourceExhausted, "memory ran out while records were decoded");
  }
}

}  // namespace frazil::decode
