// SPDX-License-Identifier: Apache-2.0
// Avro object container files, as Iceberg's manifests need them: codec "null", one block.
// Spec: Apache Avro 1.12, "Object Container Files". Pure.
//
//   "Obj" 1 | map<bytes> of metadata (avro.schema, avro.codec, the caller's) | sync marker
//   block: record count, byte count, records, sync marker
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace frazil::avro {

// Metadata entries in the order in which they are written.
using ContainerMetadata = std::vector<std::pair<std::string, std::string>>;

// The whole file. `records` are `record_count` values of the schema, one after another. The sync
// marker is a hash of the input, so the same input gives the same bytes. With no records there is
// no block.
Bytes WriteContainer(std::string_view schema_json, const ContainerMetadata& metadata,
                     std::int64_t record_count, ByteView records);

struct ContainerBlock {
  std::int64_t record_count = 0;
  // A view into the file.
  ByteView records;
};

struct Container {
  std::string schema_json;
  // avro.schema and avro.codec left out.
  ContainerMetadata metadata;
  std::vector<ContainerBlock> blocks;
};

// Errors: corrupt_data for damage, or a codec other than "null".
Result<Container> ReadContainer(ByteView file);

}  // namespace frazil::avro
