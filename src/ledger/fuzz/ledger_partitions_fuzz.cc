// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "ledger/partition_vector.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frazil;  // NOLINT(google-build-using-namespace)
  const auto partitions = ledger::DecodePartitions(ByteView(data, size));
  if (partitions.ok()) {
    const auto again = ledger::DecodePartitions(ledger::EncodePartitions(*partitions));
    FRAZIL_CHECK(again.ok() && *again == *partitions);
  }
  return 0;
}
