// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/utf8.h>

#include "base/bytes.h"
#include "base/encoding.h"
#include "decode/arrow_type_internal.h"
#include "decode/column_buffers_internal.h"

namespace frazil::decode {

using iceberg::TypeKind;

namespace {

std::size_t WidthOf(const iceberg::Type& type) {
  switch (type.kind) {
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kDate:
      return 4;
    case TypeKind::kDecimal:
    case TypeKind::kUuid:
      return 16;
    case TypeKind::kFixed:
      return static_cast<std::size_t>(type.length);
    default:
      return 8;
  }
}

std::size_t BitmapSize(std::size_t bits) { return (bits + 7) / 8; }

bool BeginsInsideCharacter(std::uint8_t byte) { return (byte & 0xc0) == 0x80; }

}  // namespace

Result<std::shared_ptr<arrow::Buffer>> ZeroedBuffer(std::size_t size) {
  auto buffer = arrow::AllocateBuffer(static_cast<std::int64_t>(size));
  if (!buffer.ok()) {
    return Error(ErrorCode::kResourceExhausted,
                 "memory ran out while records were decoded: " + buffer.status().message());
  }
  std::memset((*buffer)->mutable_data(), 0, size);
  return std::shared_ptr<arrow::Buffer>(std::move(*buffer));
}

Result<ColumnBuffers> ColumnBuffers::Make(const iceberg::Type& type, std::size_t rows) {
  ColumnBuffers column(type, rows);
  std::size_t size = 0;
  if (column.has_offsets()) {
    size = (rows + 1) * sizeof(std::int32_t);
  } else if (type.kind == TypeKind::kBoolean) {
    size = BitmapSize(rows);
  } else if (rows > std::numeric_limits<std::int32_t>::max() / WidthOf(type)) {
    return Error(ErrorCode::kResourceExhausted, "a column of a chunk would pass 2 GiB");
  } else {
    size = rows * WidthOf(type);
  }
  FRAZIL_ASSIGN_OR_RETURN(column.validity_, ZeroedBuffer(BitmapSize(rows)));
  FRAZIL_ASSIGN_OR_RETURN(column.values_, ZeroedBuffer(size));
  return column;
}

std::uint8_t* ColumnBuffers::AppendData(std::int64_t more) {
  if (!data_.Reserve(more).ok()) return nullptr;
  const std::int64_t at = data_.length();
  data_.UnsafeAdvance(more);
  return data_.mutable_data() + at;
}

void ColumnBuffers::SetValid(std::size_t begin, std::size_t end) {
  arrow::bit_util::SetBitsTo(validity(), static_cast<std::int64_t>(begin),
                             static_cast<std::int64_t>(end - begin), true);
}

void ColumnBuffers::SetNull(std::size_t begin, std::size_t end) {
  AddNulls(static_cast<std::int64_t>(end - begin));
  if (!has_offsets()) return;
  for (std::size_t row = begin; row < end; ++row) offsets()[row + 1] = offsets()[row];
}

std::optional<std::size_t> ColumnBuffers::FirstRowNotUtf8() const {
  return FirstNotUtf8(data_.data(), reinterpret_cast<const std::int32_t*>(values_->data()), rows_);
}

std::shared_ptr<arrow::Array> ColumnBuffers::Finish() {
  std::vector<std::shared_ptr<arrow::Buffer>> buffers{null_count_ == 0 ? nullptr : validity_,
                                                      values_};
  if (has_offsets()) {
    // Without shrinking, a finished buffer is only handed over: nothing can fail.
    std::shared_ptr<arrow::Buffer> data = data_.Finish(false).ValueOrDie();
    buffers.push_back(std::move(data));
  }
  return arrow::MakeArray(arrow::ArrayData::Make(ArrowType(type_), static_cast<std::int64_t>(rows_),
                                                 std::move(buffers), null_count_));
}

std::optional<std::size_t> FirstNotUtf8(const std::uint8_t* data, const std::int32_t* offsets,
                                        std::size_t count) {
  const std::int32_t size = offsets[count];
  if (size == 0) return std::nullopt;
  arrow::util::InitializeUTF8();
  bool sound = arrow::util::ValidateUTF8(data, size);
  for (std::size_t i = 0; sound && i < count; ++i) {
    sound = offsets[i] == size || !BeginsInsideCharacter(data[offsets[i]]);
  }
  if (sound) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    if (!IsUtf8({data + offsets[i], length})) return i;
  }
  return std::nullopt;
}

}  // namespace frazil::decode
