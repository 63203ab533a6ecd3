// SPDX-License-Identifier: Apache-2.0
// A ledger in a folder of its own, a clock that obeys, and rows to put in.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ledger/ledger.h"

namespace frazil::ledger {

class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t millis) : millis_(millis) {}
  UnixMillis Now() const override { return UnixMillis(millis_.load()); }
  void Set(std::int64_t millis) { millis_.store(millis); }

 private:
  std::atomic<std::int64_t> millis_;
};

// 2026-01-01T00:00:00Z.
inline constexpr std::int64_t kNewYear = 1'767'225'600'000;

class LedgerTest : public testing::Test {
 protected:
  LedgerTest();
  ~LedgerTest() override;

  // Closes and opens again; fails the test when it cannot.
  void Open();
  void Close() { ledger_.reset(); }
  std::string File() const { return folder_ + "/ledger.sqlite"; }

  // Runs statements on the file, which must not be open.
  void Execute(const std::string& sql) const;
  // The first column of the first row.
  std::int64_t Ask(const std::string& sql) const;

  // A topic and a table on it; the table's key.
  std::int64_t MakeTable(const std::string& name = "orders");

  std::string folder_;
  ManualClock clock_{kNewYear};
  std::unique_ptr<Ledger> ledger_;
};

Uuid SomeUuid(std::uint8_t seed);

// Fields 1 to `columns`, the last one new.
iceberg::Schema SomeSchema(std::int32_t version, std::int32_t columns);

CutPartition Range(std::int32_t generation, std::int32_t partition, std::int64_t start,
                   std::int64_t end);

ChunkRow SomeChunk(std::int32_t partition, std::int64_t start, std::int64_t end);

// A state with a cut over the ranges, without chunks.
NewState StateOver(std::int64_t snapshot, std::vector<CutPartition> ranges);

}  // namespace frazil::ledger
