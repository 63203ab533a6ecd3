// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/byte_range.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace frazil::serve::s3 {
namespace {

// What a header should give, told by its parts and worked out byte by byte.
std::optional<std::string> Reference(std::optional<std::int64_t> first,
                                     std::optional<std::int64_t> last, const std::string& object) {
  const auto size = static_cast<std::int64_t>(object.size());
  std::string wanted;
  for (std::int64_t i = 0; i < size; ++i) {
    const bool in = first ? i >= *first && (!last || i <= *last) : i >= size - *last;
    if (in) wanted += object[static_cast<std::size_t>(i)];
  }
  if (wanted.empty()) return std::nullopt;
  return wanted;
}

void Expect(const std::string& header, std::int64_t size, RangeKind kind, std::int64_t begin,
            std::int64_t length) {
  const ByteRange range = ParseByteRange(header, size);
  EXPECT_EQ(range.kind, kind) << header << " of " << size;
  EXPECT_EQ(range.begin, begin) << header << " of " << size;
  EXPECT_EQ(range.length, length) << header << " of " << size;
}

TEST(ByteRangeTest, ReadsEachForm) {
  Expect("bytes=0-3", 10, RangeKind::kPart, 0, 4);
  Expect("bytes=0-0", 10, RangeKind::kPart, 0, 1);
  Expect("bytes=-8", 10, RangeKind::kPart, 2, 8);
  Expect("bytes=-80", 10, RangeKind::kPart, 0, 10);
  Expect("bytes=4-", 10, RangeKind::kPart, 4, 6);
  Expect("bytes=8-99", 10, RangeKind::kPart, 8, 2);
  Expect("bytes=9-", 10, RangeKind::kPart, 9, 1);
  Expect("Bytes=0-3", 10, RangeKind::kPart, 0, 4);
  Expect(" bytes= 0-3 ", 10, RangeKind::kPart, 0, 4);
}

TEST(ByteRangeTest, RangesOutsideTheObjectCannotBeSatisfied) {
  Expect("bytes=10-", 10, RangeKind::kUnsatisfiable, 0, 0);
  Expect("bytes=10-20", 10, RangeKind::kUnsatisfiable, 0, 0);
  Expect("bytes=-0", 10, RangeKind::kUnsatisfiable, 0, 0);
  for (const char* header : {"bytes=0-", "bytes=0-0", "bytes=-1", "bytes=-0", "bytes=5-9"}) {
    Expect(header, 0, RangeKind::kUnsatisfiable, 0, 0);
  }
}

TEST(ByteRangeTest, MalformedAndSeveralRangesCountAsAbsent) {
  for (const char* header :
       {"", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=1-b", "bytes=0-1,4-5",
        "bytes=0 -1", "bytes=+1-2", "bytes=--1", "bytes=1--2", "items=0-1", "bytes 0-1",
        "bytes=0x1-2", "bytes=1.0-2", "bytes=0-1,"}) {
    Expect(header, 10, RangeKind::kWhole, 0, 10);
    Expect(header, 0, RangeKind::kWhole, 0, 0);
  }
}

TEST(ByteRangeTest, NumbersBeyondEveryWidthDoNotWrap) {
  const std::string huge(400, '9');
  Expect("bytes=" + huge + "-", 10, RangeKind::kUnsatisfiable, 0, 0);
  Expect("bytes=1-" + huge, 10, RangeKind::kPart, 1, 9);
  Expect("bytes=-" + huge, 10, RangeKind::kPart, 0, 10);
  Expect("bytes=18446744073709551616-18446744073709551617", 10, RangeKind::kUnsatisfiable, 0, 0);
  Expect("bytes=9223372036854775807-9223372036854775807", 10, RangeKind::kUnsatisfiable, 0, 0);
}

TEST(ByteRangeTest, AgreesWithAReferenceOverRandomRanges) {
  std::mt19937_64 random(7);  // NOLINT: the same cases each run
  const auto below = [&random](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  for (int i = 0; i < 20000; ++i) {
    std::string object(static_cast<std::size_t>(below(40)), '\0');
    for (std::size_t at = 0; at < object.size(); ++at) object[at] = static_cast<char>('A' + at);
    const auto size = static_cast<std::int64_t>(object.size());
    std::optional<std::int64_t> first = below(50);
    std::optional<std::int64_t> last = *first + below(50);
    const auto form = below(3);
    if (form == 1) last = std::nullopt;
    if (form == 2) first = std::nullopt;
    const std::string header = "bytes=" + (first ? std::to_string(*first) : "") + "-" +
                               (last ? std::to_string(*last) : "");
    const ByteRange range = ParseByteRange(header, size);
    const auto wanted = Reference(first, last, object);
    if (!wanted) {
      EXPECT_EQ(range.kind, RangeKind::kUnsatisfiable) << header << " of " << size;
      EXPECT_EQ(ContentRange(range, size), "bytes */" + std::to_string(size));
      continue;
    }
    ASSERT_EQ(range.kind, RangeKind::kPart) << header << " of " << size;
    EXPECT_EQ(object.substr(static_cast<std::size_t>(range.begin),
                            static_cast<std::size_t>(range.length)),
              *wanted)
        << header << " of " << size;
    EXPECT_EQ(ContentRange(range, size), "bytes " + std::to_string(wanted->front() - 'A') + "-" +
                                             std::to_string(wanted->back() - 'A') + "/" +
                                             std::to_string(size));
  }
}

}  // namespace
}  // namespace frazil::serve::s3
