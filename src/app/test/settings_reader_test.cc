// SPDX-License-Identifier: Apache-2.0
#include "app/settings_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
      {"aliases", "orders", "TOPIC=NAME"},
      {"history-retention", "1s", "between 60000ms"},
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

TEST(SettingsTest, OnlyKafkaAndTheDataFolderAreRequired) {
  const auto settings = MakeSettings({}, {{"kafka", "a:1"}, {"data-dir", "d"}});
  ASSERT_TRUE(settings.ok()) << settings.error().message();
  EXPECT_TRUE(settings->topics.empty());
  EXPECT_TRUE(settings->registry.empty());
  EXPECT_EQ(MakeSettings({}, {{"data-dir", "d"}}).error().row().exit_code, 78);
}

TEST(SettingsTest, NamesThatDifferByCaseOnlyNeedAnAlias) {
  SettingTexts texts = With("topics", "orders,Orders");
  const auto refused = MakeSettings({}, texts);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("setting aliases"));
  texts["aliases"] = "Orders=capital_orders";
  EXPECT_TRUE(MakeSettings({}, texts).ok());
}

}  // namespace
}  // namespace frazil::app
