// SPDX-License-Identifier: Apache-2.0
#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace frazil::cli {
namespace {

TEST(TextTableTest, WhatATerminalActsOnIsEscaped) {
  EXPECT_EQ(Escaped("orders"), "orders");
  EXPECT_EQ(Escaped("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(Escaped("a\x1b[2Jb\nc\td\x7f"), "a\\x1b[2Jb\\x0ac\\x09d\\x7f");
  EXPECT_EQ(Escaped("\xC2\x9B"), "\\x9b") << "a control character of eight bits";
  EXPECT_EQ(Escaped("\xE2\x80\xAE"), "\\u202e") << "writing from right to left";
  EXPECT_EQ(Escaped("\xFFz\xC3"), "\\xffz\\xc3") << "no UTF-8";
}

TEST(TextTableTest, ColumnsAreAligned) {
  TextTable table({"name", "n"});
  EXPECT_TRUE(table.empty());
  table.AddRow({"caf\xC3\xA9s", "1"});
  table.AddRow({"b", "22"});
  EXPECT_EQ(table.ToString("  "), "  name   n\n  caf\xC3\xA9s  1\n  b      22\n");
}

TEST(TextTableTest, TimesAndAges) {
  EXPECT_EQ(TimeText(0), "1970-01-01 00:00:00.000Z");
  EXPECT_EQ(TimeText(-1), "1969-12-31 23:59:59.999Z");
  EXPECT_EQ(TimeText(1709208000123), "2024-02-29 12:00:00.123Z");
  EXPECT_EQ(TimeText(253402300799999), "9999-12-31 23:59:59.999Z");
  EXPECT_EQ(TimeText(253402300800000), "253402300800000");
  EXPECT_EQ(AgeText(59'999), "59s");
  EXPECT_EQ(AgeText(125'000), "2m 5s");
  EXPECT_EQ(AgeText(7'260'000), "2h 1m");
  EXPECT_EQ(AgeText(90'000'000), "1d 1h");
  EXPECT_EQ(AgeText(-5), "0s");
}

}  // namespace
}  // namespace frazil::cli
