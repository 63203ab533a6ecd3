// SPDX-License-Identifier: Apache-2.0
// The values of one leaf in PLAIN form: how long they are, and their bytes.
// Spec: Apache Parquet, "Plain". Internal to this module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "parquet/file_buffer.h"
#include "parquet/leaf_columns.h"

namespace frazil::parquet {

// How values lie in Arrow, and what a Parquet page makes of them.
enum class ValueForm {
  kBits,           // boolean
  kFixed,          // as they are
  kDecimalNumber,  // decimal128 to 4 or 8 bytes
  kDecimalBytes,   // decimal128 to big-endian bytes
  kText,           // string and binary: length, bytes
  kFolded,         // text as a dictionary's indices
};

// Requires: a leaf's type, and a column that comes from ConformColumn.
class LeafValues {
 public:
  explicit LeafValues(const LeafColumn& leaf);

  ValueForm form() const { return form_; }
  // Bytes of a value in a page; 0: they differ, or are less than one.
  std::size_t width() const { return width_; }

  // Of those slots of [begin, end) that have a value, in a page.
  std::size_t PlainSize(std::int64_t begin, std::int64_t end) const;
  // Requires: `size` is theirs.
  void WritePlain(std::int64_t begin, std::int64_t end, std::size_t size, FileBuffer& to) const;

  // The bytes of one value as Arrow has them. Requires: kText, kFolded, kDecimalBytes, or kFixed;
  // the slot has a value.
  std::string_view Raw(std::int64_t slot) const;
  // Writes such bytes as a page of the leaf has them.
  std::size_t PlainSizeOfRaw(std::string_view raw) const;
  void WriteRaw(std::string_view raw, std::uint8_t* to) const;

  // Values as Arrow has them, the first slot's first. Requires: kFixed, or a decimal.
  const std::uint8_t* data() const { return data_; }
  // Requires: kFolded. One for each slot, into the dictionary's `folded_texts` texts.
  const std::int32_t* indices() const { return indices_; }
  std::int64_t folded_texts() const { return folded_texts_; }
  // The end of all texts' bytes. Requires: kText or kFolded.
  const std::uint8_t* text_end() const { return text_end_; }
  // The booleans. Requires: kBits.
  bool Bit(std::int64_t slot) const {
    const std::int64_t bit = bit_offset_ + slot;
    return ((data_[bit >> 3] >> (bit & 7)) & 1U) != 0;
  }

  // Requires: kText or kFolded.
  std::string_view TextOf(std::int64_t slot) const {
    return Text(indices_ == nullptr ? slot : indices_[slot]);
  }
  // The text of a slot, or with kFolded that of an index.
  std::string_view Text(std::int64_t index) const {
    return {reinterpret_cast<const char*>(text_ + offsets_[index]),
            static_cast<std::size_t>(offsets_[index + 1] - offsets_[index])};
  }

 private:
  void WriteFixed(std::int64_t begin, std::int64_t end, std::uint8_t* to) const;
  void WriteText(std::int64_t begin, std::int64_t end, std::uint8_t* to) const;
  void WriteBits(std::int64_t begin, std::int64_t end, std::uint8_t* to) const;

  const LeafColumn& leaf_;
  ValueForm form_ = ValueForm::kFixed;
  std::size_t width_ = 0;
  const std::uint8_t* data_ = nullptr;
  const std::int32_t* offsets_ = nullptr;
  const std::int32_t* indices_ = nullptr;
  const std::uint8_t* text_ = nullptr;
  const std::uint8_t* text_end_ = nullptr;
  std::int64_t folded_texts_ = 0;
  std::int64_t bit_offset_ = 0;
};

}  // namespace frazil::parquet
