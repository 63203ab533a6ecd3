// SPDX-License-Identifier: Apache-2.0
// The two readers of a record's fields give the same, and the fast one never reads beyond the end.
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "kafka/wire/record_fields_internal.h"

namespace frazil::kafka::wire {
namespace {

// A varint in more bytes than it needs, as no writer makes and every reader takes.
void AppendLongVarint(std::uint64_t bits, int bytes, Bytes& to) {
  for (int i = 0; i + 1 < bytes; ++i, bits >>= 7) {
    to.push_back(static_cast<std::uint8_t>(bits | 0x80));
  }
  to.push_back(static_cast<std::uint8_t>(bits & 0x7f));
}

class RandomRecords {
 public:
  Bytes Next() {
    Bytes fields{0};
    Number(Pick({0, 1, -1, 63, 64, -65, 8191, 8192, 1 << 20, -(1 << 20), 1LL << 40}), fields);
    Number(Pick({0, 1, 63, 64, 8191, 8192, 1 << 20, (1 << 20) - 1, 1 << 21, INT32_MAX}), fields);
    Block(Pick({-1, -1, 0, 1, 20, 63, 64}), fields);
    Block(Pick({-1, 0, 1, 50, 63, 64, 65, 8191, 8192}), fields);
    const std::int64_t headers = Pick({0, 0, 0, 1, 2, 70});
    Number(headers, fields);
    for (std::int64_t i = 0; i < headers; ++i) {
      Block(3, fields);
      Block(Pick({-1, 4}), fields);
    }
    Bytes record;
    Number(static_cast<std::int64_t>(fields.size()), record);
    Append(fields, record);
    return record;
  }
  std::uint32_t Below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

 private:
  std::int64_t Pick(std::initializer_list<std::int64_t> choices) {
    return choices.begin()[Below(static_cast<std::uint32_t>(choices.size()))];
  }
  void Number(std::int64_t value, Bytes& to) {
    if (Below(8) == 0 && value >= 0 && value < (1 << 13)) {
      AppendLongVarint(ZigZagEncode(value), static_cast<int>(2 + Below(3)), to);
    } else {
      AppendVarint(ZigZagEncode(value), to);
    }
  }
  void Block(std::int64_t size, Bytes& to) {
    Number(size, to);
    for (std::int64_t i = 0; i < size; ++i) to.push_back(static_cast<std::uint8_t>(random_()));
  }

  std::mt19937_64 random_{7};
};

// Whether the fast reader took the record at the front; if so, both give the same. The bytes lie in
// memory of just their size, so that a sanitizer sees each step beyond it.
bool FastAgrees(ByteView bytes) {
  const auto copy = std::make_unique<std::uint8_t[]>(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
  const std::uint8_t* const end = copy.get() + bytes.size();
  RecordFields fast;
  RecordFields safe;
  if (!ReadRecordFieldsFast(copy.get(), end, fast)) return false;
  EXPECT_EQ(ReadRecordFields(copy.get(), end, safe), nullptr);
  EXPECT_EQ(fast.size, safe.size);
  EXPECT_EQ(fast.timestamp_delta, safe.timestamp_delta);
  EXPECT_EQ(fast.offset_delta, safe.offset_delta);
  EXPECT_EQ(fast.key.data, safe.key.data);
  EXPECT_EQ(fast.key.size, safe.key.size);
  EXPECT_EQ(fast.value.data, safe.value.data);
  EXPECT_EQ(fast.value.size, safe.value.size);
  EXPECT_EQ(fast.header_count, safe.header_count);
  EXPECT_EQ(fast.headers, safe.headers);
  EXPECT_EQ(fast.end, safe.end);
  return true;
}

TEST(RecordFields, BothReadersGiveTheSame) {
  RandomRecords records;
  int fast = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = records.Next();
    bytes.resize(bytes.size() + records.Below(40));
    fast += FastAgrees(bytes) ? 1 : 0;
  }
  EXPECT_GT(fast, 1'000);
}

TEST(RecordFields, OrdinaryRecordsAreReadFast) {
  Bytes bytes{0x0e, 0, 0x02, 0x04, 0x01, 0x02, 'v', 0};
  EXPECT_FALSE(FastAgrees(bytes)) << "nothing lies behind it";
  bytes.resize(bytes.size() + kRecordSlack + 1);
  EXPECT_TRUE(FastAgrees(bytes));
}

TEST(RecordFields, BothReadersGiveTheSameAfterEachTruncation) {
  RandomRecords records;
  for (int i = 0; i < 300; ++i) {
    Bytes bytes = records.Next();
    if (bytes.size() > 300) continue;
    bytes.resize(bytes.size() + kRecordSlack, 0xff);
    for (std::size_t size = 0; size <= bytes.size(); ++size)
      FastAgrees(ByteView(bytes).first(size));
  }
}

TEST(RecordFields, BothReadersGiveTheSameAfterEachFlip) {
  RandomRecords records;
  int fast = 0;
  for (int i = 0; i < 300; ++i) {
    Bytes bytes = records.Next();
    if (bytes.size() > 300) continue;
    bytes.resize(bytes.size() + kRecordSlack, 0x80);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const std::uint8_t change : {0x01, 0x02, 0x40, 0x7f, 0x80, 0xff}) {
        bytes[at] ^= change;
        fast += FastAgrees(bytes) ? 1 : 0;
        bytes[at] ^= change;
      }
    }
  }
  EXPECT_GT(fast, 1'000);
}

}  // namespace
}  // namespace frazil::kafka::wire
