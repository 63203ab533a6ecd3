// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frazil::cli {
namespace {

using testing::HasSubstr;

Result<CommandLine> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "frazil");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommandLineTest, ServeTakesSettingsAsFlags) {
  const auto line = Parse({"serve", "--kafka", "a:1,b:2", "--insecure", "--config=c.yaml"});
  ASSERT_TRUE(line.ok()) << line.error().message();
  EXPECT_EQ(line->command, Command::kServe);
  EXPECT_EQ(line->config, "c.yaml");
  EXPECT_EQ(line->flags, (app::SettingTexts{{"kafka", "a:1,b:2"}, {"insecure", "true"}}));
}

TEST(CommandLineTest, AFlagThatIsNotGivenIsNoSetting) {
  const auto line = Parse({"serve"});
  ASSERT_TRUE(line.ok()) << line.error().message();
  EXPECT_TRUE(line->flags.empty());
}

TEST(CommandLineTest, AnUnknownFlagIsAnsweredWithTheNearest) {
  const auto line = Parse({"serve", "--kafak", "a:1"});
  ASSERT_FALSE(line.ok());
  EXPECT_THAT(line.error().message(), HasSubstr("no flag --kafak; did you mean kafka?"));
  EXPECT_EQ(line.error().row().exit_code, 2);
  EXPECT_THAT(Parse({"serve", "--s3-listn=x"}).error().message(), HasSubstr("s3-listen"));
}

TEST(CommandLineTest, AFlagWithoutItsValueIsRefused) {
  const auto line = Parse({"serve", "--kafka"});
  ASSERT_FALSE(line.ok());
  EXPECT_THAT(line.error().message(), HasSubstr("--kafka"));
}

TEST(CommandLineTest, UnknownCommandsAndArgumentsAreRefused) {
  EXPECT_THAT(Parse({"srve"}).error().message(), HasSubstr("srve"));
  EXPECT_THAT(Parse({"serve", "orders"}).error().message(), HasSubstr("orders"));
}

TEST(CommandLineTest, AMistypedCommandIsAnsweredWithTheNearest) {
  EXPECT_THAT(Parse({"tabels"}).error().message(), HasSubstr("did you mean tables?"));
  EXPECT_THAT(Parse({"desribe", "speed.orders"}).error().message(), HasSubstr("describe?"));
  EXPECT_THAT(Parse({"help", "staus"}).error().message(), HasSubstr("did you mean status?"));
  EXPECT_EQ(Parse({"tabels"}).error().row().exit_code, 2);
}

TEST(CommandLineTest, CommandsThatAskAServerTakeItsUrlAndAForm) {
  const auto line = Parse({"describe", "speed.a.b", "--server", "http://x:1", "--output=json"});
  ASSERT_TRUE(line.ok()) << line.error().message();
  EXPECT_EQ(line->command, Command::kDescribe);
  EXPECT_EQ(line->table, "speed.a.b");
  EXPECT_EQ(line->server, "http://x:1");
  EXPECT_EQ(line->output, "json");
  EXPECT_EQ(Parse({"topics"})->output, "table");
  EXPECT_EQ(Parse({"topics"})->server, "");
  EXPECT_EQ(Parse({"tables"})->command, Command::kTables);
  EXPECT_EQ(Parse({"status"})->command, Command::kStatus);
}

TEST(CommandLineTest, AMisusedCommandSaysWhereHelpIs) {
  EXPECT_THAT(Parse({"describe"}).error().message(), HasSubstr("frazil describe --help"));
  EXPECT_THAT(Parse({"status", "--output", "xml"}).error().message(), HasSubstr("json"));
  EXPECT_THAT(Parse({"topics", "extra"}).error().message(), HasSubstr("frazil topics --help"));
  EXPECT_THAT(Parse({"--nothing"}).error().message(), HasSubstr("no flag --nothing"));
}

TEST(CommandLineTest, HelpIsACommandToo) {
  EXPECT_EQ(Parse({"help"})->help, Parse({"--help"})->help);
  EXPECT_EQ(Parse({"help", "describe"})->help, Parse({"describe", "--help"})->help);
  EXPECT_THAT(Parse({"help", "describe"})->help, HasSubstr("--server"));
}

TEST(CommandLineTest, TheVersionIsACommandAndAFlag) {
  EXPECT_EQ(Parse({"version"})->command, Command::kVersion);
  EXPECT_EQ(Parse({"--version"})->command, Command::kVersion);
}

TEST(CommandLineTest, HelpNamesEverySetting) {
  EXPECT_THAT(Parse({})->help, HasSubstr("serve"));
  const auto line = Parse({"serve", "--help"});
  ASSERT_TRUE(line.ok());
  for (const app::SettingRow& row : app::SettingTable()) {
    EXPECT_THAT(line->help, HasSubstr("--" + std::string(row.name)));
  }
}

}  // namespace
}  // namespace frazil::cli
