// SPDX-License-Identifier: Apache-2.0
// LZ4 frames (the LZ4 Frame Format), in memory.
#pragma once

#include <cstddef>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"

namespace frazil::kafka::wire {

// Bytes, and what keeps them.
struct Buffer {
  ByteView bytes;
  std::shared_ptr<const void> owner;
};

// Memory grows with what has really been uncompressed, never from a size that the frame states.
// Requires nothing of `frame`.
// Errors: corrupt_data unless it is exactly one frame with right checksums; resource_exhausted when
// it holds more than `max_bytes`.
Result<Buffer> DecompressLz4Frame(ByteView frame, std::size_t max_bytes);

// Independent blocks of 64 KiB, as Kafka's Java client writes them.
Bytes CompressLz4Frame(ByteView bytes);

}  // namespace frazil::kafka::wire
