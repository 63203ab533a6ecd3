// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/compression.h"

#include <lz4frame.h>
#include <string>
#include <vector>
#include <zstd.h>

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "kafka/wire/output_buffer_internal.h"
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

Result<Buffer> FromSnappy(ByteView input, std::size_t max_bytes) {
  OutputArena arena;
  return DecompressSnappy(input, max_bytes, arena);
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

TEST(Compression, EarlierResultsStayAsTheyAre) {
  Decompressor decompressor;
  std::vector<std::pair<Bytes, Buffer>> results;
  std::size_t size = 1;
  for (int i = 0; i < 200; ++i) {
    size = (size * 7 + 13) % 90'000;
    Bytes bytes = Sample(size);
    if (!bytes.empty()) bytes[0] = static_cast<std::uint8_t>(i);
    const CompressionCodec codec = kCodecs[static_cast<std::size_t>(i) % 4];
    // What fails in between leaves no trace.
    Bytes bad = Compress(codec, bytes);
    bad.resize(bad.size() / 2);
    EXPECT_FALSE(decompressor.Decompress(codec, bad, kEnough).ok());
    auto result = decompressor.Decompress(codec, Compress(codec, bytes), kEnough);
    ASSERT_TRUE(result.ok());
    results.emplace_back(std::move(bytes), *std::move(result));
  }
  for (const auto& [bytes, result] : results) {
    EXPECT_TRUE(std::ranges::equal(result.bytes, bytes));
  }
}

TEST(Compression, ThereAreNoOtherCodecs) {
  Decompressor decompressor;
  EXPECT_EQ(CodeOf(decompressor, static_cast<CompressionCodec>(6), AsBytes("abc")),
            ErrorCode::kCorruptData);
}

TEST(Snappy, KnownBytesOfBothForms) {
  // A length of 6, then a literal of 6 bytes.
  const std::string raw = "0614" + HexEncode(AsBytes("frazil"));
  const auto from_raw = FromSnappy(*HexDecode(raw), kEnough);
  ASSERT_TRUE(from_raw.ok()) << from_raw.error().message();
  EXPECT_EQ(AsText(from_raw->bytes), "frazil");
  const std::string header =
      "82534e4150505900"  // the magic
      "00000001"
      "00000001";
  // Two blocks, and a second header between them.
  const auto from_framed =
      FromSnappy(*HexDecode(header + "00000008" + raw + header + "00000008" + raw), kEnough);
  ASSERT_TRUE(from_framed.ok()) << from_framed.error().message();
  EXPECT_EQ(AsText(from_framed->bytes), "frazilfrazil");
  EXPECT_EQ(HexEncode(CompressSnappyFramed(AsBytes("frazil"), 100)), header + "00000008" + raw);
}

TEST(Snappy, FramesHoldManyBlocks) {
  const Bytes bytes = Sample(200'000);
  const Bytes framed = CompressSnappyFramed(bytes, 32 << 10);
  const auto back = FromSnappy(framed, bytes.size());
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_TRUE(std::ranges::equal(back->bytes, bytes));
  const auto too_much = FromSnappy(framed, bytes.size() - 1);
  ASSERT_FALSE(too_much.ok());
  EXPECT_EQ(too_much.error().code(), ErrorCode::kResourceExhausted);
}

TEST(Snappy, EachTruncationOfAFrameIsDamageOrEndsBetweenBlocks) {
  const Bytes bytes = Sample(300);
  const Bytes framed = CompressSnappyFramed(bytes, 100);
  int whole = 0;
  for (std::size_t size = 0; size < framed.size(); ++size) {
    const auto back = FromSnappy(ByteView(framed).first(size), kEnough);
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
  const auto claimed = FromSnappy(*HexDecode("ffffffff0f000000"), SIZE_MAX);
  ASSERT_FALSE(claimed.ok());
  EXPECT_EQ(claimed.error().code(), ErrorCode::kCorruptData);
  // The best ratio that there is can still be read: one literal byte, then copies of 64.
  const Bytes same(100'000, 'x');
  EXPECT_TRUE(FromSnappy(CompressSnappy(same), same.size()).ok());
}

// As Java's client writes: piece by piece, so that the frame does not state what it holds.
Bytes StreamedZstd(ByteView bytes, bool checksum) {
  ZSTD_CCtx* const zstd = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, checksum ? 1 : 0);
  Bytes frame(ZSTD_compressBound(bytes.size()) + 100);
  ZSTD_outBuffer out{frame.data(), frame.size(), 0};
  for (std::size_t at = 0; at < bytes.size(); at += 5'000) {
    ZSTD_inBuffer in{bytes.data() + at, std::min<std::size_t>(5'000, bytes.size() - at), 0};
    while (in.pos < in.size) ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_continue);
  }
  ZSTD_inBuffer nothing{nullptr, 0, 0};
  while (ZSTD_compressStream2(zstd, &out, &nothing, ZSTD_e_end) != 0) {
  }
  ZSTD_freeCCtx(zstd);
  frame.resize(out.pos);
  return frame;
}

// Bytes that zstd cannot make smaller, a run of one byte, and some of either.
Bytes MixedSample() {
  Bytes bytes = Sample(3'000);
  bytes.resize(150'000, 0x33);
  std::uint32_t state = 9;
  for (int i = 0; i < 140'000; ++i) {
    state = state * 1664525 + 1013904223;
    bytes.push_back(static_cast<std::uint8_t>(state >> 24));
  }
  Append(Sample(2'000), bytes);
  return bytes;
}

TEST(Zstd, FramesThatDoNotStateTheirSizeAreRead) {
  Decompressor decompressor;
  for (const std::size_t size : {0, 1, 4'000, 131'072, 131'073, 3'000'000, 9'000'000}) {
    for (const bool checksum : {false, true}) {
      const Bytes bytes = Sample(size);
      const Bytes frame = StreamedZstd(bytes, checksum);
      for (const std::size_t limit : {kEnough, size}) {
        const auto back = decompressor.Decompress(CompressionCodec::kZstd, frame, limit);
        ASSERT_TRUE(back.ok()) << size << ": " << back.error().message();
        EXPECT_TRUE(std::ranges::equal(back->bytes, bytes)) << size;
      }
      if (size == 0) continue;
      EXPECT_EQ(CodeOf(decompressor, CompressionCodec::kZstd, frame, size - 1),
                ErrorCode::kResourceExhausted);
    }
  }
}

// A limit of just the size makes the frame be read piece by piece: its blocks could hold more.
void ExpectBothWaysAgree(Decompressor& decompressor, ByteView frame, std::size_t size) {
  const auto whole = decompressor.Decompress(CompressionCodec::kZstd, frame, kEnough);
  const auto pieces = decompressor.Decompress(CompressionCodec::kZstd, frame, size);
  if (whole.ok() && whole->bytes.size() > size) {
    EXPECT_FALSE(pieces.ok());
    return;
  }
  ASSERT_EQ(whole.ok(), pieces.ok()) << (whole.ok() ? pieces : whole).error().message();
  if (whole.ok()) {
    EXPECT_TRUE(std::ranges::equal(whole->bytes, pieces->bytes));
  }
}

TEST(Zstd, BothWaysAgreeOnDamagedFrames) {
  Decompressor decompressor;
  const Bytes bytes = Sample(1'500);
  for (const bool checksum : {false, true}) {
    Bytes frame = StreamedZstd(bytes, checksum);
    Append(StreamedZstd(AsBytes("a second frame"), checksum), frame);
    const std::size_t size = bytes.size() + 14;
    for (std::size_t i = 0; i < frame.size(); ++i) {
      ExpectBothWaysAgree(decompressor, ByteView(frame).first(i), size);
      for (const std::uint8_t change : {0x01, 0x08, 0x41, 0xff}) {
        Bytes bad = frame;
        bad[i] ^= change;
        ExpectBothWaysAgree(decompressor, bad, size);
      }
    }
    ExpectBothWaysAgree(decompressor, frame, size);
  }
}

TEST(Zstd, BlocksOfAllKindsAreRead) {
  Decompressor decompressor;
  const Bytes bytes = MixedSample();
  for (const bool checksum : {false, true}) {
    const Bytes frame = StreamedZstd(bytes, checksum);
    ExpectBothWaysAgree(decompressor, frame, bytes.size());
    const auto back = decompressor.Decompress(CompressionCodec::kZstd, frame, kEnough);
    ASSERT_TRUE(back.ok());
    EXPECT_TRUE(std::ranges::equal(back->bytes, bytes));
  }
  // A frame to be skipped (magic 0x184d2a50, 3 bytes) before one of data.
  Bytes skipped = *HexDecode("502a4d1803000000aabbcc");
  Append(Compress(CompressionCodec::kZstd, AsBytes("frazil")), skipped);
  const auto back = decompressor.Decompress(CompressionCodec::kZstd, skipped, kEnough);
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(AsText(back->bytes), "frazil");
}

TEST(Zstd, AnEnormousWindowIsRefused) {
  // A frame header with a window of 2^31 bytes (exponent 21) and no content size.
  Decompressor decompressor;
  EXPECT_EQ(CodeOf(decompressor, CompressionCodec::kZstd, *HexDecode("28b52ffd00a8010000")),
            ErrorCode::kCorruptData);
  // 2^27 and an eighth more; 2^27 is what every reader takes.
  EXPECT_EQ(CodeOf(decompressor, CompressionCodec::kZstd, *HexDecode("28b52ffd0089010000")),
            ErrorCode::kCorruptData);
  EXPECT_TRUE(
      decompressor.Decompress(CompressionCodec::kZstd, *HexDecode("28b52ffd0088010000"), 10).ok());
}

// With every block size, with and without what a header may hold.
TEST(Lz4, FramesOfAllFormsAreRead) {
  Decompressor decompressor;
  for (const std::size_t size : {0, 1, 70'000, 3'000'000}) {
    const Bytes bytes = Sample(size);
    for (int form = 0; form < 64; ++form) {
      LZ4F_preferences_t preferences{};
      preferences.frameInfo.blockSizeID = static_cast<LZ4F_blockSizeID_t>(4 + form % 4);
      preferences.frameInfo.blockMode = (form & 4) != 0 ? LZ4F_blockIndependent : LZ4F_blockLinked;
      preferences.frameInfo.contentChecksumFlag =
          (form & 8) != 0 ? LZ4F_contentChecksumEnabled : LZ4F_noContentChecksum;
      preferences.frameInfo.blockChecksumFlag =
          (form & 16) != 0 ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum;
      preferences.frameInfo.contentSize = (form & 32) != 0 ? size : 0;
      Bytes frame(LZ4F_compressFrameBound(size, &preferences));
      frame.resize(
          LZ4F_compressFrame(frame.data(), frame.size(), bytes.data(), size, &preferences));
      const auto back = decompressor.Decompress(CompressionCodec::kLz4, frame, kEnough);
      ASSERT_TRUE(back.ok()) << form << ": " << back.error().message();
      ASSERT_TRUE(std::ranges::equal(back->bytes, bytes)) << form;
      if (size == 0) continue;
      EXPECT_EQ(CodeOf(decompressor, CompressionCodec::kLz4, frame, size - 1),
                ErrorCode::kResourceExhausted);
      if ((form & 8) == 0) continue;
      frame.back() ^= 1;
      EXPECT_EQ(CodeOf(decompressor, CompressionCodec::kLz4, frame), ErrorCode::kCorruptData);
    }
  }
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
