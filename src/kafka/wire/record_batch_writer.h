// SPDX-License-Identifier: Apache-2.0
// Builds record batches of message format 2, uncompressed or with any of the codecs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "kafka/wire/record_batch.h"

namespace frazil::kafka::wire {

// The fields of a batch that do not follow from its records.
struct BatchProperties {
  std::int64_t base_offset = 0;
  std::int32_t leader_epoch = -1;
  CompressionCodec codec = CompressionCodec::kNone;
  bool log_append_time = false;
  bool transactional = false;
  bool control = false;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t base_sequence = -1;
  // The offset that the batch ends with when compaction has removed records from its end; the last
  // record's otherwise.
  std::optional<std::int32_t> last_offset_delta;
  // Stamped on the batch when log_append_time; the largest of the records otherwise.
  std::int64_t append_timestamp = -1;
};

struct RecordToWrite {
  // Above the record's before.
  std::int32_t offset_delta = 0;
  std::int64_t timestamp = -1;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::vector<std::pair<std::string_view, std::optional<std::string_view>>> headers;
};

// Appends one batch to `to`. The base timestamp is the first record's.
// Requires: a codec of CompressionCodec; less than 2^31 bytes of records.
void AppendRecordBatch(const BatchProperties& properties, const std::vector<RecordToWrite>& records,
                       Bytes& to);

// Appends the control batch that ends a transaction at `properties.base_offset`.
void AppendTransactionMarker(const BatchProperties& properties, ControlType type,
                             std::int64_t timestamp, Bytes& to);

}  // namespace frazil::kafka::wire
