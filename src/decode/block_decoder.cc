// SPDX-License-Identifier: Apache-2.0
#include "decode/block_decoder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string>
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

constexpr std::int32_t kFrameSize = 5;
// Of all value columns of a batch together.
constexpr std::int64_t kMostBytes = std::int64_t{4} << 30;

bool IsFramed(const NullableView& value) { return value.size >= kFrameSize && value.data[0] == 0; }

// The id's bytes as they stand there: enough to tell whether two are the same. Requires: IsFramed.
std::uint32_t RawId(const NullableView& value) {
  std::uint32_t raw = 0;
  std::memcpy(&raw, value.data + 1, sizeof(raw));
  return raw;
}

WriterSchemaId IdOf(const NullableView& value) {
  return WriterSchemaId(LoadBigEndian<std::int32_t>(value.data + 1));
}

Error NotFramed(const BlockOrigin& origin, const SourceRecord& record) {
  return RecordError(origin, record.offset,
                     "a record's value does not begin with a zero byte and a schema id, as "
                     "serializers that use a schema registry write it; check what produced it",
                     "size " + std::to_string(record.value.size));
}

// The records of some blocks one after the other, in slices of the same writer's schema.
class Slices {
 public:
  explicit Slices(std::span<const RecordBlock> blocks)
      : blocks_(blocks), at_(kRowsAtOnce), end_(kRowsAtOnce) {
    SkipEmptyBlocks();
  }

  struct Slice {
    // Their values, without the frame; none when they are tombstones.
    RowSet rows;
    bool tombstones = false;
    // The first record; null behind the last one. Its value has no framing when there are no rows.
    const SourceRecord* first = nullptr;
  };
  Slice Next() {
    Slice slice;
    if (block_ == blocks_.size()) return slice;
    slice.first = &blocks_[block_].records[record_];
    slice.tombstones = slice.first->value.is_null();
    slice.rows.at = at_.data();
    slice.rows.end = end_.data();
    slice.rows.first = row_;
    const std::size_t count = slice.tombstones ? TakeTombstones() : TakeValues(slice);
    slice.rows.count = count;
    row_ += count;
    return slice;
  }

 private:
  std::size_t TakeTombstones() {
    std::size_t count = 0;
    while (block_ < blocks_.size() && blocks_[block_].records[record_].value.is_null()) {
      ++count;
      ++record_;
      SkipEmptyBlocks();
    }
    return count;
  }

  std::size_t TakeValues(Slice& slice) {
    if (!IsFramed(slice.first->value)) return 0;
    const std::uint32_t id = RawId(slice.first->value);
    std::int32_t shortest = slice.first->value.size;
    std::size_t count = 0;
    while (count < kRowsAtOnce && block_ < blocks_.size()) {
      const std::vector<SourceRecord>& records = blocks_[block_].records;
      const std::size_t most = std::min(records.size() - record_, kRowsAtOnce - count);
      const SourceRecord* record = &records[record_];
      const SourceRecord* const end = record + most;
      const std::uint8_t** at_to = &at_[count];
      const std::uint8_t** end_to = &end_[count];
      for (; record != end; ++record) {
        const NullableView value = record->value;
        if (!IsFramed(value) || RawId(value) != id) break;
        *at_to++ = value.data + kFrameSize;
        *end_to++ = value.data + value.size;
        shortest = std::min(shortest, value.size);
      }
      const std::size_t taken = most - static_cast<std::size_t>(end - record);
      count += taken;
      record_ += taken;
      if (taken < most) break;
      SkipEmptyBlocks();
    }
    // The frame is readable, too.
    slice.rows.words_before_end = shortest >= 8;
    return count;
  }

  void SkipEmptyBlocks() {
    while (block_ < blocks_.size() && record_ == blocks_[block_].records.size()) {
      ++block_;
      record_ = 0;
    }
  }

  std::span<const RecordBlock> blocks_;
  std::size_t block_ = 0;
  std::size_t record_ = 0;
  std::size_t row_ = 0;
  std::vector<const std::uint8_t*> at_;
  std::vector<const std::uint8_t*> end_;
};

// The symbols that every plan fills the column with, if all do so from enums with the same ones;
// some may leave it NULL.
std::optional<std::vector<std::string>> CommonSymbols(const PlansById& plans, std::size_t column) {
  std::optional<std::vector<std::string>> common;
  for (const auto& [id, plan] : plans) {
    for (const Op& op : plan.program().root.children) {
      if (op.code == OpCode::kSkip || op.column != column) continue;
      if (op.code != OpCode::kEnum) return std::nullopt;
      std::vector<std::string> symbols;
      // The first one stands for NULL.
      for (auto symbol = op.symbols.begin() + 1; symbol != op.symbols.end(); ++symbol) {
        if (!IsUtf8(AsBytes(symbol->text))) return std::nullopt;
        symbols.push_back(symbol->text);
      }
      if (common.has_value() && *common != symbols) return std::nullopt;
      common = std::move(symbols);
    }
  }
  return common;
}

class BatchDecoder {
 public:
  BatchDecoder(const BlockOrigin& origin, const iceberg::Schema& target, const PlansById& plans,
               std::span<const RecordBlock> blocks, EnumForm enums)
      : origin_(origin), target_(target), plans_(plans), blocks_(blocks), enums_(enums) {}

  Result<std::shared_ptr<arrow::RecordBatch>> Decode() {
    for (const RecordBlock& block : blocks_) rows_ += block.records.size();
    if (rows_ >= std::numeric_limits<std::int32_t>::max()) {
      return Error(ErrorCode::kResourceExhausted,
                   "one chunk cannot hold so many records: " + std::to_string(rows_));
    }
    if (FormatOf(target_) != ValueFormat::kRaw) FRAZIL_RETURN_IF_ERROR(DecodeValues());
    return Assemble();
  }

 private:
  Status DecodeValues() {
    FRAZIL_RETURN_IF_ERROR(MakeColumns());
    Slices slices(blocks_);
    for (auto slice = slices.Next(); slice.first != nullptr; slice = slices.Next()) {
      FRAZIL_RETURN_IF_ERROR(DecodeSlice(slice));
    }
    columns_.TrimItems();
    return CheckText();
  }

  Status MakeColumns() {
    auto columns = ColumnTree::Make(target_, rows_, budget_);
    if (!columns.ok()) {
      return Error(columns.error().code(),
                   columns.error().message() + ": topic " + Printable(origin_.topic));
    }
    columns_ = std::move(columns).value();
    if (enums_ == EnumForm::kDictionary) FoldEnums();
    return {};
  }

  void FoldEnums() {
    for (const std::size_t column : columns_.top()) {
      const auto symbols = CommonSymbols(plans_, column);
      if (symbols.has_value()) columns_.at(column).Fold(*symbols);
    }
  }

  Status DecodeSlice(const Slices::Slice& slice) {
    const RowSet& rows = slice.rows;
    if (slice.tombstones) {
      for (const std::size_t column : columns_.top()) {
        columns_.SetNull(column, rows.first, rows.first + rows.count);
      }
      return {};
    }
    if (rows.count == 0) return NotFramed(origin_, *slice.first);
    const WriterSchemaId id = IdOf(slice.first->value);
    if (plan_ == nullptr || plan_->first != id) {
      const auto plan = plans_.find(id);
      if (plan == plans_.end()) {
        return Error(ErrorCode::kInternal,
                     "no plan was made for a writer's schema: id " + std::to_string(id.value()));
      }
      plan_ = &*plan;
    }
    const auto failure = execution_.Execute(plan_->second.program(), rows);
    return failure.has_value() ? ErrorOf(*failure) : Status();
  }

  Status CheckText() {
    const auto bad = columns_.FirstBadText();
    if (!bad.has_value()) return {};
    return ErrorOf({bad->row, columns_.PathOf(bad->number), Flaw::kNotUtf8});
  }

  Error ErrorOf(const Failure& failure) const {
    const bool names_field = !failure.path.empty();
    if (failure.flaw == Flaw::kColumnFull || failure.flaw == Flaw::kNoMemory) {
      return Error(ErrorCode::kResourceExhausted,
                   "the records of one chunk cannot be decoded because " +
                       std::string(Text(failure.flaw)) + ": topic " + Printable(origin_.topic) +
                       ", field " + Printable(failure.path));
    }
    const SourceRecord& record = RecordAt(failure.row);
    const WriterSchemaId id = IdOf(record.value);
    std::string place = "schema id " + std::to_string(id.value());
    if (names_field) place += ", field " + Printable(failure.path);
    Error error = RecordError(origin_, record.offset,
                              "a record does not fit the schema that it names because " +
                                  std::string(Text(failure.flaw)) + "; check what produced it",
                              place);
    if (origin_.refused != nullptr) (*origin_.refused)->schema_id = id;
    return error;
  }

  // Requires: there is such a row.
  const SourceRecord& RecordAt(std::size_t row) const {
    std::size_t block = 0;
    for (; row >= blocks_[block].records.size(); ++block) row -= blocks_[block].records.size();
    return blocks_[block].records[row];
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Assemble() {
    FRAZIL_ASSIGN_OR_RETURN(auto kafka, RecordColumns::Make(origin_, target_, rows_));
    FRAZIL_RETURN_IF_ERROR(kafka.Fill(blocks_));
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    auto value_column = columns_.top().begin();
    for (const iceberg::NestedField& field : target_.fields) {
      if (field.id < kFirstValueField) {
        arrays.push_back(kafka.Finish(field.id));
      } else {
        FRAZIL_ASSIGN_OR_RETURN(auto array, columns_.Finish(*value_column++));
        arrays.push_back(std::move(array));
      }
      // A folded column has a type of its own.
      const auto& array = arrays.back();
      auto arrow_field = ArrowField(field);
      const bool folded = array->type_id() == arrow::Type::DICTIONARY;
      fields.push_back(folded ? arrow_field->WithType(array->type()) : std::move(arrow_field));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)),
                                    static_cast<std::int64_t>(rows_), std::move(arrays));
  }

  const BlockOrigin& origin_;
  const iceberg::Schema& target_;
  const PlansById& plans_;
  std::span<const RecordBlock> blocks_;
  EnumForm enums_;
  std::size_t rows_ = 0;
  // The one that the last slice was decoded by.
  const PlansById::value_type* plan_ = nullptr;
  MemoryBudget budget_{kMostBytes};
  ColumnTree columns_;
  PlanExecution execution_{columns_};
};

}  // namespace

Result<std::set<WriterSchemaId>> WriterSchemaIds(const BlockOrigin& origin,
                                                 std::span<const RecordBlock> blocks) {
  std::set<WriterSchemaId> ids;
  std::uint32_t last = 0;
  for (const RecordBlock& block : blocks) {
    for (const SourceRecord& record : block.records) {
      if (IsFramed(record.value)) {
        const std::uint32_t raw = RawId(record.value);
        if (raw == last && !ids.empty()) continue;
        ids.insert(IdOf(record.value));
        last = raw;
      } else if (!record.value.is_null()) {
        return NotFramed(origin, record);
      }
    }
  }
  return ids;
}

std::optional<Offset> FirstRecordOf(const std::set<WriterSchemaId>& ids,
                                    std::span<const RecordBlock> blocks) {
  for (const RecordBlock& block : blocks) {
    for (const SourceRecord& record : block.records) {
      if (IsFramed(record.value) && ids.contains(IdOf(record.value))) return Offset(record.offset);
    }
  }
  return std::nullopt;
}

Result<std::shared_ptr<arrow::RecordBatch>> DecodeBlocks(const BlockOrigin& origin,
                                                         const iceberg::Schema& target,
                                                         const PlansById& plans,
                                                         std::span<const RecordBlock> blocks,
                                                         EnumForm enums) {
  try {
    return BatchDecoder(origin, target, plans, blocks, enums).Decode();
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::kResourceExhausted, "memory ran out while records were decoded");
  }
}

}  // namespace frazil::decode
