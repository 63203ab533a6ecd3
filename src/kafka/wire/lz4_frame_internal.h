// SPDX-License-Identifier: Apache-2.0
// LZ4 frames (the LZ4 Frame Format), in memory. Part of compression.h.
#pragma once

#include <cstddef>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "kafka/wire/compression.h"

namespace frazil::kafka::wire {

class OutputArena;

// Threads: one at a time.
class Lz4Decompressor {
 public:
  Lz4Decompressor();
  ~Lz4Decompressor();

  // Errors: corrupt_data unless it is exactly one frame with right checksums; resource_exhausted.
  Result<Buffer> Decompress(ByteView frame, std::size_t max_bytes, OutputArena& arena);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Independent blocks of 64 KiB, as Kafka's Java client writes them.
Bytes CompressLz4Frame(ByteView bytes);

}  // namespace frazil::kafka::wire
