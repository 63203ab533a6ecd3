// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
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

Error NoMemory(const std::string& cause) {
  return Error(ErrorCode::kResourceExhausted,
               "memory ran out while records were decoded: " + cause);
}

// Makes the buffer that large; what is new of it is zero.
Status Extend(std::shared_ptr<arrow::ResizableBuffer>& buffer, std::size_t size,
              MemoryBudget* budget) {
  const std::size_t before = buffer == nullptr ? 0 : static_cast<std::size_t>(buffer->size());
  if (size < before) return {};
  if (budget != nullptr && !budget->Take(static_cast<std::int64_t>(size - before))) {
    return NoMemory("the columns of one chunk would pass their limit together");
  }
  if (buffer == nullptr) {
    auto made = arrow::AllocateResizableBuffer(static_cast<std::int64_t>(size));
    if (!made.ok()) return NoMemory(made.status().message());
    buffer = std::move(*made);
  } else if (const auto grown = buffer->Resize(static_cast<std::int64_t>(size), false);
             !grown.ok()) {
    return NoMemory(grown.message());
  }
  std::memset(buffer->mutable_data() + before, 0, size - before);
  return {};
}

}  // namespace

Result<std::shared_ptr<arrow::Buffer>> ZeroedBuffer(std::size_t size) {
  auto buffer = arrow::AllocateBuffer(static_cast<std::int64_t>(size));
  if (!buffer.ok()) {
    return NoMemory(buffer.status().message());
  }
  std::memset((*buffer)->mutable_data(), 0, size);
  return std::shared_ptr<arrow::Buffer>(std::move(*buffer));
}

bool ColumnBuffers::has_offsets() const {
  switch (type_.kind) {
    case TypeKind::kString:
    case TypeKind::kBinary:
    case TypeKind::kList:
    case TypeKind::kMap:
      return true;
    default:
      return false;
  }
}

std::size_t ColumnBuffers::SizeOfValues(std::size_t rows) const {
  if (type_.kind == TypeKind::kStruct) return 0;
  if (has_offsets()) return (rows + 1) * sizeof(std::int32_t);
  return type_.kind == TypeKind::kBoolean ? BitmapSize(rows) : rows * WidthOf(type_);
}

std::size_t ColumnBuffers::LargestRows() const {
  constexpr std::size_t kLargest = std::numeric_limits<std::int32_t>::max() - 1;
  const bool narrow =
      has_offsets() || type_.kind == TypeKind::kStruct || type_.kind == TypeKind::kBoolean;
  return narrow ? kLargest : kLargest / WidthOf(type_);
}

Result<ColumnBuffers> ColumnBuffers::Make(const iceberg::Type& type, std::size_t rows,
                                          MemoryBudget* budget) {
  ColumnBuffers column(type.is_primitive() ? type : iceberg::Type::Of(type.kind), budget);
  FRAZIL_RETURN_IF_ERROR(column.Grow(rows));
  return column;
}

std::int64_t ColumnBuffers::BytesToGrow(std::size_t rows) const {
  if (rows <= capacity_) return 0;
  return static_cast<std::int64_t>(BitmapSize(rows) + SizeOfValues(rows) - BitmapSize(capacity_) -
                                   SizeOfValues(capacity_));
}

Status ColumnBuffers::Grow(std::size_t rows) {
  if (rows > LargestRows()) {
    return Error(ErrorCode::kResourceExhausted, "a column of a chunk would pass 2 GiB");
  }
  if (rows > capacity_ || validity_ == nullptr) {
    const std::size_t twice = std::min(2 * capacity_, LargestRows());
    const bool has_room = budget_ == nullptr || budget_->Has(BytesToGrow(twice));
    const std::size_t room = has_room ? std::max(rows, twice) : rows;
    FRAZIL_RETURN_IF_ERROR(Extend(validity_, BitmapSize(room), budget_));
    if (type_.kind != TypeKind::kStruct) {
      FRAZIL_RETURN_IF_ERROR(Extend(values_, SizeOfValues(room), budget_));
    }
    capacity_ = room;
  }
  rows_ = rows;
  return {};
}

std::uint8_t* ColumnBuffers::AppendData(std::int64_t more) {
  if (!Take(more) || !data_.Reserve(more).ok()) return nullptr;
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
  return arrow::MakeArray(FinishData(ArrowType(type_)));
}

std::shared_ptr<arrow::ArrayData> ColumnBuffers::FinishData(std::shared_ptr<arrow::DataType> type) {
  std::vector<std::shared_ptr<arrow::Buffer>> buffers{null_count_ == 0 ? nullptr : validity_};
  if (values_ != nullptr) buffers.emplace_back(values_);
  if (type_.kind == TypeKind::kString || type_.kind == TypeKind::kBinary) {
    // Without shrinking, a finished buffer is only handed over: nothing can fail.
    std::shared_ptr<arrow::Buffer> data = data_.Finish(false).ValueOrDie();
    buffers.push_back(std::move(data));
  }
  return arrow::ArrayData::Make(std::move(type), static_cast<std::int64_t>(rows_),
                                std::move(buffers), null_count_);
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
