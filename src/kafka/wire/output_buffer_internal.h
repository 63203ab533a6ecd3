// SPDX-License-Identifier: Apache-2.0
// Memory that uncompressed bytes are written to, which grows as they come and never from a size
// that the input states; and the loop that the streaming codecs share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "kafka/wire/compression.h"

namespace frazil::kafka::wire {

inline constexpr std::size_t kFirstOutputBytes = 64 << 10;

class OutputBuffer {
 public:
  explicit OutputBuffer(std::size_t capacity)
      : bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(capacity)), capacity_(capacity) {}

  std::span<std::uint8_t> free() { return {bytes_.get() + size_, capacity_ - size_}; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  // Requires: count <= free().size().
  void Advance(std::size_t count) { size_ += count; }

  void Grow(std::size_t capacity) {
    auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
    std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = capacity;
  }

  Buffer Release() && {
    const std::shared_ptr<const std::uint8_t[]> owner = std::move(bytes_);
    return {{owner.get(), size_}, owner};
  }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_;
};

// `codec` begins the sentences: "LZ4".
inline Error DamagedData(std::string_view codec, const std::string& what) {
  return Error(ErrorCode::kCorruptData,
               std::string(codec) + " data of a Kafka record batch is damaged: " + what + ".");
}

inline Error TooMuchData(std::string_view codec, std::size_t max_bytes) {
  return Error(ErrorCode::kResourceExhausted,
               std::string(codec) +
                   " data of a Kafka record batch uncompresses to more than the limit of " +
                   std::to_string(max_bytes) + " bytes.");
}

struct CodecStep {
  std::size_t taken = 0;
  std::size_t produced = 0;
  // Whether a frame was read to its end, and all of it was written.
  bool frame_ended = false;
};

// Runs `step(input, output) -> Result<CodecStep>` until the input is used up at the end of a frame.
// A step that can do nothing takes and produces nothing. `may_follow`: whether another frame may
// follow the first.
template <typename Step>
Result<Buffer> DecompressStream(std::string_view codec, ByteView input, std::size_t max_bytes,
                                std::size_t first_capacity, bool may_follow, Step step) {
  // One byte above the limit shows that there is more.
  const std::size_t most = max_bytes + 1;
  OutputBuffer buffer(std::min(most, std::max(kFirstOutputBytes, first_capacity)));
  for (;;) {
    if (buffer.free().empty()) {
      if (buffer.capacity() == most) return TooMuchData(codec, max_bytes);
      buffer.Grow(std::min(most, buffer.capacity() * 2));
    }
    FRAZIL_ASSIGN_OR_RETURN(const CodecStep done, step(input, buffer.free()));
    buffer.Advance(done.produced);
    input = input.subspan(done.taken);
    if (done.frame_ended && (input.empty() || !may_follow)) break;
    if (done.taken == 0 && done.produced == 0) {
      return DamagedData(codec, "it ends too early");
    }
  }
  if (!input.empty()) return DamagedData(codec, "bytes are left after its end");
  if (buffer.size() > max_bytes) return TooMuchData(codec, max_bytes);
  return std::move(buffer).Release();
}

}  // namespace frazil::kafka::wire
