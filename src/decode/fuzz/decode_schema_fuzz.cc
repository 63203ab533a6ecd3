// SPDX-License-Identifier: Apache-2.0
// A writer's schema and one record of it. Input: the schema as JSON, a zero byte, the record.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <arrow/record_batch.h>

#include "avro/schema.h"
#include "base/check.h"
#include "decode/block_decoder.h"
#include "decode/schema_mapping.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::uint8_t* zero = std::find(data, data + size, std::uint8_t{0});
  const auto json = frazil::AsText({data, static_cast<std::size_t>(zero - data)});
  const auto schema = frazil::avro::ParseSchema(json, {}, {.text_bytes = 1 << 16, .nodes = 500});
  if (!schema.ok()) return 0;
  const auto mapped = frazil::decode::MapFirstSchema(*schema, frazil::FieldId(21));
  if (!mapped.ok()) return 0;
  const auto again = frazil::decode::MapNextSchema(mapped->schema, *schema, mapped->next_field_id);
  FRAZIL_CHECK(again.ok() && again->schema == mapped->schema);
  auto plan = frazil::decode::AvroPlan::Compile(*schema, mapped->schema, mapped->schema);
  FRAZIL_CHECK(plan.ok());
  FRAZIL_CHECK(frazil::decode::FieldsNotHeld(*schema, mapped->schema, mapped->schema).empty());
  // A column of a large fixed type takes its room before a record is looked at.
  for (const auto* field : frazil::iceberg::LeafFields(mapped->schema)) {
    if (field->type.length > 1 << 16) return 0;
  }
  frazil::decode::PlansById plans;
  plans.emplace(frazil::WriterSchemaId(0), std::move(plan).value());
  frazil::Bytes value(5, 0);
  if (zero != data + size) value.insert(value.end(), zero + 1, data + size);
  value.shrink_to_fit();
  std::vector<frazil::decode::RecordBlock> blocks(1);
  frazil::decode::SourceRecord record;
  record.value = {value.data(), static_cast<std::int32_t>(value.size())};
  blocks[0].records = {record, {}};
  const auto batch = frazil::decode::DecodeBlocks({.topic = "t", .generation = {}, .partition = {}},
                                                  mapped->schema, plans, blocks);
  if (batch.ok()) FRAZIL_CHECK((*batch)->ValidateFull().ok());
  return 0;
}
