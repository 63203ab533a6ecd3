// SPDX-License-Identifier: Apache-2.0
// A ledger in a folder of its own, a clock that obeys, and rows to put in.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <random>
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

ChunkRow SomeChunk(std::int64_t id, std::int32_t partition, std::int64_t start, std::int64_t end);

// A cut over the ranges without chunks.
NewCut CutOver(std::int64_t snapshot, std::vector<CutPartition> ranges);
// An append of the chunks, with its manifest.
NewCut Append(std::int64_t snapshot, std::vector<CutPartition> ranges,
              std::vector<ChunkRow> chunks);
// A replace of chunks of one manifest each: the manifests leave the list, `removed` become DELETED
// entries, `kept` EXISTING ones, `added` ADDED ones.
NewCut Replace(std::int64_t snapshot, std::vector<CutPartition> ranges,
               const std::vector<CutNumber>& manifests, const std::vector<ChunkRow>& removed,
               const std::vector<ChunkRow>& kept, std::vector<ChunkRow> added);

NewState StateOf(std::vector<NewCut> cuts);
// A state with a cut over the ranges, without chunks.
NewState StateOver(std::int64_t snapshot, std::vector<CutPartition> ranges);

// Everything that a value holds, as a text.
std::string Describe(const StateView& view);
std::string Describe(const CutView& view);
std::string Describe(const ManifestView& view);
std::string Describe(const ChunkRow& chunk);
std::string Describe(const CurrentView& view);
// "none", "error", or what is found.
template <typename T>
std::string Describe(const Result<std::optional<T>>& found) {
  if (!found.ok()) return "error: " + found.error().ToString();
  return found->has_value() ? Describe(**found) : "none";
}

// A table's life at random: appends, merges, lost chunks, states without cuts, cuts that leave the
// list. The same seed gives the same life.
class RandomLife {
 public:
  RandomLife(Ledger& ledger, std::int64_t table, std::uint64_t seed)
      : ledger_(&ledger), table_(table), random_(seed) {}

  // Records one more state, which must succeed.
  void Step();
  void UseLedger(Ledger& ledger) { ledger_ = &ledger; }

  std::int64_t last_state() const { return last_state_; }
  std::int64_t last_cut() const { return last_cut_; }
  // Paths of all chunks ever.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  NewCut NextAppend();
  NewCut NextReplace();
  std::vector<CutPartition> Grow();

  Ledger* ledger_;
  const std::int64_t table_;
  std::mt19937_64 random_;
  std::int64_t last_state_ = 0;
  std::int64_t last_cut_ = 0;
  std::int64_t last_chunk_ = 0;
  std::vector<std::int64_t> ends_ = {0, 0, 0};
  std::vector<CutNumber> listed_;
  // Live chunks by the manifest that names them.
  std::map<CutNumber, std::vector<ChunkRow>> manifests_;
  std::vector<std::string> paths_;
};

}  // namespace frazil::ledger
