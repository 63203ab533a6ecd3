// SPDX-License-Identifier: Apache-2.0
// The different values of a column, as long as they are few. Internal to this module.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace frazil::parquet {

// Numbers values in the order in which they first come. Whether all find room depends on them and
// that order alone, and each look-up takes a bounded number of steps, whatever the values are.
// The values' bytes must outlive it.
class ValueDictionary {
 public:
  // So that a number fits into a byte.
  static constexpr std::size_t kMostValues = 256;

  // The value's number, a new one where it is new; nothing when there is no room for it.
  std::optional<std::uint8_t> Find(std::string_view value);

  const std::vector<std::string_view>& values() const { return values_; }
  // The lengths of all values.
  std::size_t text_bytes() const { return text_bytes_; }

 private:
  static constexpr std::size_t kPlaces = 1024;

  // By hash: 1 + the number of the value; 0: free.
  std::array<std::uint16_t, kPlaces> places_{};
  std::vector<std::string_view> values_;
  std::vector<std::uint64_t> hashes_;
  std::size_t text_bytes_ = 0;
};

}  // namespace frazil::parquet
