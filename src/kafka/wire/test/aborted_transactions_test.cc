// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/aborted_transactions.h"

#include <vector>

#include <gtest/gtest.h>

#include "kafka/wire/record_batch_writer.h"

namespace frazil::kafka::wire {
namespace {

constexpr std::int64_t kNoProducer = -1;

class Log {
 public:
  Log& Data(std::int64_t producer, std::int32_t count = 1) {
    BatchProperties properties = Properties(producer);
    properties.transactional = producer != kNoProducer;
    std::vector<RecordToWrite> records(static_cast<std::size_t>(count));
    for (std::int32_t i = 0; i < count; ++i) records[static_cast<std::size_t>(i)].offset_delta = i;
    AppendRecordBatch(properties, records, bytes_);
    next_ += count;
    return *this;
  }
  Log& Marker(std::int64_t producer, ControlType type) {
    AppendTransactionMarker(Properties(producer), type, 0, bytes_);
    ++next_;
    return *this;
  }

  // Base offsets of the batches that are for readers.
  std::vector<std::int64_t> Admitted(std::vector<AbortedTransaction> aborted) const {
    AbortedTransactionFilter filter(std::move(aborted));
    std::vector<std::int64_t> admitted;
    ByteView rest = bytes_;
    for (;;) {
      const auto batch = TakeRecordBatch(rest, {});
      EXPECT_TRUE(batch.ok());
      if (!batch.ok() || !batch.value().has_value()) return admitted;
      const auto admits = filter.Admit(**batch, {});
      EXPECT_TRUE(admits.ok());
      if (admits.ok() && *admits) admitted.push_back((**batch).base_offset);
    }
  }

 private:
  BatchProperties Properties(std::int64_t producer) const {
    BatchProperties properties;
    properties.base_offset = next_;
    properties.producer_id = producer;
    return properties;
  }

  Bytes bytes_;
  std::int64_t next_ = 0;
};

TEST(AbortedTransactions, MarkersAndAbortedBatchesAreNotForReaders) {
  Log log;
  log.Data(1).Marker(1, ControlType::kCommit).Data(1).Marker(1, ControlType::kAbort);
  log.Data(kNoProducer).Data(1).Marker(1, ControlType::kCommit);
  EXPECT_EQ(log.Admitted({{1, 2}}), (std::vector<std::int64_t>{0, 4, 5}));
}

TEST(AbortedTransactions, AnAbortHidesOnlyItsProducerBetweenItsBounds) {
  Log log;
  log.Data(1, 2).Data(2).Data(kNoProducer).Data(1).Marker(1, ControlType::kAbort);
  log.Data(1).Data(2).Marker(2, ControlType::kCommit).Marker(1, ControlType::kCommit);
  EXPECT_EQ(log.Admitted({{1, 0}}), (std::vector<std::int64_t>{2, 3, 6, 7}));
}

TEST(AbortedTransactions, SeveralAbortsOfOneProducerInAnyOrderOfTheList) {
  Log log;
  log.Data(1).Marker(1, ControlType::kAbort).Data(1).Marker(1, ControlType::kCommit);
  log.Data(1).Marker(1, ControlType::kAbort).Data(1);
  EXPECT_EQ(log.Admitted({{1, 4}, {1, 0}}), (std::vector<std::int64_t>{2, 6}));
}

TEST(AbortedTransactions, ATransactionThatBeganBeforeTheResponseIsStillAborted) {
  Log log;
  log.Data(kNoProducer).Data(3).Marker(3, ControlType::kAbort).Data(3);
  EXPECT_EQ(log.Admitted({{3, -10}}), (std::vector<std::int64_t>{0, 3}));
}

TEST(AbortedTransactions, WithoutAListAllDataIsForReaders) {
  Log log;
  log.Data(1).Marker(1, ControlType::kCommit).Data(2);
  EXPECT_EQ(log.Admitted({}), (std::vector<std::int64_t>{0, 2}));
}

}  // namespace
}  // namespace frazil::kafka::wire
