// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/preconditions.h"

#include <gtest/gtest.h>

namespace frazil::serve::s3 {
namespace {

// Modified at Fri, 24 May 2013 00:00:00.500 GMT.
const table::ObjectInfo kInfo{10, "abc", UnixMillis(1369353600500)};
constexpr const char* kSame = "Fri, 24 May 2013 00:00:00 GMT";
constexpr const char* kBefore = "Thu, 23 May 2013 23:59:59 GMT";
constexpr const char* kAfter = "Fri, 24 May 2013 00:00:01 GMT";

ConditionOutcome Check(net::HttpHeaders headers) { return CheckConditions(headers, kInfo); }

TEST(PreconditionsTest, EachConditionAlone) {
  EXPECT_EQ(Check({}), ConditionOutcome::kProceed);
  EXPECT_EQ(Check({{"If-Match", "\"abc\""}}), ConditionOutcome::kProceed);
  EXPECT_EQ(Check({{"if-match", "abc"}}), ConditionOutcome::kProceed);
  EXPECT_EQ(Check({{"If-Match", "*"}}), ConditionOutcome::kProceed);
  EXPECT_EQ(Check({{"If-Match", "\"x\", \"abc\""}}), ConditionOutcome::kProceed);
  EXPECT_EQ(Check({{"If-Match", "\"x\""}}), ConditionOutcome::kFailed);
  EXPECT_EQ(Check({{"If-Match", "W/\"abc\""}}), ConditionOutcome::kFailed);
  EXPECT_EQ(Check({{"If-None-Match", "\"abc\""}}), ConditionOutcome::kNotModified);
  EXPECT_EQ(Check({{"If-None-Match", "W/\"abc\""}}), ConditionOutcome::kNotModified);
  EXPECT_EQ(Check({{"If-None-Match", "*"}}), ConditionOutcome::kNotModified);
  EXPECT_EQ(Check({{"If-None-Match", "\"x\""}}), ConditionOutcome::kProceed);
  EXPECT_EQ(Check({{"If-Modified-Since", kBefore}}), ConditionOutcome::kProceed);
  EXPECT_EQ(Check({{"If-Modified-Since", kSame}}), ConditionOutcome::kNotModified);
  EXPECT_EQ(Check({{"If-Modified-Since", kAfter}}), ConditionOutcome::kNotModified);
  EXPECT_EQ(Check({{"If-Modified-Since", "yesterday"}}), ConditionOutcome::kProceed);
  EXPECT_EQ(Check({{"If-Unmodified-Since", kBefore}}), ConditionOutcome::kFailed);
  EXPECT_EQ(Check({{"If-Unmodified-Since", kSame}}), ConditionOutcome::kProceed);
}

TEST(PreconditionsTest, TagsWinOverDates) {
  EXPECT_EQ(Check({{"If-Match", "\"abc\""}, {"If-Unmodified-Since", kBefore}}),
            ConditionOutcome::kProceed);
  EXPECT_EQ(Check({{"If-None-Match", "\"x\""}, {"If-Modified-Since", kAfter}}),
            ConditionOutcome::kProceed);
  EXPECT_EQ(Check({{"If-Match", "\"x\""}, {"If-None-Match", "\"abc\""}}),
            ConditionOutcome::kFailed);
}

TEST(PreconditionsTest, RangesCountOnlyForTheStateThatIfRangeNames) {
  EXPECT_TRUE(RangeApplies({}, kInfo));
  EXPECT_TRUE(RangeApplies({{"If-Range", "\"abc\""}}, kInfo));
  EXPECT_FALSE(RangeApplies({{"If-Range", "\"x\""}}, kInfo));
  EXPECT_FALSE(RangeApplies({{"If-Range", "W/\"abc\""}}, kInfo));
  EXPECT_FALSE(RangeApplies({{"If-Range", "*"}}, kInfo));
  EXPECT_TRUE(RangeApplies({{"If-Range", kSame}}, kInfo));
  EXPECT_FALSE(RangeApplies({{"If-Range", kAfter}}, kInfo));
}

}  // namespace
}  // namespace frazil::serve::s3
