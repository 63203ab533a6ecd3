// SPDX-License-Identifier: Apache-2.0
// Kafka's own columns: coordinates, timestamp, key and headers of each record. Pure.
#pragma once

#include <memory>
#include <span>

#include "decode/block_decoder.h"

namespace arrow {
class Array;
}

namespace frazil::decode {

// The error of a record, naming topic, partition and offset.
Error RecordError(const BlockOrigin& origin, std::int64_t offset, std::string_view reason,
                  std::string_view place = {});

// The column of one of KafkaColumns().
// Errors: undecodable_record for a header key that is not UTF-8; resource_exhausted.
Result<std::shared_ptr<arrow::Array>> KafkaColumn(const BlockOrigin& origin,
                                                  const iceberg::NestedField& field,
                                                  std::span<const RecordBlock> blocks,
                                                  std::size_t rows);

}  // namespace frazil::decode
