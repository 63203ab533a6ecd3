// SPDX-License-Identifier: Apache-2.0
// The raw buffers of one Arrow column while rows are filled in. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/buffer.h>

#include "base/result.h"
#include "iceberg/schema.h"

namespace arrow {
class Array;
class DataType;
struct ArrayData;
}  // namespace arrow

namespace frazil::decode {

// What the columns of one batch may take together: short records can make wide rows, and short
// lists many.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t bytes) : left_(bytes) {}

  bool Has(std::int64_t bytes) const { return bytes <= left_; }
  // False when less is left.
  bool Take(std::int64_t bytes) {
    if (!Has(bytes)) return false;
    left_ -= bytes;
    return true;
  }
  void GiveBack(std::int64_t bytes) { left_ += bytes; }

 private:
  std::int64_t left_;
};

// Rows are filled in ascending order, each exactly once, NULL too: validity and booleans are zero
// before that, everything else is undefined.
class ColumnBuffers {
 public:
  // So many bytes behind those that AppendData gives may be overwritten.
  static constexpr std::size_t kSlack = 32;

  // What is inside a nested type is not looked at. `budget` must outlive the column; null: what
  // the column takes is bounded elsewhere.
  // Errors: resource_exhausted.
  static Result<ColumnBuffers> Make(const iceberg::Type& type, std::size_t rows,
                                    MemoryBudget* budget = nullptr);

  // At least so many rows.
  // Errors: resource_exhausted.
  Status Grow(std::size_t rows);
  // What the buffers would have to grow by for so many rows.
  std::int64_t BytesToGrow(std::size_t rows) const;
  std::size_t rows() const { return rows_; }

  // At most as many rows as there are: those that were filled.
  void Trim(std::size_t rows) { rows_ = rows; }

  std::uint8_t* validity() { return validity_data_; }
  // Columns of fixed width: one value a row; booleans: one bit a row.
  template <typename Value>
  Value* values() {
    return reinterpret_cast<Value*>(values_data_);
  }
  std::uint8_t* bytes_of_values() { return values_data_; }
  // Columns of bytes, text, lists or maps: where row i ends is at i + 1.
  std::int32_t* offsets() { return reinterpret_cast<std::int32_t*>(values_data_); }
  const std::int32_t* offsets() const {
    return reinterpret_cast<const std::int32_t*>(values_data_);
  }
  // Room for `more` bytes after those appended so far; they count as appended, and belong to the
  // first `rows` rows. Null when there is no memory.
  std::uint8_t* AppendData(std::int64_t more, std::size_t rows) {
    if (data_size_ + more > data_room_ && !MakeRoom(more, rows)) return nullptr;
    return AppendInRoom(more);
  }
  // The same as long as nothing has to grow; else null.
  std::uint8_t* AppendInRoom(std::int64_t more) {
    if (data_size_ + more > data_room_) return nullptr;
    std::uint8_t* to = data_begin_ + data_size_;
    data_size_ += more;
    return to;
  }

  void AddNulls(std::int64_t nulls) { null_count_ += nulls; }
  void SetValid(std::size_t begin, std::size_t end);
  void SetNull(std::size_t begin, std::size_t end);
  // Rows that are partly filled later: fixed values, or the lengths in offsets, become zero.
  void Clear(std::size_t begin, std::size_t end);

  // A column of text becomes one of numbers of these texts, which its rows hold one of each, or of
  // NULL, which is number 0; number i + 1 is text i. A row's number stands where its end would, at
  // i + 1. Requires: no row was filled; the texts are UTF-8.
  void Fold(std::vector<std::string> texts);
  bool folded() const { return folded_; }

  bool has_offsets() const;
  bool holds_text() const { return type_.kind == iceberg::TypeKind::kString && !folded_; }
  // The first row whose text is not UTF-8.
  std::optional<std::size_t> FirstRowNotUtf8() const;

  // Of a column that is neither nested nor folded.
  std::shared_ptr<arrow::Array> Finish();
  // Arrow's data of that type, without children. Requires: the column is not folded.
  std::shared_ptr<arrow::ArrayData> FinishData(std::shared_ptr<arrow::DataType> type);
  // A dictionary of int32 and utf8. Requires: the column is folded. Errors: resource_exhausted.
  Result<std::shared_ptr<arrow::ArrayData>> FinishFolded();

 private:
  ColumnBuffers(iceberg::Type type, MemoryBudget* budget)
      : type_(std::move(type)), budget_(budget) {}

  bool Take(std::int64_t bytes) { return budget_ == nullptr || budget_->Take(bytes); }
  std::size_t SizeOfValues(std::size_t rows) const;
  std::size_t LargestRows() const;
  Status GrowValues(std::size_t size);
  bool MakeRoom(std::int64_t more, std::size_t rows);
  std::shared_ptr<arrow::Buffer> FinishBytes();

  iceberg::Type type_;
  bool folded_ = false;
  std::vector<std::string> texts_;
  MemoryBudget* budget_;
  std::size_t rows_ = 0;
  // Rows that the buffers have room for.
  std::size_t capacity_ = 0;
  std::int64_t null_count_ = 0;
  std::shared_ptr<arrow::ResizableBuffer> validity_;
  // Values, or offsets; absent in a struct.
  std::shared_ptr<arrow::ResizableBuffer> values_;
  std::uint8_t* validity_data_ = nullptr;
  std::uint8_t* values_data_ = nullptr;
  // Bytes or text; how much of it is in use, and can be before it has to grow.
  std::shared_ptr<arrow::ResizableBuffer> data_;
  std::uint8_t* data_begin_ = nullptr;
  std::int64_t data_size_ = 0;
  std::int64_t data_room_ = -1;
};

}  // namespace frazil::decode
