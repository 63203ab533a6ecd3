// SPDX-License-Identifier: Apache-2.0
#include "app/settings_reader.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/uuid.h"

namespace frazil::app {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

SettingTexts Required() {
  return {{"kafka", "127.0.0.1:9092"},
          {"registry", "http://127.0.0.1:8081"},
          {"topics", "orders"},
          {"data-dir", "d"}};
}

SettingTexts With(std::string name, std::string text) {
  SettingTexts texts = Required();
  texts[std::move(name)] = std::move(text);
  return texts;
}

class SettingsFileTest : public testing::Test {
 protected:
  ~SettingsFileTest() override { std::filesystem::remove(path_); }

  Result<SettingTexts> Read(std::string_view content) {
    std::ofstream(path_) << content;
    return ReadSettingsFile(path_);
  }

  const std::string path_ =
      std::filesystem::temp_directory_path() / (Uuid::Random().ToString() + ".yaml");
};

TEST(SettingsTest, DefaultsAreThoseOfTheTable) {
  const auto settings = MakeSettings({}, Required());
  ASSERT_TRUE(settings.ok()) << settings.error().message();
  EXPECT_EQ(settings->listen, "127.0.0.1:8181");
  EXPECT_EQ(settings->snapshot_backdate, milliseconds(2000));
  EXPECT_FALSE(settings->insecure);
  EXPECT_THAT(settings->topics, ElementsAre("orders"));
}

TEST(SettingsTest, FlagsWinOverTheFile) {
  SettingTexts file = With("listen", "127.0.0.1:1");
  file["threads"] = "3";
  const auto settings = MakeSettings(file, {{"listen", "127.0.0.1:2"}});
  ASSERT_TRUE(settings.ok()) << settings.error().message();
  EXPECT_EQ(settings->listen, "127.0.0.1:2");
  EXPECT_EQ(settings->threads, 3);
}

TEST(SettingsTest, UnitsAreRead) {
  EXPECT_EQ(MakeSettings({}, With("load-timeout", "2min"))->load_timeout, milliseconds(120000));
  EXPECT_EQ(MakeSettings({}, With("load-timeout", "1500"))->load_timeout, milliseconds(1500));
  EXPECT_EQ(MakeSettings({}, With("cache-bytes", "2GiB"))->cache_bytes, std::int64_t{2} << 30);
  EXPECT_THAT(MakeSettings({}, With("topics", " a, b ,,c"))->topics, ElementsAre("a", "b", "c"));
}

TEST(SettingsTest, WrongValuesAreRefusedWithNameAndBounds) {
  const struct {
    const char* name;
    const char* text;
    const char* said;
  } cases[] = {
      {"threads", "0", "between 1 and 256"},
      {"threads", "two", "whole number"},
      {"threads", "-1", "whole number"},
      {"threads", "4ms", "whole number"},
      {"load-timeout", "1h30", "ms, s, min or h"},
      {"load-timeout", "11min", "between 100ms and 600000ms"},
      {"cache-bytes", "99999999999999999999", "KiB, MiB or GiB"},
      {"cache-bytes", "9223372036854775807GiB", "KiB, MiB or GiB"},
      {"insecure", "yes", "true or false"},
      {"log-level", "loud", "debug|info|warn|error"},
      {"topics", "a b", "as a topic's name"},
      {"topics", "a,a", "twice"},
      {"topics", "", "topics is missing"},
      {"data-dir", "", "data-dir is missing"},
      {"kafak", "x", "did you mean kafka?"},
  };
  for (const auto& item : cases) {
    const auto settings = MakeSettings({}, With(item.name, item.text));
    ASSERT_FALSE(settings.ok()) << item.name << " " << item.text;
    EXPECT_THAT(settings.error().message(), HasSubstr(item.said));
    EXPECT_EQ(settings.error().code(), ErrorCode::kConfigInvalid);
  }
}

TEST_F(SettingsFileTest, ListsAndScalarsAreRead) {
  const auto texts = Read("topics: [a, b]\nthreads: 3\ninsecure: true\n");
  ASSERT_TRUE(texts.ok()) << texts.error().message();
  EXPECT_EQ(*texts, (SettingTexts{{"topics", "a,b"}, {"threads", "3"}, {"insecure", "true"}}));
  EXPECT_TRUE(Read("")->empty());
}

TEST_F(SettingsFileTest, AWrongFileIsRefusedWithItsLine) {
  const struct {
    const char* content;
    const char* said;
  } cases[] = {
      {"threads: 3\nkafak: x\n", "line 2: there is no setting kafak; did you mean kafka?"},
      {"threads: {a: 1}\n", "neither a text nor a list"},
      {"topics: [[a]]\n", "no text"},
      {"threads: 1\nthreads: 2\n", "stands twice"},
      {"- a\n", "is a map"},
      {"a: [", "cannot be read as YAML"},
  };
  for (const auto& item : cases) {
    const auto texts = Read(item.content);
    ASSERT_FALSE(texts.ok()) << item.content;
    EXPECT_THAT(texts.error().message(), HasSubstr(item.said));
    EXPECT_THAT(texts.error().message(), HasSubstr(path_));
  }
  EXPECT_THAT(ReadSettingsFile("/nonexistent/frazil.yaml").error().message(),
              HasSubstr("/nonexistent/frazil.yaml"));
}

}  // namespace
}  // namespace frazil::app
