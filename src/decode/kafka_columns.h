// SPDX-License-Identifier: Apache-2.0
// The columns that every table has beside the value's own, with their fixed field ids. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "base/ids.h"
#include "decode/value_format.h"
#include "iceberg/schema.h"

namespace frazil::decode {

// Part of every chunk's fingerprint (R4): raised when the same record and schema would give other
// columns or values.
inline constexpr int kMappingVersion = 0;

// Ids 1 to 20 are kept for these columns; the value's fields are numbered from 21 up.
inline constexpr FieldId kGenerationField{1};
inline constexpr FieldId kPartitionField{2};
inline constexpr FieldId kOffsetField{3};
inline constexpr FieldId kTimestampField{4};
inline constexpr FieldId kKeyField{5};
inline constexpr FieldId kHeadersField{6};
inline constexpr FieldId kHeadersElementField{7};
inline constexpr FieldId kHeaderKeyField{8};
inline constexpr FieldId kHeaderValueField{9};
inline constexpr FieldId kValueField{10};
inline constexpr FieldId kFirstValueField{21};

inline constexpr std::string_view kReservedPrefix = "kafka_";

// How the values of a table of this schema are read: kRaw when it has kafka_value.
ValueFormat FormatOf(const iceberg::Schema& schema);

// kafka_generation int, kafka_partition int, kafka_offset long (required); kafka_timestamp
// timestamptz, kafka_key binary (optional); kafka_headers list<struct<key string, value binary>>
// (required list of required elements with required key): in the order in which they stand at the
// end of every table's schema.
std::vector<iceberg::NestedField> KafkaColumns();

// The table schema of a topic without schema, version 0: kafka_value binary (optional), then
// KafkaColumns().
iceberg::Schema RawSchema();

}  // namespace frazil::decode
