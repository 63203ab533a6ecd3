// SPDX-License-Identifier: Apache-2.0
#include "parquet/column_dictionary.h"

#include <algorithm>
#include <variant>

#include "parquet/level_runs.h"

namespace frazil::parquet {
namespace {

// A column of so many slots is looked at in places before all of it is; one that shows so many
// values there will not stay below ValueDictionary::kMostValues.
constexpr std::int64_t kSampledFrom = 2048;
constexpr std::int64_t kSamples = 512;
constexpr std::size_t kMostSampled = 192;
// Headers, and what runs need.
constexpr std::size_t kOverhead = 64;

bool SampleIsVaried(const LeafColumn& leaf, const LeafValues& values) {
  if (leaf.slots < kSampledFrom) return false;
  ValueDictionary sample;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    const std::int64_t slot = i * leaf.slots / kSamples;
    if (!leaf.present.At(slot)) continue;
    if (!sample.Find(values.Raw(slot)) || sample.values().size() > kMostSampled) return true;
  }
  return false;
}

// Numbers the values of all slots that have one. False: there are too many.
template <typename NumberOf>
bool NumberAll(const LeafColumn& leaf, ColumnDictionary& dictionary, NumberOf number_of) {
  dictionary.numbers.resize(static_cast<std::size_t>(leaf.present_count));
  std::uint8_t* to = dictionary.numbers.data();
  for (std::int64_t begin = 0; begin < leaf.slots; begin += 64) {
    const auto count = static_cast<int>(std::min<std::int64_t>(64, leaf.slots - begin));
    std::uint64_t word = leaf.present.Word(begin, count);
    for (; word != 0; word &= word - 1) {
      const std::optional<std::uint8_t> number = number_of(begin + std::countr_zero(word));
      if (!number) return false;
      *to++ = *number;
    }
  }
  return true;
}

bool NumberFolded(const LeafColumn& leaf, const LeafValues& values, ColumnDictionary& dictionary) {
  constexpr std::int16_t kUnknown = -1;
  std::vector<std::int16_t> known(static_cast<std::size_t>(values.folded_texts()), kUnknown);
  return NumberAll(leaf, dictionary, [&](std::int64_t slot) -> std::optional<std::uint8_t> {
    const std::int32_t index = values.indices()[slot];
    std::int16_t& number = known[static_cast<std::size_t>(index)];
    if (number == kUnknown) {
      const auto found = dictionary.values.Find(values.Text(index));
      if (!found) return std::nullopt;
      number = *found;
    }
    return static_cast<std::uint8_t>(number);
  });
}

bool NumberBytes(const LeafColumn& leaf, const LeafValues& values, ColumnDictionary& dictionary) {
  if (values.form() == ValueForm::kText) {
    return NumberAll(leaf, dictionary, [&](std::int64_t slot) {
      return dictionary.values.Find(values.TextOf(slot));
    });
  }
  return NumberAll(leaf, dictionary,
                   [&](std::int64_t slot) { return dictionary.values.Find(values.Raw(slot)); });
}

bool IsShorter(const ColumnDictionary& dictionary, const LeafColumn& leaf, const LeafValues& values,
               std::size_t plain) {
  const std::size_t packed = static_cast<std::size_t>(leaf.present_count) *
                             static_cast<std::size_t>(dictionary.width()) / 8;
  return dictionary.PlainSize(values) + packed + kOverhead < plain;
}

}  // namespace

int ColumnDictionary::width() const {
  return std::max(1, BitWidth(static_cast<std::uint8_t>(values.values().size() - 1)));
}

std::size_t ColumnDictionary::PlainSize(const LeafValues& of) const {
  const std::size_t each = of.PlainSizeOfRaw({});
  return of.width() > 0 ? each * values.values().size()
                        : each * values.values().size() + values.text_bytes();
}

std::optional<ColumnDictionary> DictionaryOfBytes(const LeafColumn& leaf,
                                                  const LeafValues& values) {
  if (leaf.present_count == 0 || SampleIsVaried(leaf, values)) return std::nullopt;
  ColumnDictionary dictionary;
  const bool few = values.form() == ValueForm::kFolded ? NumberFolded(leaf, values, dictionary)
                                                       : NumberBytes(leaf, values, dictionary);
  if (!few || !IsShorter(dictionary, leaf, values, values.PlainSize(0, leaf.slots))) {
    return std::nullopt;
  }
  if (dictionary.values.values().size() == 1) dictionary.numbers = {};
  return dictionary;
}

std::optional<ColumnDictionary> DictionaryOfConstant(const LeafColumn& leaf,
                                                     const LeafValues& values,
                                                     const LeafSummary& summary) {
  const auto* numbers = std::get_if<Extremes<std::int64_t>>(&summary.extremes);
  const auto* decimals = std::get_if<Extremes<arrow::Decimal128>>(&summary.extremes);
  const bool constant = (numbers != nullptr && numbers->low() == numbers->high()) ||
                        (decimals != nullptr && decimals->low() == decimals->high());
  if (!constant || values.width() == 0) return std::nullopt;
  std::int64_t slot = 0;
  while (!leaf.present.At(slot)) ++slot;
  ColumnDictionary dictionary;
  dictionary.values.Find(values.Raw(slot));
  const auto count = static_cast<std::size_t>(leaf.present_count);
  if (values.width() + kOverhead >= count * values.width()) return std::nullopt;
  return dictionary;
}

}  // namespace frazil::parquet
