// SPDX-License-Identifier: Apache-2.0
#include "app/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace frazil::app {
namespace {

constexpr std::size_t kLongestCompared = 64;

std::size_t EditDistance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t substituted = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string DidYouMean(std::string_view unknown, std::span<const std::string_view> names) {
  constexpr std::size_t kFurthest = 3;
  if (unknown.size() > kLongestCompared) return {};
  std::size_t nearest = kFurthest + 1;
  std::string_view found;
  for (const std::string_view name : names) {
    const std::size_t distance = EditDistance(unknown, name);
    if (distance < nearest && distance < name.size()) {
      nearest = distance;
      found = name;
    }
  }
  return found.empty() ? std::string() : "; did you mean " + std::string(found) + "?";
}

}  // namespace frazil::app
