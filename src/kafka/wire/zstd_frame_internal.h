// SPDX-License-Identifier: Apache-2.0
// zstd frames (RFC 8878), in memory. Part of compression.h.
#pragma once

#include <cstddef>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "kafka/wire/compression.h"

namespace frazil::kafka::wire {

class OutputArena;

// Threads: one at a time.
class ZstdDecompressor {
 public:
  ZstdDecompressor();
  ~ZstdDecompressor();

  // Errors: corrupt_data unless it is one or more whole frames, with right checksums where they
  // have any, and windows of at most 128 MiB; resource_exhausted.
  Result<Buffer> Decompress(ByteView input, std::size_t max_bytes, OutputArena& arena);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// One frame of level 3, without checksum, as Kafka's clients write them.
Bytes CompressZstdFrame(ByteView bytes);

}  // namespace frazil::kafka::wire
