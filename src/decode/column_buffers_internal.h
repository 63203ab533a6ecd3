// SPDX-License-Identifier: Apache-2.0
// The raw buffers of one Arrow column while rows are filled in. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <arrow/buffer_builder.h>

#include "base/result.h"
#include "iceberg/schema.h"

namespace arrow {
class Array;
}

namespace frazil::decode {

// Rows are filled in ascending order, each exactly once; what stays untouched of a column of fixed
// width is zero.
class ColumnBuffers {
 public:
  // Requires: a primitive type.
  // Errors: resource_exhausted.
  static Result<ColumnBuffers> Make(const iceberg::Type& type, std::size_t rows);

  std::uint8_t* validity() { return validity_->mutable_data(); }
  // Columns of fixed width: one value a row; booleans: one bit a row.
  template <typename Value>
  Value* values() {
    return reinterpret_cast<Value*>(values_->mutable_data());
  }
  std::uint8_t* bytes_of_values() { return values_->mutable_data(); }
  // Columns of bytes or text: where row i ends is at i + 1.
  std::int32_t* offsets() { return reinterpret_cast<std::int32_t*>(values_->mutable_data()); }
  // Room for `more` bytes after those appended so far; they count as appended. Null when there is
  // no memory.
  std::uint8_t* AppendData(std::int64_t more);

  void AddNulls(std::int64_t nulls) { null_count_ += nulls; }
  void SetValid(std::size_t begin, std::size_t end);
  void SetNull(std::size_t begin, std::size_t end);

  bool holds_text() const { return type_.kind == iceberg::TypeKind::kString; }
  // The first row whose text is not UTF-8.
  std::optional<std::size_t> FirstRowNotUtf8() const;

  std::shared_ptr<arrow::Array> Finish();

 private:
  ColumnBuffers(iceberg::Type type, std::size_t rows) : type_(std::move(type)), rows_(rows) {}

  bool has_offsets() const {
    return type_.kind == iceberg::TypeKind::kString || type_.kind == iceberg::TypeKind::kBinary;
  }

  iceberg::Type type_;
  std::size_t rows_;
  std::int64_t null_count_ = 0;
  std::shared_ptr<arrow::Buffer> validity_;
  // Values, or offsets of a column of bytes or text.
  std::shared_ptr<arrow::Buffer> values_;
  arrow::BufferBuilder data_;
};

// Whether every text of `data`, cut at `offsets` (count + 1 of them), is UTF-8; else the number of
// the first that is not.
std::optional<std::size_t> FirstNotUtf8(const std::uint8_t* data, const std::int32_t* offsets,
                                        std::size_t count);

// A zeroed buffer. Errors: resource_exhausted.
Result<std::shared_ptr<arrow::Buffer>> ZeroedBuffer(std::size_t size);

}  // namespace frazil::decode
