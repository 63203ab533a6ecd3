// SPDX-License-Identifier: Apache-2.0
#include "kafka/client/answer_buffers.h"

#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace frazil::kafka {
namespace {

constexpr std::size_t kMiB = 1U << 20;

TEST(AnswerBuffers, LargeOnesAreUsedAgain) {
  AnswerBuffers buffers(16 * kMiB);
  auto first = buffers.Take(8 * kMiB);
  const std::uint8_t* const place = first.get();
  first.reset();
  EXPECT_EQ(buffers.Take(8 * kMiB - 100).get(), place) << "about the same size";
  EXPECT_EQ(buffers.Take(3 * kMiB).get(), place) << "smaller";
  EXPECT_NE(buffers.Take(kMiB).get(), place) << "so much smaller that it would be waste";
}

TEST(AnswerBuffers, WhatIsInUseIsNotGivenAway) {
  AnswerBuffers buffers(64 * kMiB);
  std::set<const std::uint8_t*> places;
  std::vector<std::shared_ptr<std::uint8_t[]>> taken;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5; ++i) {
      taken.push_back(buffers.Take(2 * kMiB));
      std::memset(taken.back().get(), i, 2 * kMiB);
      places.insert(taken.back().get());
    }
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(taken[i][kMiB], i);
    taken.clear();
  }
  EXPECT_EQ(places.size(), 5U);
}

TEST(AnswerBuffers, NoMoreIsKeptThanMayBe) {
  AnswerBuffers buffers(4 * kMiB);
  std::vector<std::shared_ptr<std::uint8_t[]>> taken;
  taken.reserve(4);
  for (int i = 0; i < 4; ++i) taken.push_back(buffers.Take(2 * kMiB));
  const std::set<const std::uint8_t*> last{taken[2].get(), taken[3].get()};
  for (auto& buffer : taken) buffer.reset();
  taken[0] = buffers.Take(2 * kMiB);
  taken[1] = buffers.Take(2 * kMiB);
  EXPECT_EQ((std::set<const std::uint8_t*>{taken[0].get(), taken[1].get()}), last);
  // Larger than all that may be kept.
  auto huge = buffers.Take(9 * kMiB);
  std::memset(huge.get(), 1, 9 * kMiB);
}

TEST(AnswerBuffers, OwnersMayOutliveThemOnAnyThread) {
  std::vector<std::shared_ptr<std::uint8_t[]>> taken;
  {
    AnswerBuffers buffers(4 * kMiB);
    for (int i = 0; i < 8; ++i) taken.push_back(buffers.Take(kMiB + 1));
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&buffers, buffer = std::move(taken[static_cast<std::size_t>(i)])] {
        for (int k = 0; k < 50; ++k) buffers.Take(kMiB)[0] = 1;
      });
    }
    taken.erase(taken.begin(), taken.begin() + 4);
  }
  for (const auto& buffer : taken) std::memset(buffer.get(), 2, kMiB + 1);
}

TEST(AnswerBuffers, SmallOnesHaveTheirSize) {
  AnswerBuffers buffers(kMiB);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{70'000}}) {
    const auto buffer = buffers.Take(size);
    std::memset(buffer.get(), 3, size);
  }
}

}  // namespace
}  // namespace frazil::kafka
