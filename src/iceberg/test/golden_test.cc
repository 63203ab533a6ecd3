// SPDX-License-Identifier: Apache-2.0
// Bytes that clients have been handed must come out the same for ever.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "iceberg/test/samples.h"

namespace frazil::iceberg::test {
namespace {

TEST(Golden, SamplesAreByteForByteTheFilesInTestdata) {
  for (const SampleFile& sample : SampleFiles()) {
    std::ifstream file(FRAZIL_TESTDATA "/" + sample.name, std::ios::binary);
    ASSERT_TRUE(file.good()) << sample.name;
    const std::string expected{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(AsText(sample.content) == expected) << sample.name << " differs";
  }
}

TEST(Golden, SamplesAreTheSameWhenMadeAgain) {
  const auto first = SampleFiles();
  const auto second = SampleFiles();
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].content, second[i].content) << first[i].name;
  }
}

}  // namespace
}  // namespace frazil::iceberg::test
