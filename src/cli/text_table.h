// SPDX-License-Identifier: Apache-2.0
// Text for a terminal: columns, times, and names that cannot move its cursor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frazil::cli {

// `text` with what a terminal would act on, and what is no UTF-8, as \xNN or \uNNNN: control
// characters and those that change the direction of writing.
std::string Escaped(std::string_view text);

// "2026-11-30 15:46:46.123Z"; the number itself where it is no time between the years 1 and 9999.
std::string TimeText(std::int64_t unix_millis);
// "3d 4h", "2m 5s".
std::string AgeText(std::int64_t millis);

// Columns as wide as their widest cell, two spaces between them, headings first, a line for each
// row. Cells are escaped. The last column is not padded.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings) { AddRow(std::move(headings)); }

  // Requires: as many cells as headings.
  void AddRow(std::vector<std::string> cells);
  bool empty() const { return rows_.size() == 1; }
  // `indent` before each line.
  std::string ToString(std::string_view indent = "") const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace frazil::cli
