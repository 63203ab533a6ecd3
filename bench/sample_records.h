// SPDX-License-Identifier: Apache-2.0
// The records that are measured, made from a number alone: the same number gives the same bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace frazil::bench {

enum class Shape {
  // Eight fields, none inside another; with Kafka's offset and timestamp the record of ten columns.
  kFlat,
  // A record with an optional record, an array of records and a map.
  kNested,
};

// "flat", "nested". Ends the process for any other text.
Shape ShapeNamed(std::string_view name);

// The Avro schema, as JSON.
std::string_view SchemaText(Shape shape);

// Appends record `number` in Confluent framing (0, the schema's id, Avro's binary encoding).
void AppendValue(Shape shape, std::int64_t number, std::int32_t schema_id, Bytes& to);

// How many values without parts record `number` has, NULL ones too.
std::int64_t LeafValues(Shape shape, std::int64_t number);

}  // namespace frazil::bench
