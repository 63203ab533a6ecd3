// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/check.h"
#include "serve/s3/address.h"
#include "serve/s3/byte_range.h"
#include "serve/s3/dates.h"

// The first byte is the object's size, the rest a Range header; also read as a path and as dates.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frazil::serve::s3;
  if (size == 0) return 0;
  const std::int64_t object_size = data[0];
  const std::string_view text = frazil::AsText({data + 1, size - 1});
  const ByteRange range = ParseByteRange(text, object_size);
  FRAZIL_CHECK(range.begin >= 0 && range.length >= 0 && range.begin + range.length <= object_size);
  FRAZIL_CHECK((range.kind != RangeKind::kPart) || range.length > 0);
  FRAZIL_CHECK(!ContentRange(range, object_size).empty());
  const auto address = ParseAddress("frazil.example", text);
  if (address.ok()) LiesWithin(address->key, frazil::Uuid{});
  if (const auto moment = ParseHttpDate(text)) {
    FRAZIL_CHECK(ParseHttpDate(FormatHttpDate(*moment)) == moment);
  }
  ParseBasicDate(text);
  return 0;
}
