// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/record_batch.h"

#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "kafka/wire/crc32c.h"
#include "kafka/wire/record_batch_writer.h"

namespace frazil::kafka::wire {
namespace {

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
constexpr CompressionCodec kCodecs[] = {CompressionCodec::kNone, CompressionCodec::kGzip,
                                        CompressionCodec::kSnappy, CompressionCodec::kLz4,
                                        CompressionCodec::kZstd};

Bytes ReadTestdata(const std::string& name) {
  std::ifstream file(std::string(FRAZIL_TESTDATA) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
  return {content.begin(), content.end()};
}

nlohmann::json TextOf(const NullableView& bytes) {
  if (bytes.is_null()) return nullptr;
  return HexEncode(bytes.view());
}

// In the form of testdata/expected.json.
nlohmann::json Describe(ByteView rest) {
  static const char* const kCodecNames[] = {"none", "gzip", "snappy", "lz4", "zstd"};
  nlohmann::json batches = nlohmann::json::array();
  for (;;) {
    const auto taken = TakeRecordBatch(rest, {});
    if (!taken.ok()) return taken.error().ToString();
    if (!taken.value().has_value()) return rest.empty() ? batches : nlohmann::json("bytes left");
    const RecordBatch& batch = **taken;
    RecordBlock set;
    Status status = VerifyChecksum(batch);
    if (status.ok()) status = AppendRecords(batch, {}, 0, kAll, set);
    if (!status.ok()) return status.error().ToString();
    nlohmann::json records = nlohmann::json::array();
    for (const RecordView& record : set.records) {
      nlohmann::json headers = nlohmann::json::array();
      for (std::uint32_t i = 0; i < record.header_count; ++i) {
        const HeaderView& header = set.headers[record.header_begin + i];
        headers.push_back({HexEncode(header.key), TextOf(header.value)});
      }
      records.push_back({{"offset", record.offset},
                         {"timestamp", record.timestamp},
                         {"key", TextOf(record.key)},
                         {"value", TextOf(record.value)},
                         {"headers", headers}});
    }
    batches.push_back({{"base_offset", batch.base_offset},
                       {"last_offset", batch.last_offset()},
                       {"codec", kCodecNames[static_cast<int>(batch.codec())]},
                       {"transactional", batch.is_transactional()},
                       {"control", batch.is_control()},
                       {"producer_id", batch.producer_id},
                       {"records", records}});
  }
}

RecordBatch TakeOne(const Bytes& bytes) {
  ByteView rest = bytes;
  const auto taken = TakeRecordBatch(rest, {});
  EXPECT_TRUE(taken.ok()) << taken.error().message();
  EXPECT_TRUE(taken.value().has_value());
  return taken.ok() && taken.value().has_value() ? **taken : RecordBatch();
}

Bytes WriteBatch(const BatchProperties& properties, const std::vector<RecordToWrite>& records) {
  Bytes bytes;
  AppendRecordBatch(properties, records, bytes);
  return bytes;
}

// Sets the checksum anew, so that a change is seen by what lies behind it.
void Seal(Bytes& batch) { StoreBigEndian(Crc32c(ByteView(batch).subspan(21)), batch.data() + 17); }

ErrorCode CodeOf(const Bytes& bytes) {
  ByteView rest = bytes;
  const auto taken = TakeRecordBatch(rest, {});
  if (!taken.ok()) return taken.error().code();
  EXPECT_TRUE(taken.value().has_value());
  RecordBlock set;
  Status status = VerifyChecksum(**taken);
  if (status.ok()) status = AppendRecords(**taken, {}, 0, kAll, set);
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(set.records.empty() && set.headers.empty() && set.batches.empty() &&
              set.payload_bytes == 0);
  return status.ok() ? ErrorCode::kInternal : status.error().code();
}

RecordToWrite Record(std::int32_t delta, std::optional<std::string_view> value) {
  RecordToWrite record;
  record.offset_delta = delta;
  record.timestamp = 1000 + delta;
  record.value = value;
  return record;
}

TEST(RecordBatch, ReadsBatchesOfOtherImplementations) {
  std::ifstream file(std::string(FRAZIL_TESTDATA) + "/expected.json");
  const nlohmann::json expected = nlohmann::json::parse(file);
  int compared = 0;
  for (const auto& [name, batches] : expected.items()) {
    EXPECT_EQ(Describe(ReadTestdata(name)), batches) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 15);
}

TEST(RecordBatch, WriterMakesTheBytesOfTheFormat) {
  RecordToWrite record;
  record.timestamp = 0x0102;
  record.key = "k";
  record.value = "";
  record.headers = {{"h", std::nullopt}};
  BatchProperties properties;
  properties.base_offset = 5;
  properties.leader_epoch = 2;
  Bytes expected = *HexDecode(
      "0000000000000005"  // base offset
      "0000003c"          // length: 49 + 11
      "00000002"
      "02"        // leader epoch, magic
      "00000000"  // checksum, set below
      "0000"
      "00000000"  // attributes, last offset delta
      "0000000000000102"
      "0000000000000102"
      "ffffffffffffffff"
      "ffff"
      "ffffffff"
      "00000001"
      "14"  // record length 10
      "00"
      "00"
      "00"  // attributes, timestamp delta, offset delta
      "026b"
      "00"  // key, empty value
      "02"
      "0268"
      "01");  // one header with a null value
  Seal(expected);
  EXPECT_EQ(HexEncode(WriteBatch(properties, {record})), HexEncode(expected));
}

TEST(RecordBatch, WriterAndReaderAgreeForAllCodecs) {
  for (const CompressionCodec codec : kCodecs) {
    BatchProperties properties;
    properties.base_offset = 100;
    properties.codec = codec;
    properties.last_offset_delta = 20;
    const std::string large(200'000, 'x');
    RecordToWrite first = Record(3, large);
    first.headers = {{"a", "1"}, {"b", std::nullopt}};
    const Bytes bytes = WriteBatch(properties, {first, Record(4, std::nullopt), Record(9, "")});
    const RecordBatch batch = TakeOne(bytes);
    EXPECT_EQ(batch.next_offset(), 121);
    ASSERT_TRUE(VerifyChecksum(batch).ok());
    RecordBlock set;
    ASSERT_TRUE(AppendRecords(batch, {}, 0, kAll, set).ok());
    ASSERT_EQ(set.records.size(), 3U);
    EXPECT_EQ(set.records[0].offset, 103);
    EXPECT_EQ(set.records[0].timestamp, 1003);
    EXPECT_EQ(AsText(set.records[0].value.view()), large);
    EXPECT_TRUE(set.records[1].value.is_null());
    EXPECT_FALSE(set.records[2].value.is_null());
    EXPECT_EQ(set.payload_bytes, large.size() + 3);
    EXPECT_EQ(set.owners.size(), codec == CompressionCodec::kNone ? 0U : 1U);
  }
}

TEST(RecordBatch, KeepsOnlyTheWantedOffsets) {
  BatchProperties properties;
  properties.base_offset = 10;
  const Bytes bytes =
      WriteBatch(properties, {Record(0, "a"), Record(1, "b"), Record(2, "c"), Record(3, "d")});
  RecordBlock set;
  ASSERT_TRUE(AppendRecords(TakeOne(bytes), {}, 11, 13, set).ok());
  ASSERT_EQ(set.records.size(), 2U);
  EXPECT_EQ(set.records[0].offset, 11);
  EXPECT_EQ(set.records[1].offset, 12);
  EXPECT_EQ(set.payload_bytes, 2U);
}

TEST(RecordBatch, LogAppendTimeIsTheTimeOfAllRecords) {
  BatchProperties properties;
  properties.log_append_time = true;
  properties.append_timestamp = 77;
  RecordBlock set;
  const Bytes bytes = WriteBatch(properties, {Record(0, "a"), Record(1, "b")});
  ASSERT_TRUE(AppendRecords(TakeOne(bytes), {}, 0, kAll, set).ok());
  EXPECT_EQ(set.records[0].timestamp, 77);
  EXPECT_EQ(set.records[1].timestamp, 77);
}

TEST(RecordBatch, AnEmptiedBatchStillCoversItsOffsets) {
  BatchProperties properties;
  properties.base_offset = 7;
  properties.last_offset_delta = 5;
  const Bytes bytes = WriteBatch(properties, {});
  const RecordBatch batch = TakeOne(bytes);
  EXPECT_EQ(batch.next_offset(), 13);
  RecordBlock set;
  EXPECT_TRUE(AppendRecords(batch, {}, 0, kAll, set).ok());
  EXPECT_TRUE(set.records.empty());
}

TEST(RecordBatch, TheBeginningOfABatchIsNoBatch) {
  const Bytes bytes = WriteBatch({}, {Record(0, "value")});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteView rest = ByteView(bytes).first(size);
    const auto taken = TakeRecordBatch(rest, {});
    ASSERT_TRUE(taken.ok()) << size;
    EXPECT_FALSE(taken.value().has_value()) << size;
    EXPECT_EQ(rest.size(), size);
  }
}

TEST(RecordBatch, RefusesOldMessageFormats) {
  for (const std::uint8_t magic : {0, 1}) {
    Bytes bytes = WriteBatch({}, {Record(0, "value")});
    bytes[16] = magic;
    EXPECT_EQ(CodeOf(bytes), ErrorCode::kUnsupported);
  }
  Bytes bytes = WriteBatch({}, {Record(0, "value")});
  bytes[16] = 3;
  EXPECT_EQ(CodeOf(bytes), ErrorCode::kCorruptData);
}

TEST(RecordBatch, EachFlippedByteIsFoundOrOutsideTheChecksum) {
  for (const CompressionCodec codec : kCodecs) {
    BatchProperties properties;
    properties.codec = codec;
    const Bytes good = WriteBatch(properties, {Record(0, "one"), Record(1, "two")});
    for (std::size_t i = 0; i < good.size(); ++i) {
      Bytes bad = good;
      bad[i] ^= 0x41;
      ByteView rest = bad;
      const auto taken = TakeRecordBatch(rest, {});
      if (!taken.ok() || !taken.value().has_value()) continue;
      EXPECT_EQ(VerifyChecksum(**taken).ok(), i < 17) << i;
      RecordBlock set;
      IgnoreError(AppendRecords(**taken, {}, 0, kAll, set));
    }
  }
}

TEST(RecordBatch, RefusesRecordsThatDoNotFitTheHeader) {
  const Bytes good = WriteBatch({}, {Record(0, "one"), Record(1, "two")});
  const auto with = [&good](std::size_t at, std::uint8_t value) {
    Bytes bad = good;
    bad[at] = value;
    Seal(bad);
    return CodeOf(bad);
  };
  EXPECT_EQ(with(60, 1), ErrorCode::kCorruptData) << "a record too many";
  EXPECT_EQ(with(60, 3), ErrorCode::kCorruptData) << "a record too few";
  EXPECT_EQ(with(57, 0x80), ErrorCode::kCorruptData) << "negative count";
  EXPECT_EQ(with(26, 0), ErrorCode::kCorruptData) << "an offset beyond the last one";
  EXPECT_EQ(with(23, 0x80), ErrorCode::kCorruptData) << "negative offset delta";
  EXPECT_EQ(with(0, 0x80), ErrorCode::kCorruptData) << "negative offset";
  EXPECT_EQ(with(61, 0x7e), ErrorCode::kCorruptData) << "record length";
  EXPECT_EQ(with(22, 5), ErrorCode::kCorruptData) << "no such codec";
}

TEST(RecordBatch, RefusesOffsetsThatDoNotRise) {
  EXPECT_EQ(CodeOf(WriteBatch({}, {Record(1, "one"), Record(1, "two")})), ErrorCode::kCorruptData);
  BatchProperties properties;
  properties.last_offset_delta = 3;
  EXPECT_EQ(CodeOf(WriteBatch(properties, {Record(2, "one"), Record(1, "two")})),
            ErrorCode::kCorruptData);
}

TEST(RecordBatch, HoldsToItsLimits) {
  const std::string large(1'000'000, 'x');
  for (const CompressionCodec codec : kCodecs) {
    BatchProperties properties;
    properties.base_offset = 70;
    properties.codec = codec;
    const Bytes bytes = WriteBatch(properties, {Record(0, large)});
    RecordBatchLimits limits;
    limits.max_uncompressed_bytes = 999'999;
    RecordBlock set;
    const Status status = AppendRecords(TakeOne(bytes), limits, 0, kAll, set);
    if (codec != CompressionCodec::kNone) {
      ASSERT_LT(bytes.size(), 100'000U);
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.error().code(), ErrorCode::kResourceExhausted);
      EXPECT_NE(status.error().message().find("offset 70"), std::string::npos)
          << status.error().message();
    }
    limits.max_uncompressed_bytes = 1'000'020;
    EXPECT_TRUE(AppendRecords(TakeOne(bytes), limits, 0, kAll, set).ok());
    limits.max_batch_bytes = 100;
    ByteView rest = bytes;
    const auto taken = TakeRecordBatch(rest, limits);
    ASSERT_FALSE(taken.ok());
    EXPECT_EQ(taken.error().code(), ErrorCode::kResourceExhausted);
  }
}

TEST(RecordBatch, ARecordAboveTheLimitIsNamed) {
  RecordToWrite large = Record(1, std::string_view("0123456789"));
  large.key = "key";
  large.headers = {{"header", "value"}};
  BatchProperties properties;
  properties.base_offset = 70;
  const Bytes bytes = WriteBatch(properties, {Record(0, "a"), large, Record(2, "b")});
  RecordBatchLimits limits;
  // Attributes, two deltas, key with length, value with length, count, header with two lengths.
  limits.max_record_bytes = 3 + 4 + 11 + 1 + 13;
  RecordBlock set;
  EXPECT_TRUE(AppendRecords(TakeOne(bytes), limits, 0, kAll, set).ok());
  --limits.max_record_bytes;
  set = {};
  const Status status = AppendRecords(TakeOne(bytes), limits, 0, kAll, set);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(status.error().message().find("offset 71"), std::string::npos)
      << status.error().message();
  EXPECT_TRUE(set.records.empty() && set.headers.empty());
  EXPECT_TRUE(AppendRecords(TakeOne(bytes), limits, 72, kAll, set).ok()) << "it is not wanted";
}

TEST(RecordBatch, IsTakenPieceByPiece) {
  for (const CompressionCodec codec : kCodecs) {
    BatchProperties properties;
    properties.codec = codec;
    std::vector<RecordToWrite> records;
    for (std::int32_t i = 0; i < 10; ++i) records.push_back(Record(i, "value"));
    const Bytes bytes = WriteBatch(properties, records);
    Decompressor decompressor;
    const RecordBatchLimits limits;
    auto opened = BatchRecords::Open(TakeOne(bytes), limits, decompressor);
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ(opened->uncompressed_bytes() > 0, codec != CompressionCodec::kNone);
    std::vector<std::size_t> sizes;
    std::int64_t offset = 2;
    for (bool more = true; more;) {
      RecordBlock set;
      const auto appended = opened->Append(2, kAll, 3, set);
      ASSERT_TRUE(appended.ok());
      more = *appended;
      sizes.push_back(set.records.size());
      EXPECT_EQ(set.owners.size(), codec == CompressionCodec::kNone ? 0U : 1U);
      for (const RecordView& record : set.records) EXPECT_EQ(record.offset, offset++);
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 3, 2}));
  }
}

TEST(RecordBatch, ABatchIsMarkedWithTheFirstRecordThatIsHandedOver) {
  BatchProperties properties;
  properties.base_offset = 30;
  properties.last_offset_delta = 12;
  std::vector<RecordToWrite> records;
  for (std::int32_t i = 0; i < 10; ++i) records.push_back(Record(i, "value"));
  const Bytes bytes = WriteBatch(properties, records);
  const BatchMark mark{.base_offset = 30,
                       .last_offset = 42,
                       .record_count = 10,
                       .checksum = LoadBigEndian<std::uint32_t>(bytes.data() + 17)};
  Decompressor decompressor;
  const RecordBatchLimits limits;
  auto opened = BatchRecords::Open(TakeOne(bytes), limits, decompressor);
  ASSERT_TRUE(opened.ok());
  RecordBlock none;
  ASSERT_TRUE(opened->Append(33, kAll, 0, none).ok());
  EXPECT_TRUE(none.batches.empty());
  RecordBlock first;
  ASSERT_TRUE(opened->Append(33, kAll, 2, first).ok());
  EXPECT_EQ(first.batches, std::vector<BatchMark>{mark});
  RecordBlock second;
  ASSERT_TRUE(opened->Append(33, kAll, 2, second).ok());
  EXPECT_EQ(second.records.size(), 2U);
  EXPECT_TRUE(second.batches.empty());
}

TEST(RecordBatch, ABatchOfWhichNothingIsWantedIsNotMarked) {
  const Bytes bytes = WriteBatch({}, {Record(0, "a"), Record(1, "b")});
  RecordBlock set;
  ASSERT_TRUE(AppendRecords(TakeOne(bytes), {}, 2, kAll, set).ok());
  EXPECT_TRUE(set.batches.empty());
  ASSERT_TRUE(AppendRecords(TakeOne(bytes), {}, 1, kAll, set).ok());
  ASSERT_TRUE(AppendRecords(TakeOne(bytes), {}, 0, 1, set).ok());
  EXPECT_EQ(set.batches.size(), 2U);
}

TEST(RecordBatch, RecordsOfAllSizesAreReadWhereverTheyLie) {
  // Lengths and deltas of one to three bytes; the last records have nothing behind them.
  std::mt19937 random(5);
  std::vector<std::string> texts;
  std::vector<RecordToWrite> records;
  for (std::int32_t i = 0; i < 3'000; ++i) {
    texts.emplace_back(random() % 10 == 0 ? random() % 20'000 : random() % 130,
                       static_cast<char>('a' + i % 26));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    RecordToWrite record = Record(static_cast<std::int32_t>(7 * i), texts[i]);
    record.timestamp = 1'000 + static_cast<std::int64_t>(random() % 100'000);
    if (i % 3 == 0) record.key = std::string_view(texts[i]).substr(0, 70);
    if (i % 11 == 0) record.value = std::nullopt;
    if (i % 13 == 0) record.headers = {{"name", "value"}, {"other", std::nullopt}};
    records.push_back(record);
  }
  BatchProperties properties;
  properties.base_offset = 1'000'000;
  const Bytes bytes = WriteBatch(properties, records);
  RecordBlock block;
  ASSERT_TRUE(AppendRecords(TakeOne(bytes), {}, 0, kAll, block).ok());
  ASSERT_EQ(block.records.size(), records.size());
  const auto text = [](const NullableView& view) {
    return view.is_null() ? std::nullopt : std::optional(AsText(view.view()));
  };
  std::size_t payload = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RecordView& read = block.records[i];
    EXPECT_EQ(read.offset, 1'000'000 + 7 * static_cast<std::int64_t>(i));
    EXPECT_EQ(read.timestamp, records[i].timestamp);
    EXPECT_EQ(text(read.key), records[i].key);
    EXPECT_EQ(text(read.value), records[i].value);
    ASSERT_EQ(read.header_count, records[i].headers.size());
    for (std::size_t k = 0; k < records[i].headers.size(); ++k) {
      const HeaderView& header = block.headers[read.header_begin + k];
      EXPECT_EQ(AsText(header.key), records[i].headers[k].first);
      EXPECT_EQ(text(header.value), records[i].headers[k].second);
      payload += header.key.size() + header.value.view().size();
    }
    payload += read.key.view().size() + read.value.view().size();
  }
  EXPECT_EQ(block.payload_bytes, payload);
}

TEST(RecordBatch, SmallBatchesShareAnOwner) {
  std::vector<Bytes> batches;
  for (int i = 0; i < 40; ++i) {
    BatchProperties properties;
    properties.codec = kCodecs[static_cast<std::size_t>(i) % 5];
    properties.base_offset = 10 * i;
    const std::string value(static_cast<std::size_t>(i % 7) * 30'000 + 5,
                            static_cast<char>('a' + i % 26));
    batches.push_back(WriteBatch(properties, {Record(0, value), Record(1, "end")}));
  }
  Decompressor decompressor;
  const RecordBatchLimits limits;
  RecordBlock block;
  for (const Bytes& bytes : batches) {
    auto opened = BatchRecords::Open(TakeOne(bytes), limits, decompressor);
    ASSERT_TRUE(opened.ok());
    ASSERT_TRUE(opened->Append(0, kAll, kNoLimit, block).ok());
  }
  EXPECT_LT(block.owners.size(), 20U) << "of 32 compressed batches";
  ASSERT_EQ(block.records.size(), 80U);
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string value(i % 7 * 30'000 + 5, static_cast<char>('a' + i % 26));
    EXPECT_EQ(AsText(block.records[2 * i].value.view()), value) << i;
    EXPECT_EQ(AsText(block.records[2 * i + 1].value.view()), "end") << i;
  }
}

TEST(RecordBatch, DamageBehindAPieceIsFoundWithTheLastOne) {
  Bytes bytes = WriteBatch({}, {Record(0, "one"), Record(1, "two"), Record(2, "three")});
  bytes[60] = 2;
  Seal(bytes);
  Decompressor decompressor;
  const RecordBatchLimits limits;
  auto opened = BatchRecords::Open(TakeOne(bytes), limits, decompressor);
  ASSERT_TRUE(opened.ok());
  RecordBlock set;
  ASSERT_TRUE(opened->Append(0, kAll, 1, set).ok());
  const auto rest = opened->Append(0, kAll, kNoLimit, set);
  ASSERT_FALSE(rest.ok());
  EXPECT_EQ(rest.error().code(), ErrorCode::kCorruptData);
  EXPECT_EQ(set.records.size(), 1U);
  EXPECT_EQ(set.batches.size(), 1U);
}

TEST(RecordBatch, RefusesDamagedCompressedRecords) {
  for (const CompressionCodec codec : kCodecs) {
    if (codec == CompressionCodec::kNone) continue;
    BatchProperties properties;
    properties.codec = codec;
    const Bytes good = WriteBatch(properties, {Record(0, "one"), Record(1, "two")});
    for (std::size_t size = kRecordBatchHeaderBytes; size < good.size(); ++size) {
      Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
      StoreBigEndian(static_cast<std::int32_t>(cut.size() - 12), cut.data() + 8);
      Seal(cut);
      EXPECT_EQ(CodeOf(cut), ErrorCode::kCorruptData) << size;
    }
    Bytes longer = good;
    longer.push_back(0);
    StoreBigEndian(static_cast<std::int32_t>(longer.size() - 12), longer.data() + 8);
    Seal(longer);
    EXPECT_EQ(CodeOf(longer), ErrorCode::kCorruptData);
  }
}

TEST(RecordBatch, ReadsControlTypes) {
  for (const ControlType type : {ControlType::kAbort, ControlType::kCommit}) {
    Bytes bytes;
    BatchProperties properties;
    properties.producer_id = 5;
    AppendTransactionMarker(properties, type, 1, bytes);
    const auto read = ReadControlType(TakeOne(bytes), {});
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read.value(), type);
  }
  BatchProperties properties;
  properties.control = true;
  const Bytes emptied = WriteBatch(properties, {});
  const auto read = ReadControlType(TakeOne(emptied), {});
  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read.value().has_value());
}

TEST(Crc32c, KnownValuesAndBothWays) {
  EXPECT_EQ(Crc32c(AsBytes("123456789")), 0xe3069283U);
  EXPECT_EQ(Crc32c({}), 0U);
}

TEST(Crc32c, AllWaysGiveTheSame) {
  std::mt19937_64 random(3);
  Bytes bytes(20'000);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  // Every size around those of the lanes, from places of any alignment.
  for (std::size_t size = 0; size < bytes.size() - 8; size += size < 3'500 ? 1 : 61) {
    const ByteView part = ByteView(bytes).subspan(size % 8, size);
    ASSERT_EQ(Crc32c(part), Crc32cPortable(part)) << size;
  }
}

TEST(Crc32c, EachBitCounts) {
  Bytes bytes(3 * 1024 + 3 * 128 + 21, 0x5a);
  const std::uint32_t before = Crc32c(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= static_cast<std::uint8_t>(1U << i % 8);
    EXPECT_NE(Crc32c(bytes), before) << i;
    bytes[i] ^= static_cast<std::uint8_t>(1U << i % 8);
  }
}

}  // namespace
}  // namespace frazil::kafka::wire
