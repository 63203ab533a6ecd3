// SPDX-License-Identifier: Apache-2.0
#include "base/memory_budget.h"

#include <atomic>
#include <chrono>
#include <future>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frazil {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

Deadline Soon() { return Deadline::After(milliseconds(10'000)); }
Deadline AtOnce() { return Deadline::After(milliseconds(0)); }

void WaitForWaiting(const MemoryBudget& budget, std::size_t count) {
  const Deadline deadline = Soon();
  while (budget.waiting() != count && !deadline.Expired()) std::this_thread::yield();
  ASSERT_EQ(budget.waiting(), count);
}

std::future<Result<MemoryLease>> AcquireApart(MemoryBudget& budget, std::size_t bytes,
                                              std::stop_token stop = {}) {
  return std::async(std::launch::async, [&budget, bytes, stop = std::move(stop)] {
    return budget.Acquire(bytes, Soon(), stop);
  });
}

MemoryLease Taken(MemoryBudget& budget, std::size_t bytes) {
  auto lease = budget.Acquire(bytes, AtOnce(), {});
  EXPECT_TRUE(lease.ok());
  return lease.ok() ? std::move(lease).value() : MemoryLease();
}

TEST(MemoryBudgetTest, LeasesAreCountedWhileTheyLive) {
  MemoryBudget budget(100);
  {
    const MemoryLease first = Taken(budget, 60);
    MemoryLease second = Taken(budget, 40);
    EXPECT_EQ(budget.held(), 100U);
    second.Shrink(10);
    second.Shrink(30);
    EXPECT_EQ(second.bytes(), 10U);
    EXPECT_EQ(budget.held(), 70U);
    MemoryLease third = std::move(second);
    EXPECT_EQ(budget.held(), 70U);
    third = MemoryLease();
    EXPECT_EQ(budget.held(), 60U);
  }
  EXPECT_EQ(budget.held(), 0U);
}

TEST(MemoryBudgetTest, WhatDoesNotFitIsRefusedAtTheDeadline) {
  MemoryBudget budget(100);
  const MemoryLease held = Taken(budget, 60);
  const auto refused = budget.Acquire(41, Deadline::After(milliseconds(5)), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kResourceExhausted);
  EXPECT_THAT(refused.error().message(), HasSubstr("needed 41, held 60, limit 100"));
  EXPECT_EQ(budget.held(), 60U);
  EXPECT_EQ(budget.waiting(), 0U);
}

TEST(MemoryBudgetTest, WhatIsGivenBackWakesTheOneThatWaits) {
  MemoryBudget budget(100);
  MemoryLease held = Taken(budget, 100);
  auto waiting = AcquireApart(budget, 50);
  WaitForWaiting(budget, 1);
  held.Shrink(50);
  EXPECT_TRUE(waiting.get().ok());
}

TEST(MemoryBudgetTest, AStopEndsTheWait) {
  MemoryBudget budget(100);
  const MemoryLease held = Taken(budget, 100);
  std::stop_source stop;
  auto waiting = AcquireApart(budget, 1, stop.get_token());
  WaitForWaiting(budget, 1);
  stop.request_stop();
  const auto refused = waiting.get();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kCancelled);
}

TEST(MemoryBudgetTest, SmallOnesDoNotOvertakeALargeOne) {
  MemoryBudget budget(100);
  MemoryLease held = Taken(budget, 50);
  auto large = AcquireApart(budget, 80);
  WaitForWaiting(budget, 1);
  // It would fit, but came later.
  EXPECT_FALSE(budget.Acquire(10, Deadline::After(milliseconds(5)), {}).ok());
  auto small = AcquireApart(budget, 10);
  WaitForWaiting(budget, 2);
  held.Shrink(0);
  EXPECT_TRUE(large.get().ok());
  EXPECT_TRUE(small.get().ok());
}

TEST(MemoryBudgetTest, OneThatGivesUpMakesWayForTheNext) {
  MemoryBudget budget(100);
  const MemoryLease held = Taken(budget, 50);
  std::stop_source stop;
  auto large = AcquireApart(budget, 80, stop.get_token());
  WaitForWaiting(budget, 1);
  auto small = AcquireApart(budget, 10);
  WaitForWaiting(budget, 2);
  stop.request_stop();
  EXPECT_FALSE(large.get().ok());
  EXPECT_TRUE(small.get().ok());
}

TEST(MemoryBudgetTest, MoreThanTheLimitIsGrantedAlone) {
  MemoryBudget budget(100);
  MemoryLease held = Taken(budget, 1);
  auto huge = AcquireApart(budget, 1000);
  WaitForWaiting(budget, 1);
  held.Shrink(0);
  const auto granted = huge.get();
  ASSERT_TRUE(granted.ok());
  EXPECT_EQ(budget.held(), 1000U);
  EXPECT_FALSE(budget.Acquire(1, AtOnce(), {}).ok());
}

TEST(MemoryBudgetTest, ALeaseGrowsWithinTheLimitOrWhenItIsAlone) {
  MemoryBudget budget(100);
  MemoryLease lease = Taken(budget, 20);
  MemoryLease other = Taken(budget, 30);
  EXPECT_TRUE(lease.TryResize(70));
  EXPECT_EQ(budget.held(), 100U);
  EXPECT_FALSE(lease.TryResize(71));
  EXPECT_EQ(lease.bytes(), 70U);
  other.Resize(200);
  EXPECT_FALSE(lease.TryResize(71));
  EXPECT_TRUE(lease.TryResize(60));
  EXPECT_EQ(budget.held(), 260U);
  other.Resize(0);
  EXPECT_TRUE(lease.TryResize(500));
  EXPECT_EQ(budget.held(), 500U);
}

TEST(MemoryBudgetTest, TheReclaimerIsAskedForWhatIsMissingBeforeAnybodyWaits) {
  MemoryBudget budget(100);
  MemoryLease cached = Taken(budget, 70);
  std::vector<std::size_t> wanted;
  budget.SetReclaimer([&](std::size_t bytes) {
    wanted.push_back(bytes);
    cached.Shrink(cached.bytes() - bytes);
  });
  const MemoryLease fits = Taken(budget, 30);
  EXPECT_TRUE(wanted.empty());
  const MemoryLease granted = Taken(budget, 20);
  EXPECT_EQ(wanted, (std::vector<std::size_t>{20}));
  EXPECT_EQ(cached.bytes(), 50U);
  budget.SetReclaimer({});
  EXPECT_FALSE(budget.Acquire(20, AtOnce(), {}).ok());
}

// A file that was just made enters the cache without a notice.
TEST(MemoryBudgetTest, WhatBecomesDroppableWhileOneWaitsIsReclaimed) {
  MemoryBudget budget(100);
  MemoryLease kept = Taken(budget, 100);
  std::atomic<bool> droppable = false;
  budget.SetReclaimer([&](std::size_t /*wanted*/) {
    if (droppable) kept = MemoryLease();
  });
  auto waits = AcquireApart(budget, 50);
  WaitForWaiting(budget, 1);
  std::this_thread::sleep_for(milliseconds(5));
  droppable = true;
  EXPECT_TRUE(waits.get().ok());
  budget.SetReclaimer({});
}

TEST(MemoryBudgetTest, AllIsReclaimedForMoreThanTheLimit) {
  MemoryBudget budget(100);
  MemoryLease cached = Taken(budget, 70);
  budget.SetReclaimer([&](std::size_t bytes) { cached.Shrink(cached.bytes() - bytes); });
  EXPECT_EQ(Taken(budget, 200).bytes(), 200U);
}

TEST(MemoryBudgetTest, ChargesAndGrowthDoNotWaitAndAreCounted) {
  MemoryBudget budget(100);
  MemoryLease first = budget.Charge(90);
  const MemoryLease second = budget.Charge(20);
  first.Resize(130);
  EXPECT_EQ(budget.held(), 150U);
  MemoryLease of_nothing;
  of_nothing.Resize(10);
  EXPECT_EQ(of_nothing.bytes(), 0U);
  EXPECT_FALSE(budget.Acquire(1, AtOnce(), {}).ok());
}

TEST(MemoryBudgetTest, TheObserverSeesEveryChange) {
  MemoryBudget budget(100);
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  budget.SetObserver(
      [&](std::size_t held, std::size_t waiting) { seen.emplace_back(held, waiting); });
  {
    const MemoryLease lease = Taken(budget, 60);
    EXPECT_FALSE(budget.Acquire(50, AtOnce(), {}).ok());
  }
  using Seen = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(seen, (Seen{{0, 0}, {60, 0}, {60, 1}, {60, 0}, {0, 0}}));
}

TEST(MemoryBudgetTest, ManyThreadsNeverHoldMoreThanTheLimitAndAllAreServed) {
  constexpr std::size_t kLimit = 1000;
  MemoryBudget budget(kLimit);
  std::atomic<std::size_t> most{0};
  std::atomic<int> served{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned seed = 0; seed < 16; ++seed) {
      threads.emplace_back([&, seed] {
        std::mt19937 engine(seed);
        for (int i = 0; i < 200; ++i) {
          auto lease = budget.Acquire(1 + engine() % kLimit, Soon(), {});
          if (!lease.ok()) return;
          const std::size_t held = budget.held();
          for (std::size_t seen = most; held > seen && !most.compare_exchange_weak(seen, held);) {
          }
          lease->Shrink(engine() % kLimit);
          ++served;
        }
      });
    }
  }
  EXPECT_LE(most, kLimit);
  EXPECT_EQ(served, 16 * 200);
  EXPECT_EQ(budget.held(), 0U);
}

}  // namespace
}  // namespace frazil
