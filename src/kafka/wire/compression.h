// SPDX-License-Identifier: Apache-2.0
// The compression codecs of record batches (Kafka documentation, "Record Batch", attributes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace frazil::kafka::wire {

enum class CompressionCodec : std::uint8_t {
  kNone = 0,
  kGzip = 1,
  kSnappy = 2,
  kLz4 = 3,
  kZstd = 4
};

// Bytes, and what keeps them.
struct Buffer {
  ByteView bytes;
  std::shared_ptr<const void> owner;
};

// Keeps the codecs' contexts, which are dear to make, between calls. Small results share pieces of
// memory of 512 KiB, each of which lives as long as one of its owners.
// Threads: one at a time; results may be read, and their owners let go, by any.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // gzip: one or more members. Snappy: one raw block, or the framed form of Java's library. LZ4:
  // one frame. zstd: one or more frames. Memory grows with what has really been uncompressed, never
  // from a size that the input states; zstd frames are trusted with 4 MiB. Beside the result zstd
  // keeps a window of at most 128 MiB.
  // Requires: a codec but kNone; nothing of `input`.
  // Errors: corrupt_data unless all of the input is data of the codec, with right checksums where
  // it has any, or there is no such codec; resource_exhausted when it holds more than `max_bytes`.
  Result<Buffer> Decompress(CompressionCodec codec, ByteView input, std::size_t max_bytes);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

// The same input gives the same bytes. Snappy is the raw form.
// Requires: a codec but kNone; fewer than 2^31 bytes.
Bytes Compress(CompressionCodec codec, ByteView bytes);

}  // namespace frazil::kafka::wire
