// SPDX-License-Identifier: Apache-2.0
// Kafka records as they pass from who reads them to who decodes them: views into bytes that the
// block's owners keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"

namespace frazil {

// A view that tells null from empty.
struct NullableView {
  const std::uint8_t* data = nullptr;
  // -1: null.
  std::int32_t size = -1;

  bool is_null() const { return size < 0; }
  ByteView view() const { return {data, static_cast<std::size_t>(is_null() ? 0 : size)}; }
};

struct HeaderView {
  ByteView key;  // UTF-8 text by Kafka's rules; not checked here
  NullableView value;
};

struct RecordView {
  std::int64_t offset = 0;
  // Milliseconds; -1: none. The batch's max timestamp where the topic stamps by log append time.
  std::int64_t timestamp = -1;
  NullableView key;
  NullableView value;
  // Index and count in RecordBlock::headers.
  std::uint32_t header_begin = 0;
  std::uint32_t header_count = 0;
};

// Which record batch records came from. Two batches of one partition with the same mark hold the
// same records as far as a checksum can tell.
struct BatchMark {
  std::int64_t base_offset = 0;
  std::int64_t last_offset = 0;
  // Of the whole batch, wanted or not.
  std::int32_t record_count = 0;
  // CRC-32C, as the batch's header states it.
  std::uint32_t checksum = 0;

  bool operator==(const BatchMark&) const = default;
};

// Records of one partition in order of offset, and the buffers that they point into.
struct RecordBlock {
  std::vector<RecordView> records;
  std::vector<HeaderView> headers;
  // Of the batches that the records came from, in order. A batch that is handed over in several
  // blocks stands in the first of them only.
  std::vector<BatchMark> batches;
  std::vector<std::shared_ptr<const void>> owners;
  // Bytes of keys, values and headers: what chunk sizes are measured in.
  std::size_t payload_bytes = 0;
  // What their source holds in memory for them: at least the owners' buffers.
  std::size_t held_bytes = 0;
};

}  // namespace frazil
