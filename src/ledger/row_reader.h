// SPDX-License-Identifier: Apache-2.0
// A row of the ledger's file as values, each held against its bounds. Internal to this module.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "ledger/sqlite.h"

namespace frazil::ledger {

// Reads the columns one after the other; what is out of bounds is remembered, not reported at once.
class RowReader {
 public:
  explicit RowReader(const Query& query) : query_(query) {}

  // Id: a StrongNumber or an integer.
  template <typename Id>
  Id Number() {
    if constexpr (std::is_integral_v<Id>) {
      const std::int64_t value = query_.Int(column_++);
      if (value < std::numeric_limits<Id>::min() || value > std::numeric_limits<Id>::max()) {
        fits_ = false;
      }
      return static_cast<Id>(value);
    } else {
      return Id(Number<typename Id::Rep>());
    }
  }

  template <std::size_t kLength>
  std::array<std::uint8_t, kLength> Array() {
    const ByteView blob = query_.Blob(column_++);
    std::array<std::uint8_t, kLength> array{};
    if (blob.size() == kLength) {
      std::copy(blob.begin(), blob.end(), array.begin());
    } else {
      fits_ = false;
    }
    return array;
  }

  // nullopt for NULL.
  template <typename Id>
  std::optional<Id> Optional() {
    if (query_.IsNull(column_)) {
      ++column_;
      return std::nullopt;
    }
    return Number<Id>();
  }

  ByteView Blob() { return query_.Blob(column_++); }
  std::string Text() { return std::string(query_.Text(column_++)); }

  // Errors: corrupt_data, naming the table, when a column did not fit.
  Status Check(std::string_view table) const {
    if (fits_) return {};
    return Error(ErrorCode::kCorruptData,
                 "the ledger holds a row that cannot be read; put back a copy of it: table " +
                     std::string(table));
  }

 private:
  const Query& query_;
  int column_ = 0;
  bool fits_ = true;
};

// A row that others count or name and that is not there.
inline Error MissingRow(std::string_view table) {
  return Error(ErrorCode::kCorruptData,
               "the ledger lacks a row that others count; put back a copy of it: table " +
                   std::string(table));
}

}  // namespace frazil::ledger
