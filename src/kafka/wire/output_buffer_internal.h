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

// Pieces of memory that small batches share one after the other: one owner for many batches, and
// sizes that the allocator gives out again without asking the system.
// Threads: one at a time; what was released may be read by any.
class OutputArena {
 public:
  // What is free of the piece at hand, or of a new one: at least `capacity` bytes.
  // Requires: capacity <= kPieceBytes.
  std::span<std::uint8_t> Room(std::size_t capacity) {
    if (piece_ == nullptr || capacity > kPieceBytes - used_) {
      piece_ = std::make_unique_for_overwrite<std::uint8_t[]>(kPieceBytes);
      used_ = 0;
    }
    return {piece_.get() + used_, kPieceBytes - used_};
  }
  // Gives away the first bytes of what Room gave last.
  std::shared_ptr<const std::uint8_t[]> Claim(std::size_t size) {
    used_ += size;
    return piece_;
  }

  static constexpr std::size_t kPieceBytes = 512 << 10;

 private:
  std::shared_ptr<std::uint8_t[]> piece_;
  std::size_t used_ = 0;
};

// Where one batch's bytes go: the arena while they fit into it, then memory of their own.
class OutputBuffer {
 public:
  // Has room for at least `capacity` bytes. `arena` must outlive it and serve nobody else
  // meanwhile.
  OutputBuffer(OutputArena& arena, std::size_t capacity) : arena_(arena) {
    // Memory of its own for what would leave much of the arena unused.
    if (capacity > OutputArena::kPieceBytes / 2) {
      own_ = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
      room_ = {own_.get(), capacity};
    } else {
      room_ = arena.Room(capacity);
    }
  }

  std::span<std::uint8_t> free() { return room_.subspan(size_); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return room_.size(); }
  // Requires: count <= free().size().
  void Advance(std::size_t count) { size_ += count; }

  void Grow(std::size_t capacity) {
    auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
    std::memcpy(larger.get(), room_.data(), size_);
    own_ = std::move(larger);
    room_ = {own_.get(), capacity};
  }

  Buffer Release() && {
    const std::shared_ptr<const std::uint8_t[]> owner =
        own_ != nullptr ? std::shared_ptr<const std::uint8_t[]>(std::move(own_))
                        : arena_.Claim(size_);
    return {{room_.data(), size_}, owner};
  }

 private:
  OutputArena& arena_;
  std::unique_ptr<std::uint8_t[]> own_;
  std::span<std::uint8_t> room_;
  std::size_t size_ = 0;
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
// A step that can do nothing takes and produces nothing. `expected`: a guess of how much comes out.
// `may_follow`: whether another frame may follow the first.
template <typename Step>
Result<Buffer> DecompressStream(std::string_view codec, ByteView input, std::size_t max_bytes,
                                OutputArena& arena, std::size_t expected, bool may_follow,
                                Step step) {
  // One byte above the limit shows that there is more.
  const std::size_t most = max_bytes + 1;
  OutputBuffer buffer(arena, std::min(most, expected + 1));
  for (;;) {
    if (buffer.size() == most) return TooMuchData(codec, max_bytes);
    if (buffer.free().empty())
      buffer.Grow(std::min(most, std::max(kFirstOutputBytes, buffer.capacity() * 2)));
    const std::span<std::uint8_t> room =
        buffer.free().first(std::min(buffer.free().size(), most - buffer.size()));
    FRAZIL_ASSIGN_OR_RETURN(const CodecStep done, step(input, room));
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
