// SPDX-License-Identifier: Apache-2.0
// A cut's partitions as the bytes that the ledger keeps. Internal to this module. Pure.
//
//   1 (the version of this form), count, and for each partition: generation and partition as
//   differences to the entry before, twice the epoch plus whether it is closed, start, end - start
//
// all of them variable-length integers of seven bits a byte, lowest first; what may be negative in
// zigzag form. Kept on disk: a new form gets a new version.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "ledger/ledger.h"

namespace frazil::ledger {

Bytes EncodePartitions(const std::vector<CutPartition>& partitions);
// Errors: corrupt_data unless the partitions ascend, have ranges and no number is negative (but for
// epochs, from -1).
Result<std::vector<CutPartition>> DecodePartitions(ByteView bytes);

}  // namespace frazil::ledger
