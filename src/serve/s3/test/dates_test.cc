// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/dates.h"

#include <gtest/gtest.h>

namespace frazil::serve::s3 {
namespace {

TEST(DatesTest, ReadsAndWritesKnownMoments) {
  constexpr UnixMillis kMoment(1369353600000);
  EXPECT_EQ(ParseBasicDate("20130524T000000Z"), kMoment);
  EXPECT_EQ(ParseHttpDate("Fri, 24 May 2013 00:00:00 GMT"), kMoment);
  EXPECT_EQ(FormatHttpDate(kMoment), "Fri, 24 May 2013 00:00:00 GMT");
  EXPECT_EQ(FormatIsoDate(kMoment), "2013-05-24T00:00:00.000Z");
  EXPECT_EQ(ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), UnixMillis(784111777000));
  EXPECT_EQ(FormatHttpDate(UnixMillis(784111777999)), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(FormatIsoDate(UnixMillis(784111777999)), "1994-11-06T08:49:37.999Z");
  EXPECT_EQ(FormatHttpDate(UnixMillis(-1)), "Wed, 31 Dec 1969 23:59:59 GMT");
}

TEST(DatesTest, ComesBackTheSame) {
  for (std::int64_t second = -100000; second < 4000000000; second += 12345677) {
    const UnixMillis moment(second * 1000);
    EXPECT_EQ(ParseHttpDate(FormatHttpDate(moment)), moment);
  }
}

TEST(DatesTest, RefusesOtherForms) {
  for (const char* text :
       {"", "20130524T000000", "2013-05-24T00:00:00Z", "20131324T000000Z", "20130532T000000Z",
        "20130229T000000Z", "20130524T240000Z", "2013052aT000000Z", "20130524t000000z"}) {
    EXPECT_EQ(ParseBasicDate(text), std::nullopt) << text;
  }
  for (const char* text : {"", "Fri, 24 May 2013 00:00:00 UTC", "Fri, 24 may 2013 00:00:00 GMT",
                           "Friday, 24-May-13 00:00:00 GMT", "Fri May 24 00:00:00 2013",
                           "Fri, 24 May 2013 25:00:00 GMT", "Fri, 4 May 2013 00:00:00 GMT"}) {
    EXPECT_EQ(ParseHttpDate(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace frazil::serve::s3
