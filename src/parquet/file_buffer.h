// SPDX-License-Identifier: Apache-2.0
// The file that is being written, or its size. Internal to this module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/bytes.h"
#include "parquet/chunk_encoder.h"

namespace frazil::parquet {

class FileBuffer {
 public:
  // Who writes into what Extend gave may write this many bytes beyond it.
  static constexpr std::size_t kSlack = 64;

  FileBuffer(std::size_t expected_bytes, EncoderOutput output) : output_(output) {
    if (keeps_bytes() && expected_bytes > 0) Reserve(expected_bytes + kSlack);
  }

  // Otherwise only sizes count: Skip and Append.
  bool keeps_bytes() const { return output_ == EncoderOutput::kFile; }
  std::size_t size() const { return size_; }

  // The bytes that `data` names, or the place for them.
  void Append(const std::uint8_t* data, std::size_t count) {
    if (keeps_bytes()) {
      MakeRoom(count);
      bytes_.resize(size_);
      bytes_.insert(bytes_.end(), data, data + count);
    }
    size_ += count;
  }
  // Requires: !keeps_bytes().
  void Skip(std::size_t count) { size_ += count; }

  // Room for `count` bytes, to be written before the next call. Requires: keeps_bytes().
  // A page at a time: what resize clears is still in the cache when it is written.
  std::uint8_t* Extend(std::size_t count) {
    MakeRoom(count);
    bytes_.resize(size_ + count + kSlack);
    std::uint8_t* const room = bytes_.data() + size_;
    size_ += count;
    return room;
  }

  // The file; empty when there is only a size. Nothing may be written after it.
  Bytes Take() {
    if (keeps_bytes()) bytes_.resize(size_);
    return std::move(bytes_);
  }

 private:
  void MakeRoom(std::size_t count) {
    if (size_ + count + kSlack > bytes_.capacity()) Grow(size_ + count + kSlack);
  }
  void Grow(std::size_t count);
  // In large pages where the system has some: to fill small ones costs more than to write them.
  void Reserve(std::size_t count);

  const EncoderOutput output_;
  std::size_t size_ = 0;
  // The file, and kSlack bytes more after Extend.
  Bytes bytes_;
};

}  // namespace frazil::parquet
