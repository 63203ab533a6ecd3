// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952), in memory. Part of compression.h.
#pragma once

#include <cstddef>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "kafka/wire/compression.h"

namespace frazil::kafka::wire {

class OutputArena;

// Threads: one at a time.
class GzipDecompressor {
 public:
  GzipDecompressor();
  ~GzipDecompressor();

  // Errors: corrupt_data unless it is one or more whole members with right checksums;
  // resource_exhausted.
  Result<Buffer> Decompress(ByteView input, std::size_t max_bytes, OutputArena& arena);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// One member without name or time.
Bytes CompressGzip(ByteView bytes);

}  // namespace frazil::kafka::wire
