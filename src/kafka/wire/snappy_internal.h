// SPDX-License-Identifier: Apache-2.0
// Snappy in both forms that stand in record batches. Part of compression.h.
//
//   raw     one Snappy block (google/snappy, format_description.txt)
//   framed  as Java's library snappy-java writes streams: 0x82 "SNAPPY" 0x00, version i32,
//           compatible version i32, then blocks, each behind its length i32; such a header may
//           stand again between blocks
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "base/result.h"
#include "kafka/wire/compression.h"

namespace frazil::kafka::wire {

class OutputArena;

// Errors: corrupt_data unless all bytes are of one of the two forms; resource_exhausted.
Result<Buffer> DecompressSnappy(ByteView input, std::size_t max_bytes, OutputArena& arena);

Bytes CompressSnappy(ByteView bytes);
// The framed form, in blocks of `block_bytes` (Java: 32 KiB).
// Requires: block_bytes > 0.
Bytes CompressSnappyFramed(ByteView bytes, std::size_t block_bytes);

}  // namespace frazil::kafka::wire
