// SPDX-License-Identifier: Apache-2.0
// ReadRange shows what a read_committed consumer sees, however fetches cut the log.
#include <algorithm>
#include <random>
#include <set>

#include "kafka/client/test/client_fixture.h"

namespace frazil::kafka {
namespace {

using wire::ControlType;

using TransactionsTest = ClientTest;

TEST_F(TransactionsTest, SeveralProducersInterleave) {
  // 0: p1, 1: p2, 2: plain, 3: p1, 4: abort p1, 5: p2, 6: p1 again, 7: commit p2, 8: commit p1.
  AddTopic().Data(1, 1).Data(1, 2).Data(1).Data(1, 1).Marker(1, ControlType::kAbort);
  Partition().Data(1, 2).Data(1, 1).Marker(2, ControlType::kCommit).Marker(1, ControlType::kCommit);
  Partition().aborted = {{1, 0, 4}};
  for (const int batches : {1, 2, 3, 100}) {
    fake_.max_fetch_batches = batches;
    ASSERT_TRUE(Read(0, 9).ok());
    EXPECT_EQ(offsets_, (std::vector<std::int64_t>{1, 2, 5, 6})) << batches;
  }
}

TEST_F(TransactionsTest, AnAbortedTransactionSpansFetchesAndBeginsBeforeTheRange) {
  AddTopic().Data(3, 1).Data(3, 1).Data(3, 1).Marker(1, ControlType::kAbort).Data(2, 1);
  Partition().Marker(1, ControlType::kCommit);
  Partition().aborted = {{1, 0, 9}};
  fake_.max_fetch_batches = 1;
  for (const std::int64_t start : {0, 1, 4, 8, 9}) {
    ASSERT_TRUE(Read(start, 13).ok());
    EXPECT_EQ(offsets_, Numbers(10, 12)) << start;
  }
}

TEST_F(TransactionsTest, EmptyMarkersAfterCompactionAreNoRecords) {
  AddTopic().Data(1, 1).Marker(1, ControlType::kCommit).EmptyMarker(2).Data(1).EmptyMarker(1);
  ASSERT_TRUE(Read(0, 5).ok());
  EXPECT_EQ(offsets_, (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(fake_.fetches.size(), 1U) << "an emptied batch at the end completes the range";
}

TEST_F(TransactionsTest, AMarkerInTheMiddleOfARangeEndsIt) {
  AddTopic().Data(2, 1).Marker(1, ControlType::kCommit).Data(2);
  ASSERT_TRUE(Read(0, 3).ok());
  EXPECT_EQ(offsets_, Numbers(0, 2));
  ASSERT_TRUE(Read(2, 3).ok());
  EXPECT_TRUE(offsets_.empty());
}

// A log of several producers at random, and which of its records are committed.
class RandomLog {
 public:
  RandomLog(std::uint32_t seed, FakePartition& partition) : random_(seed), partition_(partition) {
    for (int i = 0; i < 120; ++i) Step();
    while (!open_.empty()) End(open_.begin()->first);
  }

  const std::set<std::int64_t>& committed() const { return committed_; }

 private:
  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  void Step() {
    const std::int64_t producer = Pick(4);
    if (producer == 0) {
      Write(-1, committed_);
    } else if (open_.contains(producer) && Pick(3) == 0) {
      End(producer);
    } else {
      Write(producer, open_[producer]);
    }
    if (Pick(10) == 0) partition_.Hole(Pick(3) + 1);
  }

  void Write(std::int64_t producer, std::set<std::int64_t>& offsets) {
    const int count = Pick(4) + 1;
    for (int i = 0; i < count; ++i) offsets.insert(partition_.end + i);
    partition_.Data(count, producer,
                    Pick(2) == 0 ? wire::CompressionCodec::kNone : wire::CompressionCodec::kZstd);
  }

  void End(std::int64_t producer) {
    const std::set<std::int64_t> offsets = open_[producer];
    open_.erase(producer);
    if (Pick(2) == 0) {
      partition_.Marker(producer, ControlType::kCommit);
      committed_.insert(offsets.begin(), offsets.end());
    } else {
      partition_.aborted.push_back({producer, *offsets.begin(), partition_.end});
      partition_.Marker(producer, ControlType::kAbort);
    }
  }

  std::mt19937 random_;
  FakePartition& partition_;
  std::map<std::int64_t, std::set<std::int64_t>> open_;
  std::set<std::int64_t> committed_;
};

TEST_F(TransactionsTest, RandomLogsInRandomPieces) {
  std::size_t shown = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    fake_.topics.clear();
    const RandomLog log(seed, AddTopic());
    const std::int64_t end = Partition().end;
    std::mt19937 random(seed);
    for (const int batches : {1, 3, 1000}) {
      fake_.max_fetch_batches = batches;
      const auto start = static_cast<std::int64_t>(random() % static_cast<unsigned>(end));
      ASSERT_TRUE(Read(start, end).ok()) << seed;
      std::vector<std::int64_t> expected(log.committed().lower_bound(start), log.committed().end());
      EXPECT_EQ(offsets_, expected) << "seed " << seed << " from " << start;
      shown += offsets_.size();
    }
  }
  EXPECT_GT(shown, 1000U);
}

}  // namespace
}  // namespace frazil::kafka
