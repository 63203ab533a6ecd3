// SPDX-License-Identifier: Apache-2.0
// Which bytes of an object a Range header asks for. Spec: RFC 9110 14.1.2, as S3 reads it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace frazil::serve::s3 {

enum class RangeKind {
  // All bytes, status 200: a header that is malformed or names several ranges counts as absent.
  kWhole,
  // Status 206.
  kPart,
  // Status 416: well formed, but outside the object.
  kUnsatisfiable,
};

struct ByteRange {
  RangeKind kind = RangeKind::kWhole;
  // Of kWhole and kPart; begin + length <= size.
  std::int64_t begin = 0;
  std::int64_t length = 0;
};

// Requires: size >= 0.
ByteRange ParseByteRange(std::string_view header, std::int64_t size);

// "bytes 0-9/100" of a part, "bytes */100" of an unsatisfiable range.
std::string ContentRange(const ByteRange& range, std::int64_t size);

}  // namespace frazil::serve::s3
