// SPDX-License-Identifier: Apache-2.0
#include "parquet/value_dictionary.h"

#include <bit>
#include <cstring>

namespace frazil::parquet {
namespace {

// A place further than this from where its hash says is no place: with a quarter of the places
// taken only values that were made to collide get so far.
constexpr std::size_t kMostSteps = 32;

constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;

template <typename Word>
std::uint64_t Load(const char* from) {
  Word word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

std::uint64_t Mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kOdd;
  return hash ^ (hash >> 32);
}

// Which values find room depends on it: it never changes for a version of the encoder.
std::uint64_t HashOf(std::string_view value) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::size_t kHalf = sizeof(std::uint32_t);
  const std::size_t size = value.size();
  const char* from = value.data();
  const char* const end = from + size;
  std::uint64_t hash = Mix(0, size + 1);
  if (size >= kWord) {
    for (; end - from > static_cast<std::ptrdiff_t>(kWord); from += kWord) {
      hash = Mix(hash, Load<std::uint64_t>(from));
    }
    // The last eight, of which some may have been seen.
    return Mix(hash, Load<std::uint64_t>(end - kWord));
  }
  if (size >= kHalf) {
    return Mix(hash, Load<std::uint32_t>(from) | Load<std::uint32_t>(end - kHalf) << 32);
  }
  std::uint64_t word = 0;
  for (; from < end; ++from) word = word << 8 | static_cast<std::uint8_t>(*from);
  return Mix(hash, word);
}

// Short values are compared without a call: most columns that have a dictionary hold such.
bool Equal(std::string_view left, std::string_view right) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::size_t kHalf = sizeof(std::uint32_t);
  const std::size_t size = left.size();
  if (size != right.size()) return false;
  const char* const a = left.data();
  const char* const b = right.data();
  if (size > 2 * kWord || size < kHalf) return left == right;
  if (size >= kWord) {
    const std::size_t last = size - kWord;
    return ((Load<std::uint64_t>(a) ^ Load<std::uint64_t>(b)) |
            (Load<std::uint64_t>(a + last) ^ Load<std::uint64_t>(b + last))) == 0;
  }
  const std::size_t last = size - kHalf;
  return ((Load<std::uint32_t>(a) ^ Load<std::uint32_t>(b)) |
          (Load<std::uint32_t>(a + last) ^ Load<std::uint32_t>(b + last))) == 0;
}

}  // namespace

std::optional<std::uint8_t> ValueDictionary::Find(std::string_view value) {
  const std::uint64_t hash = HashOf(value);
  // The upper bits of a product hang on all bits of its factors.
  constexpr int kUnused = 64 - std::bit_width(kPlaces - 1);
  std::size_t place = (hash * kOdd) >> kUnused;
  for (std::size_t step = 0; step < kMostSteps; ++step, place = (place + 1) % kPlaces) {
    const std::uint16_t taken = places_[place];
    if (taken == 0) {
      if (values_.size() == kMostValues) return std::nullopt;
      values_.push_back(value);
      hashes_.push_back(hash);
      text_bytes_ += value.size();
      places_[place] = static_cast<std::uint16_t>(values_.size());
      return static_cast<std::uint8_t>(values_.size() - 1);
    }
    const std::size_t number = taken - std::size_t{1};
    if (hashes_[number] == hash && Equal(values_[number], value)) {
      return static_cast<std::uint8_t>(number);
    }
  }
  return std::nullopt;
}

}  // namespace frazil::parquet
