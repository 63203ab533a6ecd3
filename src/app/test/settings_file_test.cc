// SPDX-License-Identifier: Apache-2.0
#include "app/settings_file.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/uuid.h"

namespace frazil::app {
namespace {

using testing::HasSubstr;

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

TEST_F(SettingsFileTest, ListsAndScalarsAreRead) {
  const auto texts = Read("topics: [a, '!b']\nthreads: 3\ninsecure: true\nregistry:\n");
  ASSERT_TRUE(texts.ok()) << texts.error().message();
  EXPECT_EQ(
      *texts,
      (SettingTexts{{"topics", "a,!b"}, {"threads", "3"}, {"insecure", "true"}, {"registry", ""}}));
  EXPECT_TRUE(Read("")->empty());
  EXPECT_TRUE(Read("# nothing\n")->empty());
}

TEST_F(SettingsFileTest, AWrongFileIsRefusedWithItsLine) {
  const struct {
    const char* content;
    const char* said;
  } cases[] = {
      {"threads: 3\nkafak: x\n", "line 2: there is no setting kafak; did you mean kafka?"},
      {"threads: 3\nkafak: [x]\n", "line 2: there is no setting kafak"},
      {"threads: {a: 1}\n", "neither a text nor a list"},
      {"\ntopics: [[a]]\n", "line 2: the list of topics holds something that is no text"},
      {"threads: 1\n\nthreads: 2\n", "line 3: the setting stands twice: threads"},
      {"insecure: true\nthreads: [3]\n", "line 2: the setting threads takes one value, not a list"},
      {"insecure: true\nthreads: many\n", "line 2: setting threads takes a whole number"},
      {"# x\nload-wait: 3d\n", "line 2: setting load-wait takes a whole number with ms, s"},
      {"insecure: yes\n", "line 1: setting insecure is true or false"},
      {"threads: 1\ntopics: !a\n", "line 2: a value of topics begins with '!'"},
      {"topics: [b, !a ]\n", "put it in quotes: !a"},
      {"- a\n", "is a map"},
      {"threads: 1\n---\nthreads: 2\n", "one YAML document"},
      {"threads: 1\na: [", "line 2: cannot be read as YAML"},
  };
  for (const auto& item : cases) {
    const auto texts = Read(item.content);
    ASSERT_FALSE(texts.ok()) << item.content;
    EXPECT_THAT(texts.error().message(), HasSubstr(item.said));
    EXPECT_THAT(texts.error().message(), HasSubstr(path_));
    EXPECT_EQ(texts.error().code(), ErrorCode::kConfigInvalid);
  }
  EXPECT_THAT(ReadSettingsFile("/nonexistent/frazil.yaml").error().message(),
              HasSubstr("/nonexistent/frazil.yaml"));
}

TEST_F(SettingsFileTest, DeepNestingIsRefused) {
  EXPECT_FALSE(Read("topics: " + std::string(100'000, '[')).ok());
}

}  // namespace
}  // namespace frazil::app
