// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/aborted_transactions.h"

#include <algorithm>
#include <utility>

namespace frazil::kafka::wire {

AbortedTransactionFilter::AbortedTransactionFilter(std::vector<AbortedTransaction> aborted)
    : aborted_(std::move(aborted)) {
  std::ranges::sort(aborted_, {}, &AbortedTransaction::first_offset);
}

Result<bool> AbortedTransactionFilter::Admit(const RecordBatch& batch,
                                             const RecordBatchLimits& limits) {
  while (next_ < aborted_.size() && aborted_[next_].first_offset <= batch.last_offset()) {
    open_.insert(aborted_[next_++].producer_id);
  }
  if (batch.is_control()) {
    FRAZIL_ASSIGN_OR_RETURN(const std::optional<ControlType> type, ReadControlType(batch, limits));
    if (type == ControlType::kAbort) open_.erase(batch.producer_id);
    return false;
  }
  return !batch.is_transactional() || !open_.contains(batch.producer_id);
}

}  // namespace frazil::kafka::wire
