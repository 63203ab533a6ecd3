// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/sha256.h"
#include "base/thread_pool.h"
#include "base/uuid.h"

namespace frazil {
namespace {

TEST(ErrorTableTest, RowsStandAtTheirCodeAndAreComplete) {
  ASSERT_EQ(ErrorTable().size(), static_cast<std::size_t>(kErrorCodeCount));
  std::set<std::string_view> names;
  for (int i = 0; i < kErrorCodeCount; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    const ErrorRow& row = RowOf(code);
    EXPECT_EQ(row.code, code);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.http_status >= 400 && row.http_status < 600) << row.name;
    EXPECT_TRUE(row.s3_status >= 400 && row.s3_status < 600) << row.name;
    EXPECT_FALSE(row.iceberg_type.empty()) << row.name;
    EXPECT_FALSE(row.s3_code.empty()) << row.name;
    EXPECT_TRUE(row.exit_code > 0 && row.exit_code < 256) << row.name;
    EXPECT_FALSE(row.outcome_unknown && row.may_repeat) << row.name;
  }
  EXPECT_TRUE(RowOf(ErrorCode::kOutcomeUnknown).outcome_unknown);
}

Result<int> Half(int number) {
  if (number % 2 != 0) return Error(ErrorCode::kInvalidArgument, "odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  FRAZIL_ASSIGN_OR_RETURN(const int half, Half(number));
  return Half(half);
}

Status CheckQuarter(int number) {
  FRAZIL_RETURN_IF_ERROR(Quarter(number));
  return {};
}

TEST(ResultTest, MacrosPassValuesAndErrorsOn) {
  ASSERT_TRUE(Quarter(12).ok());
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(CheckQuarter(8).ok());
  EXPECT_EQ(CheckQuarter(7).error().Within("quarter").ToString(), "invalid_argument: quarter: odd");
}

TEST(BytesTest, BigEndianRoundTripsAtTheLimits) {
  for (const std::int64_t value : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    Bytes bytes;
    AppendBigEndian(value, bytes);
    EXPECT_EQ(LoadBigEndian<std::int64_t>(bytes.data()), value);
  }
  Bytes bytes;
  AppendBigEndian<std::int16_t>(-2, bytes);
  EXPECT_EQ(bytes, (Bytes{0xff, 0xfe}));
}

TEST(EncodingTest, TextsForBytesRoundTrip) {
  Bytes all;
  for (int i = 0; i < 256; ++i) {
    all.push_back(static_cast<std::uint8_t>(i));
    EXPECT_EQ(HexDecode(HexEncode(all)), all);
    EXPECT_EQ(Base64Decode(Base64Encode(all)), all);
    EXPECT_EQ(PercentDecode(PercentEncode(AsText(all))), std::string(AsText(all)));
  }
  EXPECT_EQ(Base64Encode(AsBytes("ab")), "YWI=");
}

TEST(EncodingTest, BrokenTextsAreRefused) {
  for (const char* text : {"%", "%1", "%zz", "a%0"}) EXPECT_FALSE(PercentDecode(text)) << text;
  for (const char* text : {"a", "a===", "=aaa", "aa=a", "a*aa"}) {
    EXPECT_FALSE(Base64Decode(text)) << text;
  }
  for (const char* text : {"0", "0g"}) EXPECT_FALSE(HexDecode(text)) << text;
}

TEST(EncodingTest, Utf8) {
  for (const char* text : {"", "abc", "é", "漢字", "😀", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(AsBytes(text))) << text;
  }
  for (const char* text : {"\x80", "\xc0\x80", "\xc3", "\xed\xa0\x80", "\xe0\x80\x80",
                           "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "a\xe6\xbc"}) {
    EXPECT_FALSE(IsUtf8(AsBytes(text))) << HexEncode(AsBytes(text));
  }
}

TEST(Sha256Test, KnownVectors) {
  EXPECT_EQ(HexEncode(Sha256(AsBytes("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // RFC 4231, test case 2.
  EXPECT_EQ(HexEncode(HmacSha256(AsBytes("Jefe"), AsBytes("what do ya want for nothing?"))),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(UuidTest, PrintsAndParses) {
  const Uuid uuid = Uuid::Random();
  EXPECT_EQ(*Uuid::Parse(uuid.ToString()), uuid);
  EXPECT_EQ(uuid.ToString().size(), 36U);
  EXPECT_NE(uuid, Uuid::Random());
  for (const char* text : {"", "8f14e45f", "8f14e45fceea-467f-a0e6-4ad3b9f6e6b1-",
                           "8f14e45f-ceea-467f-a0e6-4ad3b9f6e6bg"}) {
    EXPECT_FALSE(Uuid::Parse(text).ok()) << text;
  }
}

TEST(ThreadPoolTest, RunsAllThatItAcceptedAndRefusesBeyondTheQueue) {
  std::atomic<int> done = 0;
  int accepted = 0;
  {
    ThreadPool pool(2, 4);
    for (int i = 0; i < 100; ++i) accepted += pool.Submit([&done] { ++done; }) ? 1 : 0;
  }
  EXPECT_EQ(done, accepted);
  EXPECT_GE(accepted, 4);
}

}  // namespace
}  // namespace frazil
