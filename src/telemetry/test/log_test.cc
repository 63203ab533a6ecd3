// SPDX-License-Identifier: Apache-2.0
#include "telemetry/log.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace frazil::telemetry {
namespace {

struct Lines {
  std::vector<std::string> lines;
  std::unique_ptr<Logger> Make(LogLevel level, LogFormat format) {
    return MakeLogger(level, format, [this](std::string_view line) { lines.emplace_back(line); });
  }
};

std::string WithoutTime(const std::string& line) { return line.substr(line.find(' ') + 1); }

TEST(LogTest, TextLineHasTimeLevelNameAndFields) {
  Lines sink;
  const auto logger = sink.Make(LogLevel::kInfo, LogFormat::kText);
  logger->Event(LogLevel::kInfo, "listener_started",
                {{"address", "127.0.0.1:8181"}, {"threads", 8}, {"share", 0.5}, {"tls", false}});
  ASSERT_EQ(sink.lines.size(), 1U);
  EXPECT_THAT(sink.lines[0],
              testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
                                    "\\.[0-9]{3}Z info .*\n"));
  EXPECT_EQ(WithoutTime(sink.lines[0]),
            "info listener_started address=127.0.0.1:8181 threads=8 share=0.5 tls=false\n");
}

TEST(LogTest, JsonLineIsOneObject) {
  Lines sink;
  const auto logger = sink.Make(LogLevel::kDebug, LogFormat::kJson);
  logger->Event(
      LogLevel::kWarn, "http_refused",
      {{"text", "a \"b\" \\ c"}, {"number", std::int64_t{-5}}, {"share", 1.25}, {"yes", true}});
  const auto parsed = nlohmann::json::parse(sink.lines.at(0));
  EXPECT_EQ(parsed["level"], "warn");
  EXPECT_EQ(parsed["event"], "http_refused");
  EXPECT_EQ(parsed["text"], "a \"b\" \\ c");
  EXPECT_EQ(parsed["number"], -5);
  EXPECT_EQ(parsed["share"], 1.25);
  EXPECT_EQ(parsed["yes"], true);
}

TEST(LogTest, LevelsBelowTheThresholdAreDropped) {
  Lines sink;
  const auto logger = sink.Make(LogLevel::kWarn, LogFormat::kText);
  EXPECT_FALSE(logger->Enabled(LogLevel::kInfo));
  EXPECT_TRUE(logger->Enabled(LogLevel::kError));
  logger->Event(LogLevel::kInfo, "quiet", {});
  logger->Event(LogLevel::kError, "loud", {});
  ASSERT_EQ(sink.lines.size(), 1U);
  EXPECT_EQ(WithoutTime(sink.lines[0]), "error loud\n");
}

TEST(LogTest, ValuesAreQuotedWhenTheyCouldBeMisread) {
  Lines sink;
  const auto logger = sink.Make(LogLevel::kInfo, LogFormat::kText);
  logger->Event(
      LogLevel::kInfo, "event",
      {{"a", ""}, {"b", "x y"}, {"c", "k=v"}, {"d", "say \"hi\"\\"}, {"e", "caf\xC3\xA9"}});
  EXPECT_EQ(WithoutTime(sink.lines[0]),
            "info event a=\"\" b=\"x y\" c=\"k=v\" d=\"say \\\"hi\\\"\\\\\" e=\"caf\xC3\xA9\"\n");
}

TEST(LogTest, TextEscapesControlsSeparatorsAndBrokenUtf8) {
  Lines sink;
  const auto logger = sink.Make(LogLevel::kInfo, LogFormat::kText);
  logger->Event(LogLevel::kInfo, "event", {{"a", "x\ny\r\x1b[2J\x7f"}});
  logger->Event(LogLevel::kInfo, "event", {{"a", "\xE2\x80\xA8 \xC2\x85 \xE2\x80\xAE"}});
  logger->Event(LogLevel::kInfo, "event", {{"a", "\xFF \xC0\x80 \xED\xA0\x80 \xE2\x82"}});
  EXPECT_EQ(WithoutTime(sink.lines[0]), "info event a=\"x\\ny\\u000d\\u001b[2J\\u007f\"\n");
  EXPECT_EQ(WithoutTime(sink.lines[1]), "info event a=\"\\u2028 \\u0085 \\u202e\"\n");
  EXPECT_EQ(WithoutTime(sink.lines[2]),
            "info event a=\"\\xff \\xc0\\x80 \\xed\\xa0\\x80 \\xe2\\x82\"\n");
}

TEST(LogTest, NoByteInAnyPlaceBreaksALine) {
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    for (int byte = 0; byte < 256; ++byte) {
      Lines sink;
      const auto logger = sink.Make(LogLevel::kInfo, format);
      const std::string hostile = {'a', static_cast<char>(byte), 'b'};
      logger->Event(LogLevel::kInfo, hostile, {{hostile, hostile}, {"end", 1}});
      const std::string& line = sink.lines.at(0);
      EXPECT_EQ(line.find('\n'), line.size() - 1) << byte;
      for (const char c : line.substr(0, line.size() - 1)) {
        EXPECT_GE(static_cast<unsigned char>(c), 0x20U) << byte;
      }
      if (format == LogFormat::kJson) {
        EXPECT_TRUE(nlohmann::json::accept(line)) << byte << ": " << line;
      }
    }
  }
}

TEST(LogTest, LongValuesAreCut) {
  Lines sink;
  const auto logger = sink.Make(LogLevel::kInfo, LogFormat::kJson);
  logger->Event(LogLevel::kInfo, "event", {{"a", std::string(1 << 20, 'x')}});
  EXPECT_LT(sink.lines[0].size(), 5000U);
  const std::string value = nlohmann::json::parse(sink.lines[0])["a"];
  EXPECT_TRUE(value.ends_with("x..."));
}

TEST(LogTest, NumbersThatJsonLacksAreStrings) {
  Lines sink;
  const auto logger = sink.Make(LogLevel::kInfo, LogFormat::kJson);
  logger->Event(LogLevel::kInfo, "event",
                {{"a", std::numeric_limits<double>::quiet_NaN()},
                 {"b", -std::numeric_limits<double>::infinity()}});
  const auto parsed = nlohmann::json::parse(sink.lines[0]);
  EXPECT_EQ(parsed["a"], "NaN");
  EXPECT_EQ(parsed["b"], "-Infinity");
}

TEST(LogTest, AThrowingSinkIsNoFaultOfTheCaller) {
  const auto logger = MakeLogger(LogLevel::kInfo, LogFormat::kText,
                                 [](std::string_view) { throw std::runtime_error("full"); });
  EXPECT_NO_THROW(logger->Event(LogLevel::kInfo, "event", {}));
}

TEST(LogTest, LinesOfSeveralThreadsDoNotMix) {
  Lines sink;
  const auto logger = sink.Make(LogLevel::kInfo, LogFormat::kText);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) logger->Event(LogLevel::kInfo, "event", {{"i", i}});
      });
    }
  }
  EXPECT_EQ(sink.lines.size(), 800U);
  for (const std::string& line : sink.lines) EXPECT_EQ(line.find('\n'), line.size() - 1);
}

}  // namespace
}  // namespace frazil::telemetry
