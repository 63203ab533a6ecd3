// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>

#include "base/encoding.h"
#include "decode/arrow_type_internal.h"
#include "decode/column_buffers_internal.h"
#include "decode/kafka_columns.h"
#include "decode/record_columns_internal.h"

namespace frazil::decode {

using iceberg::Type;
using iceberg::TypeKind;

namespace {

using ArrayResult = Result<std::shared_ptr<arrow::Array>>;

// Records that all columns look at before the next ones: they shall stay in the processor's cache.
constexpr std::size_t kRecordsAtOnce = 1024;

class ConstantColumn : public RecordColumn {
 public:
  ConstantColumn(ColumnBuffers column, std::int32_t value) : column_(std::move(column)) {
    std::fill_n(column_.values<std::int32_t>(), column_.rows(), value);
  }

  Status Add(const RecordBlock&, std::span<const SourceRecord>) override { return {}; }
  ArrayResult Finish() override { return column_.Finish(); }

 private:
  ColumnBuffers column_;
};

class OffsetColumn : public RecordColumn {
 public:
  explicit OffsetColumn(ColumnBuffers column) : column_(std::move(column)) {}

  Status Add(const RecordBlock&, std::span<const SourceRecord> records) override {
    auto* to = column_.values<std::int64_t>() + rows_;
    for (const SourceRecord& record : records) *to++ = record.offset;
    rows_ += records.size();
    return {};
  }
  ArrayResult Finish() override { return column_.Finish(); }

 private:
  ColumnBuffers column_;
  std::size_t rows_ = 0;
};

class TimestampColumn : public RecordColumn {
 public:
  explicit TimestampColumn(ColumnBuffers column) : column_(std::move(column)) {}

  Status Add(const RecordBlock&, std::span<const SourceRecord> records) override {
    auto* to = column_.values<std::int64_t>() + rows_;
    bool all_valid = true;
    for (const SourceRecord& record : records) all_valid &= ToMicros(record.timestamp, *to++);
    if (all_valid) {
      column_.SetValid(rows_, rows_ + records.size());
    } else {
      SetOneByOne(records);
    }
    rows_ += records.size();
    return {};
  }
  ArrayResult Finish() override { return column_.Finish(); }

 private:
  static bool ToMicros(std::int64_t millis, std::int64_t& micros) {
    const bool overflows = __builtin_mul_overflow(millis, std::int64_t{1000}, &micros);
    return !overflows && millis != -1;
  }
  void SetOneByOne(std::span<const SourceRecord> records) {
    std::size_t row = rows_;
    for (const SourceRecord& record : records) {
      std::int64_t micros = 0;
      if (ToMicros(record.timestamp, micros)) {
        column_.SetValid(row, row + 1);
      } else {
        column_.SetNull(row, row + 1);
      }
      ++row;
    }
  }

  ColumnBuffers column_;
  std::size_t rows_ = 0;
};

Error TooLarge(const BlockOrigin& origin, std::string_view column) {
  return Error(ErrorCode::kResourceExhausted, "a column of one chunk would pass 2 GiB: column " +
                                                  std::string(column) + ", topic " +
                                                  Printable(origin.topic) + ", partition " +
                                                  std::to_string(origin.partition.value()));
}

// Adds `count` rows of bytes or text behind the `first` that are there, from views that
// `view_of(i)` gives.
template <typename ViewOf>
Status AddViews(const BlockOrigin& origin, std::string_view name, std::size_t first,
                std::size_t count, ViewOf view_of, ColumnBuffers& column) {
  std::int32_t* ends = column.offsets() + first;
  std::int64_t end = *ends++;
  std::size_t nulls = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const NullableView view = view_of(i);
    nulls += view.is_null() ? 1 : 0;
    end += std::max(view.size, 0);
    ends[i] = static_cast<std::int32_t>(end);
  }
  if (end > std::numeric_limits<std::int32_t>::max()) return TooLarge(origin, name);
  std::uint8_t* to = column.AppendData(end - ends[-1], first + count);
  if (to == nullptr) {
    return Error(ErrorCode::kResourceExhausted, "memory ran out while records were decoded");
  }
  column.AddNulls(static_cast<std::int64_t>(nulls));
  if (nulls == 0) column.SetValid(first, first + count);
  if (nulls == count) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const NullableView view = view_of(i);
    if (view.size > 0) std::memcpy(to, view.data, static_cast<std::size_t>(view.size));
    to += std::max(view.size, 0);
    if (nulls > 0 && !view.is_null()) column.SetValid(first + i, first + i + 1);
  }
  return {};
}

// The key or the value of each record.
class BytesColumn : public RecordColumn {
 public:
  BytesColumn(const BlockOrigin& origin, const iceberg::NestedField& field, ColumnBuffers column,
              NullableView SourceRecord::* part)
      : origin_(origin), field_(field), column_(std::move(column)), part_(part) {}

  Status Add(const RecordBlock&, std::span<const SourceRecord> records) override {
    const auto view_of = [&](std::size_t i) { return records[i].*part_; };
    FRAZIL_RETURN_IF_ERROR(AddViews(origin_, field_.name, rows_, records.size(), view_of, column_));
    rows_ += records.size();
    return {};
  }
  ArrayResult Finish() override { return column_.Finish(); }

 private:
  const BlockOrigin& origin_;
  const iceberg::NestedField& field_;
  ColumnBuffers column_;
  NullableView SourceRecord::* part_;
  std::size_t rows_ = 0;
};

class HeadersColumn : public RecordColumn {
 public:
  HeadersColumn(const BlockOrigin& origin, const iceberg::NestedField& field, ColumnBuffers lists)
      : origin_(origin), field_(field), lists_(std::move(lists)) {}

  Status Add(const RecordBlock& block, std::span<const SourceRecord> records) override {
    std::int32_t* ends = lists_.offsets() + rows_ + 1;
    const std::size_t available = block.headers.size();
    for (const SourceRecord& record : records) {
      if (record.header_count > 0) {
        if (record.header_begin > available ||
            record.header_count > available - record.header_begin) {
          return Error(ErrorCode::kInternal, "a record names headers that its block does not hold");
        }
        Collect(block, record);
        if (headers_.size() > std::numeric_limits<std::int32_t>::max()) {
          return TooLarge(origin_, field_.name);
        }
      }
      *ends++ = static_cast<std::int32_t>(headers_.size());
    }
    rows_ += records.size();
    return {};
  }

  ArrayResult Finish() override {
    const std::size_t count = headers_.size();
    for (const Header& header : headers_) {
      if (header.header->key.size() > std::numeric_limits<std::int32_t>::max()) {
        return Error(ErrorCode::kInternal, "a header's key is longer than a record can be");
      }
    }
    FRAZIL_ASSIGN_OR_RETURN(auto keys, ColumnBuffers::Make(Type::Of(TypeKind::kString), count));
    FRAZIL_ASSIGN_OR_RETURN(auto values, ColumnBuffers::Make(Type::Of(TypeKind::kBinary), count));
    const auto key_of = [&](std::size_t i) {
      const ByteView key = headers_[i].header->key;
      return NullableView{key.data(), static_cast<std::int32_t>(key.size())};
    };
    const auto value_of = [&](std::size_t i) { return headers_[i].header->value; };
    FRAZIL_RETURN_IF_ERROR(AddViews(origin_, field_.name, 0, count, key_of, keys));
    FRAZIL_RETURN_IF_ERROR(AddViews(origin_, field_.name, 0, count, value_of, values));
    if (const auto bad = keys.FirstRowNotUtf8(); bad.has_value()) {
      return RecordError(origin_, headers_[*bad].record,
                         "a record's header key is not UTF-8 text; check what produced it",
                         "field kafka_headers");
    }
    return Assemble(keys.Finish(), values.Finish());
  }

 private:
  struct Header {
    const SourceHeader* header;
    // The offset of its record, for messages.
    std::int64_t record;
  };

  void Collect(const RecordBlock& block, const SourceRecord& record) {
    for (std::size_t i = 0; i < record.header_count; ++i) {
      headers_.push_back({&block.headers[record.header_begin + i], record.offset});
    }
  }

  std::shared_ptr<arrow::Array> Assemble(const std::shared_ptr<arrow::Array>& keys,
                                         const std::shared_ptr<arrow::Array>& values) {
    auto type = ArrowType(field_.type);
    auto structs = arrow::ArrayData::Make(type->field(0)->type(), keys->length(), {nullptr}, 0);
    structs->child_data = {keys->data(), values->data()};
    auto lists = lists_.FinishData(std::move(type));
    lists->child_data = {std::move(structs)};
    return arrow::MakeArray(lists);
  }

  const BlockOrigin& origin_;
  const iceberg::NestedField& field_;
  ColumnBuffers lists_;
  std::vector<Header> headers_;
  std::size_t rows_ = 0;
};

Result<std::unique_ptr<RecordColumn>> MakeColumn(const BlockOrigin& origin,
                                                 const iceberg::NestedField& field,
                                                 std::size_t rows) {
  FRAZIL_ASSIGN_OR_RETURN(auto column, ColumnBuffers::Make(field.type, rows));
  std::unique_ptr<RecordColumn> made;
  if (field.id == kGenerationField) {
    made = std::make_unique<ConstantColumn>(std::move(column), origin.generation.value());
  } else if (field.id == kPartitionField) {
    made = std::make_unique<ConstantColumn>(std::move(column), origin.partition.value());
  } else if (field.id == kOffsetField) {
    made = std::make_unique<OffsetColumn>(std::move(column));
  } else if (field.id == kTimestampField) {
    made = std::make_unique<TimestampColumn>(std::move(column));
  } else if (field.id == kKeyField || field.id == kValueField) {
    const auto part = field.id == kKeyField ? &SourceRecord::key : &SourceRecord::value;
    made = std::make_unique<BytesColumn>(origin, field, std::move(column), part);
  } else if (field.id == kHeadersField) {
    made = std::make_unique<HeadersColumn>(origin, field, std::move(column));
  } else {
    return Error(ErrorCode::kUnsupported,
                 "the column cannot be filled by this version: " + Printable(field.name));
  }
  return made;
}

}  // namespace

Error RecordError(const BlockOrigin& origin, std::int64_t offset, std::string_view reason,
                  std::string_view place) {
  std::string message(reason);
  message += ": topic " + Printable(origin.topic);
  message += ", partition " + std::to_string(origin.partition.value());
  message += ", offset " + std::to_string(offset);
  if (!place.empty()) message += ", " + std::string(place);
  if (origin.refused != nullptr) {
    *origin.refused = RecordPlace{
        .partition = origin.partition, .offset = Offset(offset), .schema_id = std::nullopt};
  }
  return Error(ErrorCode::kUndecodableRecord, std::move(message));
}

Result<RecordColumns> RecordColumns::Make(const BlockOrigin& origin, const iceberg::Schema& target,
                                          std::size_t rows) {
  RecordColumns columns;
  for (const iceberg::NestedField& field : target.fields) {
    if (field.id >= kFirstValueField) continue;
    FRAZIL_ASSIGN_OR_RETURN(auto column, MakeColumn(origin, field, rows));
    columns.columns_.insert_or_assign(field.id, std::move(column));
  }
  return columns;
}

Status RecordColumns::Fill(std::span<const RecordBlock> blocks) {
  for (const RecordBlock& block : blocks) {
    std::span<const SourceRecord> left(block.records);
    while (!left.empty()) {
      const auto now = left.first(std::min(left.size(), kRecordsAtOnce));
      left = left.subspan(now.size());
      for (const auto& [id, column] : columns_) FRAZIL_RETURN_IF_ERROR(column->Add(block, now));
    }
  }
  for (const auto& [id, column] : columns_) {
    FRAZIL_ASSIGN_OR_RETURN(auto array, column->Finish());
    finished_.insert_or_assign(id, std::move(array));
  }
  return {};
}

}  // namespace frazil::decode
