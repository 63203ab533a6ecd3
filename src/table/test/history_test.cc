// SPDX-License-Identifier: Apache-2.0
// A day of loads: what is listed stays short, and what left the list still resolves.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "table/test/table_fixture.h"

namespace frazil::table {
namespace {

using std::chrono::milliseconds;
using testing::SizeIs;

constexpr std::int64_t kDay = 24LL * 3600 * 1000;

using HistoryTest = TableFixture;

// R12: every path that a state led to gives the same bytes for a day after the state was shown.
TEST_F(HistoryTest, R12_EveryPathOfADayResolvesAndOlderOnesGo) {
  options_.history_snapshots = 20;
  options_.policy_cache = milliseconds(0);
  Restart();
  // A state each half hour.
  std::map<std::string, Sha256Digest> shown;
  std::vector<std::pair<std::int64_t, std::map<std::string, Sha256Digest>>> by_time;
  for (int i = 0; i < 120; ++i) {
    clock_.now = clock_.now + kDay / 48;
    Produce(0, i);
    const auto loaded = Load();
    ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
    if (i % 10 == 5) by_time.emplace_back(clock_.now.load().value(), Everything(*loaded));
  }
  const auto topic = process_->ledger->FindTopic("orders");
  const auto table = process_->ledger->FindTable((*topic)->key, "speed");
  while (*process_->ledger->Purge((*table)->key, options_.history_retention) > 0) {
  }
  for (const int restarts : {0, 1}) {
    if (restarts > 0) Restart();
    for (const auto& [time, objects] : by_time) {
      if (clock_.now.load().value() - time > kDay - kDay / 48) continue;
      for (const auto& [url, hash] : objects) {
        const auto bytes = Read(url);
        ASSERT_TRUE(bytes.ok()) << url << " " << bytes.error().ToString();
        EXPECT_EQ(Sha256(*bytes), hash) << url;
      }
    }
  }
}

std::int64_t NumberOf(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoll(text);
}

// Enough to reach the 500.
constexpr std::int64_t kLoadsOfADay = kInstrumented ? 1'000 : 20'000;

// make torture says how many loads, and over how long: 360,000 over an hour.
TEST_F(HistoryTest, ManyLoadsListFiveHundredSnapshotsAndEveryRecord) {
  options_.schema_cache = milliseconds(1000);
  Restart();
  const std::int64_t loads = NumberOf("FRAZIL_HISTORY_LOADS", kLoadsOfADay);
  const std::int64_t span = NumberOf("FRAZIL_HISTORY_MILLISECONDS", kDay);
  std::int64_t produced = 0;
  std::size_t most_listed = 0;
  for (std::int64_t i = 0; i < loads; ++i) {
    clock_.now = clock_.now + span / loads;
    Produce(static_cast<int>(i % 2), i);
    ++produced;
    const auto loaded = Load(SnapshotSelection::kReferenced);
    ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
    const std::string& json = *loaded->metadata_json;
    ASSERT_NE(json.find("\"total-records\":\"" + std::to_string(produced) + "\""), json.npos)
        << "load " << i;
    if (i % 500 == 499) {
      const Json metadata = LoadJson();
      most_listed = std::max(most_listed, metadata["snapshots"].size());
      EXPECT_EQ(Records(Files(metadata["snapshots"].back())), produced);
      EXPECT_LE(Files(metadata["snapshots"].back()).size(), 24U);
      EXPECT_LE(Manifests(metadata["snapshots"].back()).size(), 12U);
    }
  }
  EXPECT_EQ(most_listed, 500U);
}

}  // namespace
}  // namespace frazil::table
