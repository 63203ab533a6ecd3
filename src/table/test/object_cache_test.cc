// SPDX-License-Identifier: Apache-2.0
#include "table/object_cache.h"

#include <atomic>
#include <chrono>
#include <future>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frazil::table {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr std::size_t kBudget = 1000;

Deadline Soon() { return Deadline::After(milliseconds(5000)); }
Deadline AtOnce() { return Deadline::After(milliseconds(0)); }

SharedBytes BytesOf(std::size_t size) { return std::make_shared<const Bytes>(size); }

TEST(ObjectCacheTest, TheLeastRecentlyUsedLeavesFirst) {
  telemetry::Metrics metrics;
  MemoryBudget budget(kBudget);
  ObjectCache cache(100, 1, budget, metrics);
  int made = 0;
  const auto get = [&](const std::string& key) {
    return cache.GetOrMake(key, ObjectCache::Cost::kCheap,
                           [&]() -> Result<SharedBytes> {
                             ++made;
                             return BytesOf(40);
                           },
                           Soon(), {});
  };
  ASSERT_TRUE(get("a").ok());
  ASSERT_TRUE(get("b").ok());
  ASSERT_TRUE(get("a").ok());
  EXPECT_EQ(made, 2);
  ASSERT_TRUE(get("c").ok());
  ASSERT_TRUE(get("a").ok());
  EXPECT_EQ(made, 3) << "b left, not a";
  ASSERT_TRUE(get("b").ok());
  EXPECT_EQ(made, 4);
  EXPECT_THAT(metrics.Expose(), HasSubstr("frazil_object_cache_bytes 80"));
}

TEST(ObjectCacheTest, WhatIsLargerThanTheCacheIsNotKept) {
  telemetry::Metrics metrics;
  MemoryBudget budget(kBudget);
  ObjectCache cache(100, 1, budget, metrics);
  cache.Put("small", BytesOf(60));
  cache.Put("large", BytesOf(101));
  EXPECT_THAT(metrics.Expose(), HasSubstr("frazil_object_cache_bytes 60"));
}

TEST(ObjectCacheTest, AKeyIsMadeOnceWhileOthersWait) {
  telemetry::Metrics metrics;
  MemoryBudget budget(kBudget);
  ObjectCache cache(1000, 4, budget, metrics);
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto bytes = cache.GetOrMake("a", ObjectCache::Cost::kHigh,
                                         [&]() -> Result<SharedBytes> {
                                           ++made;
                                           std::this_thread::sleep_for(milliseconds(20));
                                           return BytesOf(10);
                                         },
                                         Soon(), {});
      EXPECT_EQ((*bytes)->size(), 10U);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST(ObjectCacheTest, CostlyFilesWaitForATurnAndCheapOnesDoNot) {
  telemetry::Metrics metrics;
  MemoryBudget budget(kBudget);
  ObjectCache cache(1000, 1, budget, metrics);
  std::atomic<bool> running = false;
  std::atomic<bool> release = false;
  std::thread maker([&] {
    IgnoreError(cache.GetOrMake("a", ObjectCache::Cost::kHigh,
                                [&]() -> Result<SharedBytes> {
                                  running = true;
                                  while (!release) std::this_thread::yield();
                                  return BytesOf(10);
                                },
                                Soon(), {}));
  });
  while (!running) std::this_thread::yield();
  const auto make = []() -> Result<SharedBytes> { return BytesOf(10); };
  EXPECT_TRUE(cache.GetOrMake("m", ObjectCache::Cost::kCheap, make, Soon(), {}).ok());
  EXPECT_EQ(
      cache.GetOrMake("b", ObjectCache::Cost::kHigh, make, Deadline::After(milliseconds(20)), {})
          .error()
          .code(),
      ErrorCode::kDeadlineExceeded);
  release = true;
  maker.join();
  EXPECT_TRUE(cache.GetOrMake("b", ObjectCache::Cost::kHigh, make, Soon(), {}).ok());
}

TEST(ObjectCacheTest, AnExceptionLeavesTheKeyFree) {
  telemetry::Metrics metrics;
  MemoryBudget budget(kBudget);
  ObjectCache cache(1000, 1, budget, metrics);
  const auto fail = []() -> Result<SharedBytes> { throw std::bad_alloc(); };
  const auto make = []() -> Result<SharedBytes> { return BytesOf(1); };
  EXPECT_EQ(cache.GetOrMake("a", ObjectCache::Cost::kHigh, fail, Soon(), {}).error().code(),
            ErrorCode::kResourceExhausted);
  EXPECT_TRUE(cache.GetOrMake("a", ObjectCache::Cost::kHigh, make, Soon(), {}).ok());
}

TEST(ObjectCacheTest, AFailureIsNotKept) {
  telemetry::Metrics metrics;
  MemoryBudget budget(kBudget);
  ObjectCache cache(1000, 1, budget, metrics);
  const auto fail = []() -> Result<SharedBytes> { return Error(ErrorCode::kRecordsGone, "gone"); };
  const auto make = []() -> Result<SharedBytes> { return BytesOf(1); };
  EXPECT_FALSE(cache.GetOrMake("a", ObjectCache::Cost::kHigh, fail, Soon(), {}).ok());
  EXPECT_TRUE(cache.GetOrMake("a", ObjectCache::Cost::kHigh, make, Soon(), {}).ok());
}

// A file of `size` bytes that the budget counts.
Result<SharedBytes> Counted(MemoryBudget& budget, std::size_t size, Deadline deadline = Soon()) {
  FRAZIL_ASSIGN_OR_RETURN(MemoryLease lease, budget.Acquire(size, deadline, {}));
  return MakeShared(Bytes(size), std::move(lease));
}

TEST(MakeSharedTest, BytesAreCountedAsLongAsAnybodyHoldsThem) {
  MemoryBudget budget(kBudget);
  auto lease = budget.Acquire(500, Soon(), {});
  ASSERT_TRUE(lease.ok());
  Bytes bytes(100, 7);
  const std::uint8_t* const data = bytes.data();
  SharedBytes first = MakeShared(std::move(bytes), *std::move(lease));
  EXPECT_EQ(first->data(), data) << "not copied";
  EXPECT_EQ(budget.held(), 100U) << "what was needed to make it is given back";
  SharedBytes second = first;
  first.reset();
  EXPECT_EQ(budget.held(), 100U);
  second.reset();
  EXPECT_EQ(budget.held(), 0U);
}

class CacheAndBudgetTest : public testing::Test {
 protected:
  Result<SharedBytes> Get(const std::string& key, std::size_t size, Deadline deadline = Soon()) {
    return cache_->GetOrMake(key, ObjectCache::Cost::kHigh,
                             [&] {
                               ++made_;
                               return Counted(budget_, size, deadline);
                             },
                             Soon(), {});
  }

  telemetry::Metrics metrics_;
  MemoryBudget budget_{kBudget};
  std::optional<ObjectCache> cache_{std::in_place, 2000, 4, budget_, metrics_};
  int made_ = 0;
};

TEST_F(CacheAndBudgetTest, CacheAndAnswersCountAFileOnce) {
  const auto first = Get("a", 400);
  const auto second = Get("a", 400);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(budget_.held(), 400U);
  EXPECT_THAT(metrics_.Expose(), HasSubstr("frazil_memory_held_bytes 400"));
}

TEST_F(CacheAndBudgetTest, WhatNobodyReadsGivesWayTheLeastRecentlyUsedFirst) {
  ASSERT_TRUE(Get("a", 400).ok());
  ASSERT_TRUE(Get("b", 400).ok());
  ASSERT_TRUE(Get("a", 400).ok());
  ASSERT_TRUE(Get("c", 400, AtOnce()).ok());
  EXPECT_EQ(budget_.held(), 800U);
  EXPECT_EQ(made_, 3);
  ASSERT_TRUE(Get("a", 400).ok());
  EXPECT_EQ(made_, 3) << "b left, not a";
}

TEST_F(CacheAndBudgetTest, WorkWaitsForAnswersOnTheirWay) {
  auto answer = Get("a", 800);
  ASSERT_TRUE(answer.ok());
  const auto refused = Get("b", 400, Deadline::After(milliseconds(5)));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kResourceExhausted);
  auto waiting = std::async(std::launch::async, [&] { return Get("b", 400); });
  while (budget_.waiting() == 0) std::this_thread::yield();
  EXPECT_THAT(metrics_.Expose(), HasSubstr("frazil_memory_waiters 1"));
  answer = Error(ErrorCode::kCancelled, "sent");
  EXPECT_TRUE(waiting.get().ok()) << "the cache let go of it before, so that sending frees it";
  EXPECT_EQ(budget_.held(), 400U);
}

TEST_F(CacheAndBudgetTest, WhatOnlyAnAnswerHoldsIsFoundAndNotMadeTwice) {
  auto answer = Get("a", 800);
  ASSERT_TRUE(answer.ok());
  ASSERT_FALSE(Get("b", 400, AtOnce()).ok());
  EXPECT_THAT(metrics_.Expose(), HasSubstr("frazil_object_cache_bytes 0"));
  const auto again = Get("a", 800);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *answer);
  EXPECT_EQ(made_, 2);
  EXPECT_EQ(budget_.held(), 800U);
}

TEST_F(CacheAndBudgetTest, AFileLargerThanTheBudgetIsMadeAlone) {
  ASSERT_TRUE(Get("a", 400).ok());
  ASSERT_TRUE(Get("b", 1500, AtOnce()).ok()) << "a gave way";
  EXPECT_THAT(metrics_.Expose(), HasSubstr("frazil_object_cache_bytes 1500"));
  ASSERT_TRUE(Get("a", 400, AtOnce()).ok()) << "b gave way";
  EXPECT_EQ(budget_.held(), 400U);
}

TEST_F(CacheAndBudgetTest, AnAnswerMayOutliveTheCache) {
  auto answer = Get("a", 400);
  cache_.reset();
  EXPECT_EQ(budget_.held(), 400U);
  answer = Error(ErrorCode::kCancelled, "sent");
  EXPECT_EQ(budget_.held(), 0U);
}

TEST_F(CacheAndBudgetTest, ManyReadersOfManyFilesAreServedWithinTheBudget) {
  std::atomic<std::size_t> most{0};
  std::atomic<int> served{0};
  {
    std::vector<std::jthread> readers;
    for (int reader = 0; reader < 12; ++reader) {
      readers.emplace_back([&, reader] {
        for (int i = 0; i < 100; ++i) {
          const std::size_t size = 100 + static_cast<std::size_t>((reader * 7 + i) % 5) * 100;
          const auto answer = cache_->GetOrMake(std::to_string(size), ObjectCache::Cost::kHigh,
                                                [&] { return Counted(budget_, size); }, Soon(), {});
          if (!answer.ok() || (*answer)->size() != size) return;
          const std::size_t held = budget_.held();
          for (std::size_t seen = most; held > seen && !most.compare_exchange_weak(seen, held);) {
          }
          ++served;
        }
      });
    }
  }
  EXPECT_EQ(served, 1200);
  EXPECT_LE(most, kBudget);
}

}  // namespace
}  // namespace frazil::table
