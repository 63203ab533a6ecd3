// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <arrow/array/builder_binary.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/utf8.h>

#include "base/bytes.h"
#include "base/check.h"
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

constexpr std::int64_t kLargestData = std::numeric_limits<std::int32_t>::max();

std::size_t BitmapSize(std::size_t bits) { return (bits + 7) / 8; }

bool IsAscii(const std::uint8_t* data, std::size_t size) {
  std::uint64_t high = 0;
  std::size_t at = 0;
  for (; at + 4 * sizeof(high) <= size; at += 4 * sizeof(high)) {
    std::uint64_t words[4];
    std::memcpy(words, data + at, sizeof(words));
    high |= (words[0] | words[1]) | (words[2] | words[3]);
  }
  for (; at < size; ++at) high |= data[at];
  return (high & 0x8080808080808080) == 0;
}

bool BeginsInsideCharacter(std::uint8_t byte) { return (byte & 0xc0) == 0x80; }

Error NoMemory(const std::string& cause) {
  return Error(ErrorCode::kResourceExhausted,
               "memory ran out while records were decoded: " + cause);
}

Status Resize(std::shared_ptr<arrow::ResizableBuffer>& buffer, std::size_t size) {
  const auto bytes = static_cast<std::int64_t>(size);
  if (buffer == nullptr) {
    auto made = arrow::AllocateResizableBuffer(bytes);
    if (!made.ok()) return NoMemory(made.status().message());
    buffer = std::move(*made);
    return {};
  }
  const auto grown = buffer->Resize(bytes, false);
  return grown.ok() ? Status() : NoMemory(grown.message());
}

// Makes the buffer that large. Gives the size that it had.
Result<std::size_t> Extend(std::shared_ptr<arrow::ResizableBuffer>& buffer, std::size_t size,
                           MemoryBudget* budget) {
  const std::size_t before = buffer == nullptr ? 0 : static_cast<std::size_t>(buffer->size());
  if (size < before) return before;
  if (budget != nullptr && !budget->Take(static_cast<std::int64_t>(size - before))) {
    return NoMemory("the columns of one chunk would pass their limit together");
  }
  FRAZIL_RETURN_IF_ERROR(Resize(buffer, size));
  return before;
}

Status ExtendWithZeros(std::shared_ptr<arrow::ResizableBuffer>& buffer, std::size_t size,
                       MemoryBudget* budget) {
  FRAZIL_ASSIGN_OR_RETURN(const std::size_t before, Extend(buffer, size, budget));
  if (size > before) std::memset(buffer->mutable_data() + before, 0, size - before);
  return {};
}

// Whether every text of `data`, cut at `offsets` (count + 1 of them), is UTF-8; else the number of
// the first that is not.
std::optional<std::size_t> FirstNotUtf8(const std::uint8_t* data, const std::int32_t* offsets,
                                        std::size_t count) {
  const std::int32_t size = offsets[count];
  if (size == 0) return std::nullopt;
  if (IsAscii(data, static_cast<std::size_t>(size))) return std::nullopt;
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

// A buffer that gets smaller stays where it is: nothing can fail.
void Shrink(const std::shared_ptr<arrow::ResizableBuffer>& buffer, std::size_t size) {
  FRAZIL_CHECK(buffer->Resize(static_cast<std::int64_t>(size), false).ok());
}

}  // namespace

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

Status ColumnBuffers::GrowValues(std::size_t size) {
  if (type_.kind == TypeKind::kStruct) return {};
  if (type_.kind == TypeKind::kBoolean) return ExtendWithZeros(values_, size, budget_);
  FRAZIL_ASSIGN_OR_RETURN(const std::size_t before, Extend(values_, size, budget_));
  values_data_ = values_->mutable_data();
  if (before == 0 && has_offsets()) offsets()[0] = 0;
  return {};
}

Status ColumnBuffers::Grow(std::size_t rows) {
  if (rows > LargestRows()) {
    return Error(ErrorCode::kResourceExhausted, "a column of a chunk would pass 2 GiB");
  }
  if (rows > capacity_ || validity_ == nullptr) {
    const std::size_t twice = std::min(2 * capacity_, LargestRows());
    const bool has_room = budget_ == nullptr || budget_->Has(BytesToGrow(twice));
    const std::size_t room = has_room ? std::max(rows, twice) : rows;
    FRAZIL_RETURN_IF_ERROR(ExtendWithZeros(validity_, BitmapSize(room), budget_));
    FRAZIL_RETURN_IF_ERROR(GrowValues(SizeOfValues(room)));
    validity_data_ = validity_->mutable_data();
    values_data_ = values_ == nullptr ? nullptr : values_->mutable_data();
    capacity_ = room;
  }
  rows_ = rows;
  return {};
}

bool ColumnBuffers::MakeRoom(std::int64_t more, std::size_t rows) {
  const std::int64_t before = data_ == nullptr ? 0 : data_->size();
  const std::int64_t size = data_size_ + more + static_cast<std::int64_t>(kSlack);
  // The rows to come will take what these took, and a little more; but a few say nothing of a
  // million others.
  std::int64_t room = size;
  if (rows > 0 && rows < rows_) {
    const double for_all =
        static_cast<double>(size) / static_cast<double>(rows) * static_cast<double>(rows_) * 1.03;
    room = static_cast<std::int64_t>(std::min(for_all, 64.0 * static_cast<double>(size)));
  }
  room = std::max(room, std::min(2 * before, size + size / 2));
  // Not more than offsets can tell.
  room = std::min(room, std::max(size, kLargestData));
  if (budget_ != nullptr && !budget_->Has(room - before)) room = size;
  if (!Take(room - before) || !Resize(data_, static_cast<std::size_t>(room)).ok()) return false;
  data_begin_ = data_->mutable_data();
  data_room_ = room - static_cast<std::int64_t>(kSlack);
  return true;
}

void ColumnBuffers::SetValid(std::size_t begin, std::size_t end) {
  arrow::bit_util::SetBitsTo(validity(), static_cast<std::int64_t>(begin),
                             static_cast<std::int64_t>(end - begin), true);
}

void ColumnBuffers::Clear(std::size_t begin, std::size_t end) {
  if (begin == end || type_.kind == TypeKind::kStruct || type_.kind == TypeKind::kBoolean) return;
  const std::size_t width = has_offsets() ? sizeof(std::int32_t) : WidthOf(type_);
  std::uint8_t* from = bytes_of_values() + (has_offsets() ? begin + 1 : begin) * width;
  std::memset(from, 0, (end - begin) * width);
}

void ColumnBuffers::SetNull(std::size_t begin, std::size_t end) {
  AddNulls(static_cast<std::int64_t>(end - begin));
  if (!has_offsets() || folded_) {
    Clear(begin, end);
  } else {
    std::fill(offsets() + begin + 1, offsets() + end + 1, offsets()[begin]);
  }
}

void ColumnBuffers::Fold(std::vector<std::string> texts) {
  FRAZIL_CHECK(type_.kind == TypeKind::kString);
  folded_ = true;
  texts_ = std::move(texts);
}

std::optional<std::size_t> ColumnBuffers::FirstRowNotUtf8() const {
  // Without bytes all texts are empty.
  if (data_ == nullptr) return std::nullopt;
  return FirstNotUtf8(data_->data(), offsets(), rows_);
}

std::shared_ptr<arrow::Array> ColumnBuffers::Finish() {
  return arrow::MakeArray(FinishData(ArrowType(type_)));
}

Result<std::shared_ptr<arrow::ArrayData>> ColumnBuffers::FinishFolded() {
  arrow::StringBuilder builder;
  arrow::Status appended = builder.Append("");
  for (const std::string& text : texts_) {
    if (appended.ok()) appended = builder.Append(text);
  }
  std::shared_ptr<arrow::Array> texts;
  if (appended.ok()) appended = builder.Finish(&texts);
  if (!appended.ok()) return NoMemory(appended.message());
  Shrink(validity_, BitmapSize(rows_));
  Shrink(values_, SizeOfValues(rows_));
  // Numbers stand one place behind their row's.
  auto numbers = arrow::SliceBuffer(std::shared_ptr<arrow::Buffer>(values_), sizeof(std::int32_t),
                                    static_cast<std::int64_t>(rows_ * sizeof(std::int32_t)));
  auto data = arrow::ArrayData::Make(
      arrow::dictionary(arrow::int32(), arrow::utf8()), static_cast<std::int64_t>(rows_),
      {null_count_ == 0 ? nullptr : validity_, std::move(numbers)}, null_count_);
  data->dictionary = texts->data();
  return data;
}

std::shared_ptr<arrow::ArrayData> ColumnBuffers::FinishData(std::shared_ptr<arrow::DataType> type) {
  FRAZIL_CHECK(!folded_);
  Shrink(validity_, BitmapSize(rows_));
  std::vector<std::shared_ptr<arrow::Buffer>> buffers{null_count_ == 0 ? nullptr : validity_};
  if (values_ != nullptr) {
    Shrink(values_, SizeOfValues(rows_));
    buffers.emplace_back(values_);
  }
  if (type_.kind == TypeKind::kString || type_.kind == TypeKind::kBinary) {
    buffers.push_back(FinishBytes());
  }
  return arrow::ArrayData::Make(std::move(type), static_cast<std::int64_t>(rows_),
                                std::move(buffers), null_count_);
}

std::shared_ptr<arrow::Buffer> ColumnBuffers::FinishBytes() {
  static constexpr std::uint8_t kNothing = 0;
  if (data_ == nullptr) return std::make_shared<arrow::Buffer>(&kNothing, 0);
  // The slack becomes padding.
  std::memset(data_->mutable_data() + data_size_, 0, kSlack);
  Shrink(data_, static_cast<std::size_t>(data_size_));
  return data_;
}

}  // namespace frazil::decode
