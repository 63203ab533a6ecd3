// SPDX-License-Identifier: Apache-2.0
#include "kafka/wire/lz4_frame.h"

#include <algorithm>
#include <cstring>
#include <lz4frame.h>
#include <string>

#include "base/check.h"

namespace frazil::kafka::wire {
namespace {

struct ContextDeleter {
  void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
};
using Context = std::unique_ptr<LZ4F_dctx, ContextDeleter>;

constexpr std::size_t kFirstBuffer = 64 << 10;

Error Corrupt(const std::string& what) {
  return Error(ErrorCode::kCorruptData,
               "LZ4 data of a Kafka record batch is damaged: " + what + ".");
}

class GrowingBuffer {
 public:
  explicit GrowingBuffer(std::size_t capacity)
      : bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(capacity)), capacity_(capacity) {}

  std::uint8_t* free_begin() { return bytes_.get() + size_; }
  std::size_t free_size() const { return capacity_ - size_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
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

}  // namespace

Result<Buffer> DecompressLz4Frame(ByteView frame, std::size_t max_bytes) {
  LZ4F_dctx* raw_context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw_context, LZ4F_VERSION)) != 0) {
    return Error(ErrorCode::kResourceExhausted, "There is no memory for uncompressing LZ4 data.");
  }
  const Context context(raw_context);
  // One byte above the limit shows that there is more.
  const std::size_t most = max_bytes + 1;
  GrowingBuffer buffer(std::min(most, std::max(kFirstBuffer, frame.size() * 4)));
  std::size_t consumed = 0;
  for (;;) {
    if (buffer.free_size() == 0) {
      if (buffer.capacity() == most) {
        return Error(ErrorCode::kResourceExhausted,
                     "LZ4 data of a Kafka record batch uncompresses to more than the limit of " +
                         std::to_string(max_bytes) + " bytes.");
      }
      buffer.Grow(std::min(most, buffer.capacity() * 2));
    }
    std::size_t produced = buffer.free_size();
    std::size_t taken = frame.size() - consumed;
    const std::size_t hint = LZ4F_decompress(
        context.get(), buffer.free_begin(), &produced,
        frame.data() == nullptr ? nullptr : frame.data() + consumed, &taken, nullptr);
    if (LZ4F_isError(hint) != 0) return Corrupt(LZ4F_getErrorName(hint));
    buffer.Advance(produced);
    consumed += taken;
    if (hint == 0) break;
    if (produced == 0 && taken == 0) return Corrupt("the frame ends too early");
  }
  if (consumed != frame.size()) return Corrupt("bytes are left after the frame's end");
  if (buffer.size() > max_bytes) {
    return Error(ErrorCode::kResourceExhausted,
                 "LZ4 data of a Kafka record batch uncompresses to more than the limit of " +
                     std::to_string(max_bytes) + " bytes.");
  }
  return std::move(buffer).Release();
}

Bytes CompressLz4Frame(ByteView bytes) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  Bytes frame(LZ4F_compressFrameBound(bytes.size(), &preferences));
  const std::size_t size =
      LZ4F_compressFrame(frame.data(), frame.size(), bytes.data(), bytes.size(), &preferences);
  FRAZIL_CHECK(LZ4F_isError(size) == 0);
  frame.resize(size);
  return frame;
}

}  // namespace frazil::kafka::wire
