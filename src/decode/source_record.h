// SPDX-License-Identifier: Apache-2.0
// One Kafka record as decoding sees it: views into bytes that somebody else keeps. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace frazil::decode {

// A view that tells null from empty.
struct NullableView {
  const std::uint8_t* data = nullptr;
  // -1: null.
  std::int32_t size = -1;

  bool is_null() const { return size < 0; }
  ByteView view() const { return {data, static_cast<std::size_t>(is_null() ? 0 : size)}; }
};

struct SourceHeader {
  ByteView key;  // UTF-8 text by Kafka's rules; not checked here
  NullableView value;
};

struct SourceRecord {
  std::int64_t offset = 0;
  // Milliseconds; -1: none.
  std::int64_t timestamp = -1;
  NullableView key;
  NullableView value;
  // Index and count in RecordBlock::headers.
  std::uint32_t header_begin = 0;
  std::uint32_t header_count = 0;
};

// Records of one partition in order of offset, and the buffers that they point into.
struct RecordBlock {
  std::vector<SourceRecord> records;
  std::vector<SourceHeader> headers;
  std::vector<std::shared_ptr<const void>> owners;
  // Bytes of keys, values and headers: what chunk sizes are measured in.
  std::size_t payload_bytes = 0;
  // What their source holds in memory for them: at least the owners' buffers.
  std::size_t held_bytes = 0;
};

}  // namespace frazil::decode
