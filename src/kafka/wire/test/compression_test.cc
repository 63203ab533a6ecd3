// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/compression.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "kafka/wire/snappy_internal.h"

namespace frazil::kafka::wire {
namespace {

constexpr CompressionCodec kCodecs[] = {CompressionCodec::kGzip, CompressionCodec::kSnappy,
                                        CompressionCodec::kLz4, CompressionCodec::kZstd};
constexpr std::size_t kEnough = 16U << 20;

// Neither all the same nor without any order.
Bytes Sample(std::size_t size) {
  Bytes bytes;
  std::uint32_t state = 1;
  while (bytes.size() < size) {
    state = state * 1664525 + 1013904223;
    bytes.insert(bytes.end(), state % 13 + 1, static_cast<std::uint8_t>(state >> 24));
  }
  bytes.resize(size);
  return bytes;
}

std::string Name(CompressionCodec codec) { return std::to_string(static_cast<int>(codec)); }

ErrorCode CodeOf(Decompressor& decompressor, CompressionCodec codec, ByteView input,
                 std::size_t max_bytes = kEnough) {
  const auto result = decompressor.Decompress(codec, input, max_bytes);
  EXPECT_FALSE(result.ok());
  return result.ok() ? ErrorCode::kInternal : result.error().code();
}

TEST(Compression, GivesBackWhatWasCompressed) {
  Decompressor decompressor;
  for (const CompressionCodec codec : kCodecs) {
    for (const std::size_t size : {0, 1, 100, 65'535, 65'536, 65'537, 3'000'000}) {
      const Bytes bytes = Sample(size);
      const Bytes compressed = Compress(codec, bytes);
      EXPECT_EQ(compressed, Compress(codec, bytes));
      const auto back = decompressor.Decompress(codec, compressed, kEnough);
      ASSERT_TRUE(back.ok()) << Name(codec) << ", " << size << ": " << back.error().message();
      EXPECT_TRUE(std::ranges::equal(back->bytes, bytes)) << Name(codec) << ", " << size;
    }
  }
}

TEST(Compression, EachTruncationIsDamage) {
  Decompressor decompressor;
  for (const CompressionCodec codec : kCodecs) {
    const Bytes compressed = Compress(codec, Sample(2'000));
    for (std::size_t size = 0; size < compressed.size(); ++size) {
      EXPECT_EQ(CodeOf(decompressor, codec, ByteView(compressed).first(size)),
                ErrorCode::kCorruptData)
          << Name(codec) << ", " << size;
    }
    Bytes longer = compressed;
    longer.push_back(0x55);
    EXPECT_EQ(CodeOf(decompressor, codec, longer), ErrorCode::kCorruptData) << Name(codec);
  }
}

TEST(Compression, FlippedBytesGiveAnErrorOrAValueAndLeaveNothingBehind) {
  Decompressor decompressor;
  for (const CompressionCodec codec : kCodecs) {
    const Bytes bytes = Sample(1'500);
    const Bytes compressed = Compress(codec, bytes);
    for (std::size_t i = 0; i < compressed.size(); ++i) {
      Bytes bad = compressed;
      bad[i] ^= 0x41;
      IgnoreError(decompressor.Decompress(codec, bad, kEnough));
      const auto good = decompressor.Decompress(codec, compressed, kEnough);
      ASSERT_TRUE(good.ok()) << Name(codec) << ", " << i;
      ASSERT_TRUE(std::ranges::equal(good->bytes, bytes)) << Name(codec) << ", " << i;
    }
  }
}

TEST(Compression, HoldsToItsLimitToTheByte) {
  Decompressor decompressor;
  const Bytes bytes(10'000'000, 'x');
  for (const CompressionCodec codec : kCodecs) {
    const Bytes compressed = Compress(codec, bytes);
    ASSERT_LT(compressed.size(), bytes.size() / 15) << Name(codec);
    EXPECT_TRUE(decompressor.Decompress(codec, compressed, bytes.size()).ok()) << Name(codec);
    EXPECT_EQ(CodeOf(decompressor, codec, compressed, bytes.size() - 1),
              ErrorCode::kResourceExhausted)
        << Name(codec);
    EXPECT_EQ(CodeOf(decompressor, codec, compressed, 0), ErrorCode::kResourceExhausted);
  }
}

TEST(Compression, MembersAndFramesMayFollowEachOther) {
  Decompressor decompressor;
  for (const CompressionCodec codec : {CompressionCodec::kGzip, CompressionCodec::kZstd}) {
    Bytes both = Compress(codec, Sample(1'000));
    Append(Compress(codec, AsBytes("end")), both);
    const auto back = decompressor.Decompress(codec, both, kEnough);
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_EQ(back->bytes.size(), 1'003U);
    EXPECT_EQ(AsText(back->bytes.last(3)), "end");
    both.pop_back();
    EXPECT_EQ(CodeOf(decompressor, codec, both), ErrorCode::kCorruptData);
  }
  Bytes twice = Compress(CompressionCodec::kLz4, AsBytes("a"));
  Append(Bytes(twice), twice);
  EXPECT_EQ(CodeOf(decompressor, CompressionCodec::kLz4, twice), ErrorCode::kCorruptData);
}

TEST(Compression, ThereAreNoOtherCodecs) {
  Decompressor decompressor;
  EXPECT_EQ(CodeOf(decompressor, static_cast<CompressionCodec>(6), AsBytes("abc")),
            ErrorCode::kCorruptData);
}

TEST(Snappy, KnownBytesOfBothForms) {
  // A length of 6, then a literal of 6 bytes.
  const std::string raw = "0614" + HexEncode(AsBytes("frazil"));
  const auto from_raw = DecompressSnappy(*HexDecode(raw), kEnough);
  ASSERT_TRUE(from_raw.ok()) << from_raw.error().message();
  EXPECT_EQ(AsText(from_raw->bytes), "frazil");
  const std::string header =
      "82534e4150505900"  // the magic
      "00000001"
      "00000001";
  // Two blocks, and a second header between them.
  const auto from_framed =
      DecompressSnappy(*HexDecode(header + "00000008" + raw + header + "00000008" + raw), kEnough);
  ASSERT_TRUE(from_framed.ok()) << from_framed.error().message();
  EXPECT_EQ(AsText(from_framed->bytes), "frazilfrazil");
  EXPECT_EQ(HexEncode(CompressSnappyFramed(AsBytes("frazil"), 100)), header + "00000008" + raw);
}

TEST(Snappy, FramesHoldManyBlocks) {
  const Bytes bytes = Sample(200'000);
  const Bytes framed = CompressSnappyFramed(bytes, 32 << 10);
  const auto back = DecompressSnappy(framed, bytes.size());
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_TRUE(std::ranges::equal(back->bytes, bytes));
  const auto too_much = DecompressSnappy(framed, bytes.size() - 1);
  ASSERT_FALSE(too_much.ok());
  EXPECT_EQ(too_much.error().code(), ErrorCode::kResourceExhausted);
}

TEST(Snappy, EachTruncationOfAFrameIsDamageOrEndsBetweenBlocks) {
  const Bytes bytes = Sample(300);
  const Bytes framed = CompressSnappyFramed(bytes, 100);
  int whole = 0;
  for (std::size_t size = 0; size < framed.size(); ++size) {
    const auto back = DecompressSnappy(ByteView(framed).first(size), kEnough);
    if (back.ok()) {
      ++whole;
      EXPECT_EQ(back->bytes.size() % 100, 0U);
    }
  }
  // After the header and after each block but the last: the record count tells that more is
  // missing.
  EXPECT_EQ(whole, 3);
}

TEST(Snappy, ALengthThatTheBytesCannotFillIsRefusedBeforeItIsAllocated) {
  // 2^32 - 1 bytes out of three.
  const auto claimed = DecompressSnappy(*HexDecode("ffffffff0f000000"), SIZE_MAX);
  ASSERT_FALSE(claimed.ok());
  EXPECT_EQ(claimed.error().code(), ErrorCode::kCorruptData);
  // The best ratio that there is can still be read: one literal byte, then copies of 64.
  const Bytes same(100'000, 'x');
  EXPECT_TRUE(DecompressSnappy(CompressSnappy(same), same.size()).ok());
}

TEST(Zstd, AnEnormousWindowIsRefused) {
  // A frame header with a window of 2^31 bytes (exponent 21) and no content size.
  Decompressor decompressor;
  EXPECT_EQ(CodeOf(decompressor, CompressionCodec::kZstd, *HexDecode("28b52ffd00a8010000")),
            ErrorCode::kCorruptData);
}

TEST(Zstd, AStatedSizeIsNotTrusted) {
  // One frame that states 2^62 bytes and ends at once.
  Decompressor decompressor;
  EXPECT_EQ(
      CodeOf(decompressor, CompressionCodec::kZstd, *HexDecode("28b52ffde00000000000000040010000")),
      ErrorCode::kCorruptData);
}

}  // namespace
}  // namespace frazil::kafka::wire
