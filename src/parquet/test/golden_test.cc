// SPDX-License-Identifier: Apache-2.0
// The same columns give the same bytes, for ever (R4). When a hash differs, bytes have changed that
// clients may have cached: see this module's README before touching the table below.
#include <clocale>
#include <cstdlib>
#include <ctime>
#include <locale>
#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "base/sha256.h"
#include "parquet/chunk_encoder.h"
#include "parquet/test/random_batches.h"
#include "parquet/test/sample_batches.h"

namespace frazil::parquet {
namespace {

struct Golden {
  int version;
  std::map<std::string, std::string> samples;
  // The sample of several pages in four batches, one of them empty.
  std::string groups;
};

const std::vector<Golden>& GoldenHashes() {
  static const std::vector<Golden> kHashes = {
      {1,
       {{"types", "616d92efab9fad82f22adc9225d729c0ba2b3e6e65e873f39374cb0dc689572a"},
        {"nested", "53dd7c46b07aaba771fd8de1bba389911d5ea1e21586ddad9c82d5f2ac1bef44"},
        {"kafka", "e9982a1b417319ea1cf6ff3a082c6a173a7c8b8270f64baac22cb01d410032d2"},
        {"empty", "17a4373d23f88634bd47492aa47633b788088e2a575cb98786a53a50e6c341b9"},
        {"pages", "ee119a8b74055e89827c06ab1c3fa2a6c86274e0f6e9d4e5689cdab15c5394d3"}},
       "4d7ace997beddc41f14b0a0e12883568cf15e0bd77edfaa73ad926316d2460b1"},
      {2,
       {{"types", "bc2a138dc454994c501739a8e87a63c0851c84fd4c2388c6c40bb78e1729775f"},
        {"nested", "b18a32825b0f2e2f26aceed05f935e414e6911c16b7eac39b7072f7d6f6984ae"},
        {"kafka", "b2db71f60d54d16b1f83cfd5c92349f95b93f333c9218d7b3226542d7726de06"},
        {"empty", "56982d183657c2518839f9a4b2e088b8179056fb3aebe2666c7092235042a7c5"},
        {"pages", "3b42a1191c5059cd9f85441f0975a92459bc93ed4ec3bbd5a955990e196de856"}},
       "ef5f9f16bd76d4847583b17eb5c8e8bf39d8b977c28986960f4d4af93ed832ee"},
  };
  return kHashes;
}

std::string HashOf(const Result<EncodedChunk>& chunk) {
  EXPECT_TRUE(chunk.ok()) << chunk.error().ToString();
  return chunk.ok() ? HexEncode(Sha256(chunk->file)) : "";
}

void ExpectGoldenHashes() {
  const auto samples = FixedSamples();
  EXPECT_EQ(GoldenHashes().size(), static_cast<std::size_t>(kEncoderVersion));
  for (const Golden& golden : GoldenHashes()) {
    EXPECT_EQ(samples.size(), golden.samples.size());
    for (const Sample& sample : samples) {
      EXPECT_EQ(HashOf(EncodeChunk(*sample.batch, sample.schema, golden.version)),
                golden.samples.at(sample.name))
          << "version " << golden.version << ", " << sample.name;
    }
    EXPECT_EQ(HashOf(EncodeInGroups(samples.at(4), {1, 29'999, 0, 20'000}, golden.version)),
              golden.groups)
        << "version " << golden.version;
  }
}

TEST(GoldenTest, FilesHaveTheirHashes) { ExpectGoldenHashes(); }

// Decimal comma, thousands apart.
class ForeignNumbers : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(GoldenTest, LocaleAndTimeZoneChangeNothing) {
  const auto before = std::locale::global(std::locale(std::locale(), new ForeignNumbers));
  const char* const zone = std::getenv("TZ");
  const std::string zone_before = zone == nullptr ? "" : zone;
  for (const char* other : {"America/St_Johns", "Asia/Kathmandu"}) {
    ASSERT_EQ(setenv("TZ", other, 1), 0);
    tzset();
    for (const char* name : {"de_DE.UTF-8", "tr_TR.UTF-8", "C"}) {
      std::setlocale(LC_ALL, name);  // where the system has it
      ExpectGoldenHashes();
    }
  }
  if (zone == nullptr) {
    unsetenv("TZ");
  } else {
    setenv("TZ", zone_before.c_str(), 1);
  }
  tzset();
  std::locale::global(before);
}

TEST(GoldenTest, TwoThreadsAtOnceGiveTheSameBytes) {
  std::jthread first(ExpectGoldenHashes);
  std::jthread second(ExpectGoldenHashes);
}

}  // namespace
}  // namespace frazil::parquet
