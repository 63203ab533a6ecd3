// SPDX-License-Identifier: Apache-2.0
#include "parquet/leaf_values.h"

#include <algorithm>
#include <cstring>

#include <arrow/array.h>
#include <arrow/type.h>

#include "parquet/parquet_schema.h"

namespace frazil::parquet {
namespace {

using iceberg::TypeKind;

constexpr std::size_t kLength = sizeof(std::int32_t);
constexpr std::size_t kDecimal = 16;
// Short texts are copied so many bytes at a time.
constexpr std::size_t kStride = 32;
static_assert(kStride <= FileBuffer::kSlack);

// Not null, so that nothing is copied from null.
const std::uint8_t* BytesOf(const std::shared_ptr<arrow::Buffer>& buffer) {
  static constexpr std::uint8_t kNone = 0;
  return buffer == nullptr || buffer->data() == nullptr ? &kNone : buffer->data();
}

ValueForm FormOf(const iceberg::Type& type, const arrow::Array& values) {
  if (values.type_id() == arrow::Type::DICTIONARY) return ValueForm::kFolded;
  switch (type.kind) {
    case TypeKind::kBoolean:
      return ValueForm::kBits;
    case TypeKind::kString:
    case TypeKind::kBinary:
      return ValueForm::kText;
    case TypeKind::kDecimal:
      return IsDecimalNumber(type) ? ValueForm::kDecimalNumber : ValueForm::kDecimalBytes;
    default:
      return ValueForm::kFixed;
  }
}

// Big-endian, the least bytes of two's complement that the column has.
void WriteDecimal(const std::uint8_t* from, std::size_t width, std::uint8_t* to) {
  for (std::size_t i = 0; i < width; ++i) to[i] = from[width - 1 - i];
}

// Copies values of one width, a slot's every `kStep` bytes.
template <std::size_t kStep, std::size_t kWidth>
void Compact(const SlotBits& present, std::int64_t begin, std::int64_t end,
             const std::uint8_t* from, std::uint8_t* to) {
  ForEachWord(
      present, begin, end,
      [&](std::int64_t first, std::int64_t count) {
        const std::uint8_t* const source = from + static_cast<std::size_t>(first) * kStep;
        const auto values = static_cast<std::size_t>(count);
        if constexpr (kStep == kWidth) {
          std::memcpy(to, source, values * kWidth);
        } else {
          for (std::size_t i = 0; i < values; ++i) {
            std::memcpy(to + i * kWidth, source + i * kStep, kWidth);
          }
        }
        to += values * kWidth;
      },
      [&](std::int64_t first, std::uint64_t word) {
        for (; word != 0; word &= word - 1, to += kWidth) {
          const auto slot = static_cast<std::size_t>(first + std::countr_zero(word));
          std::memcpy(to, from + slot * kStep, kWidth);
        }
      });
}

}  // namespace

LeafValues::LeafValues(const LeafColumn& leaf)
    : leaf_(leaf),
      form_(FormOf(leaf.field->type, *leaf.values)),
      width_(ParquetWidth(leaf.field->type)) {
  const arrow::Array* texts = leaf.values.get();
  if (form_ == ValueForm::kFolded) {
    const auto& folded = static_cast<const arrow::DictionaryArray&>(*leaf.values);
    indices_ = static_cast<const arrow::Int32Array&>(*folded.indices()).raw_values();
    texts = folded.dictionary().get();
    folded_texts_ = texts->length();
  }
  if (form_ == ValueForm::kFolded || form_ == ValueForm::kText) {
    const auto& array = static_cast<const arrow::BinaryArray&>(*texts);
    offsets_ = array.raw_value_offsets();
    text_ = BytesOf(array.value_data());
    text_end_ = text_ + (array.value_data() == nullptr ? 0 : array.value_data()->size());
  } else if (form_ == ValueForm::kBits) {
    data_ = BytesOf(leaf.values->data()->buffers[1]);
    bit_offset_ = leaf.values->offset();
  } else {
    const std::size_t step =
        form_ == ValueForm::kDecimalNumber || form_ == ValueForm::kDecimalBytes ? kDecimal : width_;
    data_ = BytesOf(leaf.values->data()->buffers[1]) +
            static_cast<std::size_t>(leaf.values->offset()) * step;
  }
}

std::size_t LeafValues::PlainSize(std::int64_t begin, std::int64_t end) const {
  if (form_ == ValueForm::kText) {
    std::size_t size = 0;
    ForEachWord(
        leaf_.present, begin, end,
        [&](std::int64_t first, std::int64_t count) {
          size += static_cast<std::size_t>(offsets_[first + count] - offsets_[first]) +
                  static_cast<std::size_t>(count) * kLength;
        },
        [&](std::int64_t first, std::uint64_t word) {
          for (; word != 0; word &= word - 1) {
            size += Text(first + std::countr_zero(word)).size() + kLength;
          }
        });
    return size;
  }
  if (form_ == ValueForm::kFolded) {
    std::size_t size = 0;
    ForEachPresent(leaf_.present, begin, end,
                   [&](std::int64_t slot) { size += Text(indices_[slot]).size() + kLength; });
    return size;
  }
  const auto count = static_cast<std::size_t>(leaf_.present.Count(begin, end));
  return form_ == ValueForm::kBits ? (count + 7) / 8 : count * width_;
}

void LeafValues::WritePlain(std::int64_t begin, std::int64_t end, std::size_t size,
                            FileBuffer& to) const {
  if (form_ == ValueForm::kFixed && leaf_.present.all()) {
    to.Append(data_ + static_cast<std::size_t>(begin) * width_, size);
    return;
  }
  std::uint8_t* const room = to.Extend(size);
  switch (form_) {
    case ValueForm::kBits:
      return WriteBits(begin, end, room);
    case ValueForm::kText:
    case ValueForm::kFolded:
      return WriteText(begin, end, room);
    default:
      return WriteFixed(begin, end, room);
  }
}

void LeafValues::WriteFixed(std::int64_t begin, std::int64_t end, std::uint8_t* to) const {
  constexpr std::size_t kFour = 4;
  constexpr std::size_t kEight = 8;
  if (form_ == ValueForm::kDecimalNumber) {
    if (width_ == kFour) return Compact<kDecimal, kFour>(leaf_.present, begin, end, data_, to);
    return Compact<kDecimal, kEight>(leaf_.present, begin, end, data_, to);
  }
  if (form_ == ValueForm::kFixed && width_ == kFour) {
    return Compact<kFour, kFour>(leaf_.present, begin, end, data_, to);
  }
  if (form_ == ValueForm::kFixed && width_ == kEight) {
    return Compact<kEight, kEight>(leaf_.present, begin, end, data_, to);
  }
  ForEachPresent(leaf_.present, begin, end, [&](std::int64_t slot) {
    WriteRaw(Raw(slot), to);
    to += width_;
  });
}

void LeafValues::WriteText(std::int64_t begin, std::int64_t end, std::uint8_t* to) const {
  ForEachPresent(leaf_.present, begin, end, [&](std::int64_t slot) {
    const std::string_view text = TextOf(slot);
    const auto* from = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto length = static_cast<std::uint32_t>(text.size());
    std::memcpy(to, &length, kLength);
    to += kLength;
    // What is written beyond the text is written over, or lies in the buffer's slack.
    if (text.size() <= kStride && static_cast<std::size_t>(text_end_ - from) >= kStride) {
      std::memcpy(to, from, kStride);
    } else {
      std::memcpy(to, from, text.size());
    }
    to += text.size();
  });
}

void LeafValues::WriteBits(std::int64_t begin, std::int64_t end, std::uint8_t* to) const {
  if (leaf_.present.all()) {
    const SlotBits bits(data_, nullptr);
    constexpr std::int64_t kWord = 64;
    for (std::int64_t slot = begin; slot < end; slot += kWord) {
      const auto count = static_cast<int>(std::min(kWord, end - slot));
      const std::uint64_t word = bits.Word(bit_offset_ + slot, count);
      std::memcpy(to, &word, sizeof word);
      to += sizeof word;
    }
    return;
  }
  std::size_t written = 0;
  ForEachPresent(leaf_.present, begin, end, [&](std::int64_t slot) {
    if (written % 8 == 0) to[written / 8] = 0;
    to[written / 8] |= static_cast<std::uint8_t>((Bit(slot) ? 1U : 0U) << (written % 8));
    ++written;
  });
}

std::string_view LeafValues::Raw(std::int64_t slot) const {
  if (form_ == ValueForm::kText) return Text(slot);
  if (form_ == ValueForm::kFolded) return Text(indices_[slot]);
  const std::size_t step = form_ == ValueForm::kFixed ? width_ : kDecimal;
  return {reinterpret_cast<const char*>(data_) + static_cast<std::size_t>(slot) * step, step};
}

std::size_t LeafValues::PlainSizeOfRaw(std::string_view raw) const {
  return width_ == 0 ? raw.size() + kLength : width_;
}

void LeafValues::WriteRaw(std::string_view raw, std::uint8_t* to) const {
  const auto* from = reinterpret_cast<const std::uint8_t*>(raw.data());
  if (width_ == 0) {
    const auto length = static_cast<std::uint32_t>(raw.size());
    std::memcpy(to, &length, kLength);
    std::memcpy(to + kLength, from, raw.size());
  } else if (form_ == ValueForm::kDecimalBytes) {
    WriteDecimal(from, width_, to);
  } else {
    // The low bytes of a number come first.
    std::memcpy(to, from, width_);
  }
}

}  // namespace frazil::parquet
