// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "kafka/wire/aborted_transactions.h"
#include "kafka/wire/record_batch.h"
#include "kafka/wire/record_fields_internal.h"

using namespace frazil;               // NOLINT
using namespace frazil::kafka::wire;  // NOLINT

namespace {

// Both readers of a record's fields agree wherever the fast one takes it.
void CompareReaders(ByteView records) {
  const std::uint8_t* at = records.data();
  const std::uint8_t* const end = at + records.size();
  while (true) {
    RecordFields fast;
    RecordFields safe;
    const bool taken = ReadRecordFieldsFast(at, end, fast);
    const bool right = ReadRecordFields(at, end, safe) == nullptr;
    if (taken &&
        (!right || fast.size != safe.size || fast.end != safe.end || fast.headers != safe.headers ||
         fast.header_count != safe.header_count || fast.offset_delta != safe.offset_delta ||
         fast.timestamp_delta != safe.timestamp_delta || fast.key.data != safe.key.data ||
         fast.key.size != safe.key.size || fast.value.data != safe.value.data ||
         fast.value.size != safe.value.size)) {
      __builtin_trap();
    }
    if (!right) return;
    at = safe.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const RecordBatchLimits limits{1U << 20, 1U << 22};
  ByteView rest(data, size);
  AbortedTransactionFilter filter({{1, 0}, {4, 2}});
  RecordBlock set;
  for (;;) {
    const auto batch = TakeRecordBatch(rest, limits);
    if (!batch.ok() || !batch.value().has_value()) return 0;
    // The checksum is computed but not minded, so that changed bytes get further.
    IgnoreError(VerifyChecksum(**batch));
    CompareReaders((**batch).records);
    IgnoreError(filter.Admit(**batch, limits));
    IgnoreError(AppendRecords(**batch, limits, 1, std::numeric_limits<std::int64_t>::max(), set));
    // Touches every view.
    std::size_t sum = 0;
    for (const RecordView& record : set.records) {
      for (const std::uint8_t byte : record.key.view()) sum += byte;
      for (const std::uint8_t byte : record.value.view()) sum += byte;
    }
    for (const HeaderView& header : set.headers) sum += header.key.size();
    if (sum == std::numeric_limits<std::size_t>::max()) return 0;
    set = {};
  }
}
