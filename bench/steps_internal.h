// SPDX-License-Identifier: Apache-2.0
// The steps by what they need: those on wire bytes, and those on columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/result.h"
#include "bench/steps.h"

namespace frazil::bench {

inline constexpr std::int32_t kSchemaId = 1;
inline constexpr std::int64_t kFirstTimestamp = 1'767'225'600'000;

template <typename T>
T Value(Result<T> result) {
  FRAZIL_CHECK(result.ok());
  return std::move(result).value();
}

// Values one after the other, and where each one ends.
struct Values {
  Bytes bytes;
  std::vector<std::size_t> ends;
  std::int64_t leaves = 0;

  ByteView at(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return ByteView(bytes).subspan(begin, ends[i] - begin);
  }
};

// crc32c and batch_*.
void AddWireSteps(const Values& values, std::vector<Step>& steps);

// decode_* and parquet_* of a shape.
void AddTableSteps(const std::string& shape, const std::shared_ptr<const Values>& values,
                   std::vector<Step>& steps);

}  // namespace frazil::bench
