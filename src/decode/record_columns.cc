// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/util/bit_util.h>

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

template <typename Visit>
void ForEachRecord(std::span<const RecordBlock> blocks, Visit visit) {
  std::size_t row = 0;
  for (const RecordBlock& block : blocks) {
    for (const SourceRecord& record : block.records) visit(block, record, row++);
  }
}

ArrayResult ConstantInt(std::int32_t value, std::size_t rows) {
  FRAZIL_ASSIGN_OR_RETURN(auto column, ColumnBuffers::Make(Type::Of(TypeKind::kInt), rows));
  auto* values = column.values<std::int32_t>();
  for (std::size_t row = 0; row < rows; ++row) values[row] = value;
  return column.Finish();
}

ArrayResult Offsets(std::span<const RecordBlock> blocks, std::size_t rows) {
  FRAZIL_ASSIGN_OR_RETURN(auto column, ColumnBuffers::Make(Type::Of(TypeKind::kLong), rows));
  auto* values = column.values<std::int64_t>();
  ForEachRecord(blocks, [&](const RecordBlock&, const SourceRecord& record, std::size_t row) {
    values[row] = record.offset;
  });
  return column.Finish();
}

ArrayResult Timestamps(std::span<const RecordBlock> blocks, std::size_t rows) {
  FRAZIL_ASSIGN_OR_RETURN(auto column, ColumnBuffers::Make(Type::Of(TypeKind::kTimestamptz), rows));
  auto* values = column.values<std::int64_t>();
  ForEachRecord(blocks, [&](const RecordBlock&, const SourceRecord& record, std::size_t row) {
    std::int64_t micros = 0;
    if (record.timestamp == -1 ||
        __builtin_mul_overflow(record.timestamp, std::int64_t{1000}, &micros)) {
      column.SetNull(row, row + 1);
      return;
    }
    values[row] = micros;
    column.SetValid(row, row + 1);
  });
  return column.Finish();
}

Error TooLarge(const BlockOrigin& origin, std::string_view column) {
  return Error(ErrorCode::kResourceExhausted, "a column of one chunk would pass 2 GiB: column " +
                                                  std::string(column) + ", topic " +
                                                  Printable(origin.topic) + ", partition " +
                                                  std::to_string(origin.partition.value()));
}

// A column of bytes or text from views that `view_of(i)` gives for its `count` rows.
template <typename ViewOf>
Result<ColumnBuffers> VariableColumn(const BlockOrigin& origin, std::string_view name,
                                     TypeKind kind, std::size_t count, ViewOf view_of) {
  FRAZIL_ASSIGN_OR_RETURN(auto column, ColumnBuffers::Make(Type::Of(kind), count));
  std::int64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const NullableView view = view_of(i);
    if (view.is_null()) {
      column.SetNull(i, i + 1);
      continue;
    }
    total += view.size;
    if (total > std::numeric_limits<std::int32_t>::max()) return TooLarge(origin, name);
    column.SetValid(i, i + 1);
    column.offsets()[i + 1] = static_cast<std::int32_t>(total);
    if (view.size == 0) continue;
    std::uint8_t* to = column.AppendData(view.size);
    if (to == nullptr) {
      return Error(ErrorCode::kResourceExhausted, "memory ran out while records were decoded");
    }
    std::memcpy(to, view.data, static_cast<std::size_t>(view.size));
  }
  return column;
}

// The key or the value of each record.
ArrayResult BytesOf(const BlockOrigin& origin, const iceberg::NestedField& field,
                    std::span<const RecordBlock> blocks, std::size_t rows,
                    NullableView SourceRecord::* part) {
  std::vector<NullableView> views;
  views.reserve(rows);
  ForEachRecord(blocks, [&](const RecordBlock&, const SourceRecord& record, std::size_t) {
    views.push_back(record.*part);
  });
  FRAZIL_ASSIGN_OR_RETURN(auto column, VariableColumn(origin, field.name, TypeKind::kBinary, rows,
                                                      [&](std::size_t i) { return views[i]; }));
  return column.Finish();
}

struct HeaderList {
  std::vector<const SourceHeader*> headers;
  // The offset of each header's record, for messages.
  std::vector<std::int64_t> records;
  // Where row i's headers end is at i + 1.
  std::shared_ptr<arrow::Buffer> ends;
};

Result<HeaderList> CollectHeaders(const BlockOrigin& origin, std::span<const RecordBlock> blocks,
                                  std::size_t rows) {
  HeaderList list;
  FRAZIL_ASSIGN_OR_RETURN(list.ends, ZeroedBuffer((rows + 1) * sizeof(std::int32_t)));
  auto* ends = reinterpret_cast<std::int32_t*>(list.ends->mutable_data());
  bool sound = true;
  ForEachRecord(blocks, [&](const RecordBlock& block, const SourceRecord& record, std::size_t row) {
    const std::size_t available = block.headers.size();
    if (record.header_begin > available || record.header_count > available - record.header_begin) {
      sound = false;
      return;
    }
    for (std::size_t i = 0; i < record.header_count; ++i) {
      list.headers.push_back(&block.headers[record.header_begin + i]);
      list.records.push_back(record.offset);
    }
    ends[row + 1] = static_cast<std::int32_t>(list.headers.size());
  });
  if (!sound) {
    return Error(ErrorCode::kInternal, "a record names headers that its block does not hold");
  }
  if (list.headers.size() > std::numeric_limits<std::int32_t>::max()) {
    return TooLarge(origin, "kafka_headers");
  }
  return list;
}

Result<NullableView> KeyView(const SourceHeader& header) {
  if (header.key.size() > std::numeric_limits<std::int32_t>::max()) {
    return Error(ErrorCode::kInternal, "a header's key is longer than a record can be");
  }
  return NullableView{header.key.data(), static_cast<std::int32_t>(header.key.size())};
}

ArrayResult Headers(const BlockOrigin& origin, const iceberg::NestedField& field,
                    std::span<const RecordBlock> blocks, std::size_t rows) {
  FRAZIL_ASSIGN_OR_RETURN(const auto list, CollectHeaders(origin, blocks, rows));
  const std::size_t count = list.headers.size();
  for (const SourceHeader* header : list.headers) {
    FRAZIL_RETURN_IF_ERROR(KeyView(*header));
  }
  FRAZIL_ASSIGN_OR_RETURN(
      auto keys, VariableColumn(origin, field.name, TypeKind::kString, count,
                                [&](std::size_t i) { return *KeyView(*list.headers[i]); }));
  if (const auto bad = keys.FirstRowNotUtf8(); bad.has_value()) {
    return RecordError(origin, list.records[*bad],
                       "a record's header key is not UTF-8 text; check what produced it",
                       "field kafka_headers");
  }
  FRAZIL_ASSIGN_OR_RETURN(auto values,
                          VariableColumn(origin, field.name, TypeKind::kBinary, count,
                                         [&](std::size_t i) { return list.headers[i]->value; }));
  const auto list_type = ArrowType(field.type);
  auto structs = arrow::ArrayData::Make(list_type->field(0)->type(),
                                        static_cast<std::int64_t>(count), {nullptr}, 0);
  structs->child_data = {keys.Finish()->data(), values.Finish()->data()};
  auto lists =
      arrow::ArrayData::Make(list_type, static_cast<std::int64_t>(rows), {nullptr, list.ends}, 0);
  lists->child_data = {std::move(structs)};
  return arrow::MakeArray(std::move(lists));
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

ArrayResult KafkaColumn(const BlockOrigin& origin, const iceberg::NestedField& field,
                        std::span<const RecordBlock> blocks, std::size_t rows) {
  if (field.id == kGenerationField) return ConstantInt(origin.generation.value(), rows);
  if (field.id == kPartitionField) return ConstantInt(origin.partition.value(), rows);
  if (field.id == kOffsetField) return Offsets(blocks, rows);
  if (field.id == kTimestampField) return Timestamps(blocks, rows);
  if (field.id == kKeyField) return BytesOf(origin, field, blocks, rows, &SourceRecord::key);
  if (field.id == kValueField) return BytesOf(origin, field, blocks, rows, &SourceRecord::value);
  if (field.id == kHeadersField) return Headers(origin, field, blocks, rows);
  return Error(ErrorCode::kUnsupported,
               "the column cannot be filled by this version: " + Printable(field.name));
}

}  // namespace frazil::decode
