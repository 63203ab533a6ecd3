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
        {"pages", "ee119a8b74055e89827c06ab1c3fa2a6c86274e0f6e9d4e5689cdab15c5394d3"},
        {"repeats", "3aac88be6c15b6588859042d9c663e472a5636209187fac4c2f06dc14e074928"},
        {"repeats_in_lists", "68ae359ffd53615c398620c2f64f4a1c9f95c02a1353b5112c6540a76fca0130"}},
       "4d7ace997beddc41f14b0a0e12883568cf15e0bd77edfaa73ad926316d2460b1"},
      {2,
       {{"types", "adb88d0b5ff1c48a7d8e21c8f2732351bb80b45c75e38e5dff155c50b206703f"},
        {"nested", "067478c54f4c08837db0f76cb51e8223f67e09683eca49b4660fde0c5f4fae39"},
        {"kafka", "a0d1772bd7e35f76a761f1ec10fd94fd04fc7cc266857ff1b18433b9adffd737"},
        {"empty", "56982d183657c2518839f9a4b2e088b8179056fb3aebe2666c7092235042a7c5"},
        {"pages", "30d93f065bd4f8735efbd65b6ad0204180f10d008da8a0f3c521387216a75bb7"},
        {"repeats", "f6b3728f9ba72ff55352aa495fb701edfa32f13f195d6825c1ddbe72b0ae8af9"},
        {"repeats_in_lists", "8d3660c37e44d17418a0763257e696797fdedfa3e1cbb91359cedeb4ce947ba7"}},
       "bd79c31ca68b79d0c8ccdd9febfa4ee8ab4da9d586e9fbc18fb2d67fd4f50594"},
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
