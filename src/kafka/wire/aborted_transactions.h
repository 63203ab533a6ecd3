// SPDX-License-Identifier: Apache-2.0
// Which transactional batches of a Fetch response belong to aborted transactions (Kafka
// documentation, "read_committed"; KIP-98).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "kafka/wire/record_batch.h"

namespace frazil::kafka::wire {

struct AbortedTransaction {
  std::int64_t producer_id = 0;
  std::int64_t first_offset = 0;
};

// For the batches of one partition in one Fetch response, in order.
class AbortedTransactionFilter {
 public:
  explicit AbortedTransactionFilter(std::vector<AbortedTransaction> aborted);

  // Whether the batch's records are for readers: neither control records nor aborted ones. Each
  // batch of the response is to be asked for once, in order, with its checksum verified.
  // Errors: those of ReadControlType.
  Result<bool> Admit(const RecordBatch& batch, const RecordBatchLimits& limits);

 private:
  // By first offset; those before next_ are in open_ or closed.
  std::vector<AbortedTransaction> aborted_;
  std::size_t next_ = 0;
  // Producers whose aborted transaction has begun and has not met its marker.
  std::unordered_set<std::int64_t> open_;
};

}  // namespace frazil::kafka::wire
