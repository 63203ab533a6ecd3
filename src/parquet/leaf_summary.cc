// SPDX-License-Identifier: Apache-2.0
#include "parquet/leaf_summary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "parquet/file_properties.h"

namespace frazil::parquet {
namespace {

using iceberg::TypeKind;

// So many at a time, so that no comparison waits for the one before it.
constexpr std::size_t kLanes = 8;
constexpr std::size_t kDecimal = 16;

// The least and the greatest of numbers that lie `kStep` bytes apart. NaN is neither.
template <typename Number, std::size_t kStep = sizeof(Number)>
class Range {
 public:
  Range() {
    low_.fill(std::numeric_limits<Number>::has_infinity ? std::numeric_limits<Number>::infinity()
                                                        : std::numeric_limits<Number>::max());
    high_.fill(std::numeric_limits<Number>::has_infinity ? -std::numeric_limits<Number>::infinity()
                                                         : std::numeric_limits<Number>::lowest());
  }

  void Add(const std::uint8_t* from, std::size_t count) {
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      std::array<Number, kLanes> numbers;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        std::memcpy(&numbers[lane], from + (i + lane) * kStep, sizeof(Number));
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        low_[lane] = numbers[lane] < low_[lane] ? numbers[lane] : low_[lane];
        high_[lane] = numbers[lane] > high_[lane] ? numbers[lane] : high_[lane];
      }
    }
    for (; i < count; ++i) AddOne(from + i * kStep, i % kLanes);
  }
  void AddOne(const std::uint8_t* from, std::size_t lane) {
    Number number;
    std::memcpy(&number, from, sizeof number);
    low_[lane] = number < low_[lane] ? number : low_[lane];
    high_[lane] = number > high_[lane] ? number : high_[lane];
  }

  Number low() const { return *std::min_element(low_.begin(), low_.end()); }
  Number high() const { return *std::max_element(high_.begin(), high_.end()); }

 private:
  std::array<Number, kLanes> low_;
  std::array<Number, kLanes> high_;
};

template <typename Number, std::size_t kStep = sizeof(Number)>
Range<Number, kStep> RangeOf(const LeafColumn& leaf, const std::uint8_t* data) {
  Range<Number, kStep> range;
  ForEachWord(
      leaf.present, 0, leaf.slots,
      [&](std::int64_t first, std::int64_t count) {
        range.Add(data + static_cast<std::size_t>(first) * kStep, static_cast<std::size_t>(count));
      },
      [&](std::int64_t first, std::uint64_t word) {
        for (; word != 0; word &= word - 1) {
          const int bit = std::countr_zero(word);
          range.AddOne(data + static_cast<std::size_t>(first + bit) * kStep,
                       static_cast<std::size_t>(bit) % kLanes);
        }
      });
  return range;
}

template <typename Number>
Extremes<std::int64_t> WholeExtremes(const LeafColumn& leaf, const LeafValues& values) {
  const auto range = RangeOf<Number>(leaf, values.data());
  return {range.low(), range.high()};
}

template <typename Real>
LeafSummary SummarizeReals(const LeafColumn& leaf, const LeafValues& values) {
  LeafSummary summary;
  ForEachWord(
      leaf.present, 0, leaf.slots,
      [&](std::int64_t first, std::int64_t count) {
        const std::uint8_t* from = values.data() + static_cast<std::size_t>(first) * sizeof(Real);
        for (std::int64_t i = 0; i < count; ++i, from += sizeof(Real)) {
          Real real;
          std::memcpy(&real, from, sizeof real);
          summary.nan_count += real != real ? 1 : 0;
        }
      },
      [&](std::int64_t first, std::uint64_t word) {
        for (; word != 0; word &= word - 1) {
          const auto slot = static_cast<std::size_t>(first + std::countr_zero(word));
          Real real;
          std::memcpy(&real, values.data() + slot * sizeof(Real), sizeof real);
          summary.nan_count += real != real ? 1 : 0;
        }
      });
  if (summary.nan_count < leaf.present_count) {
    const auto range = RangeOf<Real>(leaf, values.data());
    summary.extremes = Extremes<double>(range.low(), range.high());
  }
  return summary;
}

Extremes<std::int64_t> BitExtremes(const LeafColumn& leaf, const LeafValues& values) {
  std::int64_t set = 0;
  ForEachPresent(leaf.present, 0, leaf.slots,
                 [&](std::int64_t slot) { set += values.Bit(slot) ? 1 : 0; });
  return {set == leaf.present_count ? 1 : 0, set > 0 ? 1 : 0};
}

Error TooWide(const iceberg::NestedField& field) {
  return Error(ErrorCode::kInternal, "a value does not fit into " + ToString(field.type) +
                                         " of the field: " + field.name);
}

arrow::Decimal128 DecimalAt(const char* from) {
  return arrow::Decimal128(reinterpret_cast<const std::uint8_t*>(from));
}

// Decimals that become numbers: their upper halves say nothing but the sign.
Result<Extremes<arrow::Decimal128>> NumberExtremes(const LeafColumn& leaf,
                                                   const LeafValues& values) {
  std::int64_t beyond = 0;
  ForEachPresent(leaf.present, 0, leaf.slots, [&](std::int64_t slot) {
    std::array<std::int64_t, 2> halves{};
    std::memcpy(halves.data(), values.data() + static_cast<std::size_t>(slot) * kDecimal, kDecimal);
    beyond |= halves[1] ^ (halves[0] >> 63);
  });
  if (beyond != 0) return TooWide(*leaf.field);
  const auto range = RangeOf<std::int64_t, kDecimal>(leaf, values.data());
  return Extremes<arrow::Decimal128>(arrow::Decimal128(range.low()),
                                     arrow::Decimal128(range.high()));
}

Result<LeafSummary> SummarizeDecimals(const LeafColumn& leaf, const LeafValues& values,
                                      const ValueDictionary* dictionary) {
  Extremes<arrow::Decimal128> extremes;
  if (values.form() == ValueForm::kDecimalNumber) {
    FRAZIL_ASSIGN_OR_RETURN(extremes, NumberExtremes(leaf, values));
  } else if (dictionary != nullptr) {
    for (const std::string_view value : dictionary->values()) extremes.Add(DecimalAt(value.data()));
  } else {
    ForEachPresent(leaf.present, 0, leaf.slots,
                   [&](std::int64_t slot) { extremes.Add(DecimalAt(values.Raw(slot).data())); });
  }
  const int precision = leaf.field->type.precision;
  if (!extremes.low().FitsInPrecision(precision) || !extremes.high().FitsInPrecision(precision)) {
    return TooWide(*leaf.field);
  }
  return LeafSummary{.nan_count = 0, .extremes = extremes};
}

// The extremes of texts; those whose first sixteen bytes decide need no more than these.
class TextRange {
 public:
  explicit TextRange(const std::uint8_t* text_end) : text_end_(text_end) {}

  void Add(std::string_view text) {
    const std::uint64_t first = FirstOf(text);
    if (low_head_.first < first && first < high_head_.first) return;
    const Head head = HeadOf(text);
    if (empty_) {
      low_ = high_ = text;
      low_head_ = high_head_ = head;
      empty_ = false;
      return;
    }
    if (head.Below(low_head_) || (head.Same(low_head_) && text < low_)) {
      low_ = text;
      low_head_ = head;
    }
    if (high_head_.Below(head) || (head.Same(high_head_) && high_ < text)) {
      high_ = text;
      high_head_ = head;
    }
  }
  Extremes<std::string_view> extremes() const { return {low_, high_}; }

 private:
  static constexpr std::size_t kHalf = 8;

  // As big-endian numbers; zeros after a shorter text's end.
  struct Head {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    bool Below(const Head& other) const {
      return first != other.first ? first < other.first : second < other.second;
    }
    bool Same(const Head& other) const { return first == other.first && second == other.second; }
  };

  static std::uint64_t Keep(std::uint64_t number, std::size_t bytes) {
    return bytes >= kHalf ? number : number & (~std::uint64_t{0} << (64 - 8 * bytes));
  }

  // `text` from the byte `at` on.
  std::uint64_t HalfOf(std::string_view text, std::size_t at) const {
    if (text.size() <= at) return 0;
    const auto* from = reinterpret_cast<const std::uint8_t*>(text.data()) + at;
    const std::size_t left = text.size() - at;
    std::uint64_t half = 0;
    if (static_cast<std::size_t>(text_end_ - from) >= kHalf) {
      std::memcpy(&half, from, sizeof half);
    } else {
      std::memcpy(&half, from, std::min(left, kHalf));
    }
    return Keep(__builtin_bswap64(half), left);
  }
  std::uint64_t FirstOf(std::string_view text) const { return HalfOf(text, 0); }
  Head HeadOf(std::string_view text) const {
    return {.first = FirstOf(text), .second = HalfOf(text, kHalf)};
  }

  const std::uint8_t* const text_end_;
  bool empty_ = true;
  std::string_view low_;
  std::string_view high_;
  Head low_head_;
  Head high_head_;
};

// Texts, uuids and fixed ones compare as unsigned bytes, and so does std::string_view.
Extremes<std::string_view> ByteExtremes(const LeafColumn& leaf, const LeafValues& values,
                                        const ValueDictionary* dictionary) {
  Extremes<std::string_view> extremes;
  if (dictionary != nullptr) {
    for (const std::string_view value : dictionary->values()) extremes.Add(value);
    return extremes;
  }
  if (values.form() == ValueForm::kFixed) {
    ForEachPresent(leaf.present, 0, leaf.slots,
                   [&](std::int64_t slot) { extremes.Add(values.Raw(slot)); });
    return extremes;
  }
  TextRange range(values.text_end());
  ForEachPresent(leaf.present, 0, leaf.slots,
                 [&](std::int64_t slot) { range.Add(values.TextOf(slot)); });
  return range.extremes();
}

template <typename Number>
std::string Plain(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

std::string PlainDecimal(const LeafValues& values, const arrow::Decimal128& decimal) {
  const auto bytes = decimal.ToBytes();
  std::string plain(values.width(), '\0');
  values.WriteRaw(AsText(bytes), reinterpret_cast<std::uint8_t*>(plain.data()));
  return plain;
}

std::string PlainWhole(TypeKind kind, std::int64_t number) {
  switch (kind) {
    case TypeKind::kBoolean:
      return Plain(static_cast<std::uint8_t>(number));
    case TypeKind::kInt:
    case TypeKind::kDate:
      return Plain(static_cast<std::int32_t>(number));
    default:
      return Plain(number);
  }
}

}  // namespace

Result<LeafSummary> Summarize(const LeafColumn& leaf, const LeafValues& values,
                              const ValueDictionary* dictionary) {
  if (leaf.present_count == 0) return LeafSummary{};
  switch (leaf.field->type.kind) {
    case TypeKind::kBoolean:
      return LeafSummary{.nan_count = 0, .extremes = BitExtremes(leaf, values)};
    case TypeKind::kInt:
    case TypeKind::kDate:
      return LeafSummary{.nan_count = 0, .extremes = WholeExtremes<std::int32_t>(leaf, values)};
    case TypeKind::kLong:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestamptz:
      return LeafSummary{.nan_count = 0, .extremes = WholeExtremes<std::int64_t>(leaf, values)};
    case TypeKind::kFloat:
      return SummarizeReals<float>(leaf, values);
    case TypeKind::kDouble:
      return SummarizeReals<double>(leaf, values);
    case TypeKind::kDecimal:
      return SummarizeDecimals(leaf, values, dictionary);
    case TypeKind::kString:
    case TypeKind::kBinary:
    case TypeKind::kUuid:
    case TypeKind::kFixed:
      return LeafSummary{.nan_count = 0, .extremes = ByteExtremes(leaf, values, dictionary)};
    default:
      return Error(ErrorCode::kInternal, "not a leaf: " + leaf.field->name);
  }
}

::parquet::EncodedStatistics StatisticsOf(const LeafColumn& leaf, const LeafValues& values,
                                          const LeafSummary& summary) {
  ::parquet::EncodedStatistics statistics;
  const TypeKind kind = leaf.field->type.kind;
  if (kind == TypeKind::kFloat || kind == TypeKind::kDouble) return statistics;
  statistics.set_null_count(leaf.entries - leaf.present_count);
  statistics.set_is_signed(true);
  if (const auto* numbers = std::get_if<Extremes<std::int64_t>>(&summary.extremes)) {
    statistics.set_min(PlainWhole(kind, numbers->low()));
    statistics.set_max(PlainWhole(kind, numbers->high()));
  } else if (const auto* decimals = std::get_if<Extremes<arrow::Decimal128>>(&summary.extremes)) {
    statistics.set_min(PlainDecimal(values, decimals->low()));
    statistics.set_max(PlainDecimal(values, decimals->high()));
  } else if (const auto* bytes = std::get_if<Extremes<std::string_view>>(&summary.extremes)) {
    statistics.set_is_signed(false);
    statistics.set_min(std::string(bytes->low()));
    statistics.set_max(std::string(bytes->high()));
  }
  if (statistics.has_min) {
    statistics.is_min_value_exact = true;
    statistics.is_max_value_exact = true;
  }
  statistics.ApplyStatSizeLimits(kMaxStatisticsBytes);
  return statistics;
}

}  // namespace frazil::parquet
