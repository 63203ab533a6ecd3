// SPDX-License-Identifier: Apache-2.0
// Reads values of an Avro schema of somebody else's making: unions resolved, what is not asked for
// skipped. Errors of all: corrupt_data. Pure.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

#include "avro/binary.h"
#include "avro/schema.h"

namespace frazil::iceberg {

// The type that the value at hand has: a union's branch, otherwise `schema` itself.
Result<const avro::Schema*> ResolveUnion(const avro::Schema& schema, avro::BinaryReader& reader);

Status SkipValue(const avro::Schema& schema, avro::BinaryReader& reader);

// An int or long; nullopt for null.
Result<std::optional<std::int64_t>> ReadOptionalInteger(const avro::Schema& schema,
                                                        avro::BinaryReader& reader);
// A text, bytes or fixed; nullopt for null.
Result<std::optional<ByteView>> ReadOptionalBytes(const avro::Schema& schema,
                                                  avro::BinaryReader& reader);

// The same where null is an error.
Result<std::int64_t> ReadInteger(const avro::Schema& schema, avro::BinaryReader& reader);
Result<ByteView> ReadBytes(const avro::Schema& schema, avro::BinaryReader& reader);

// The item count of an array's or map's next block; 0 ends it. Where items take no bytes, no more
// than bytes are left.
Result<std::int64_t> ReadBlockCount(avro::BinaryReader& reader);

// Calls `handle(field, reader)` for each field in order; it consumes the field's value.
template <std::invocable<const avro::Field&, avro::BinaryReader&> Handle>
Status ReadRecord(const avro::Schema& schema, avro::BinaryReader& reader, Handle handle) {
  FRAZIL_ASSIGN_OR_RETURN(const avro::Schema* record, ResolveUnion(schema, reader));
  if (record->type != avro::Type::kRecord || record->recursive_reference) {
    return Error(ErrorCode::kCorruptData, "a field of a manifest should be an Avro record but is " +
                                              avro::Describe(*record));
  }
  for (const avro::Field& field : record->fields) FRAZIL_RETURN_IF_ERROR(handle(field, reader));
  return {};
}

// Calls `handle(item, reader)` for each item of an array; nothing for null.
template <std::invocable<const avro::Schema&, avro::BinaryReader&> Handle>
Status ReadArray(const avro::Schema& schema, avro::BinaryReader& reader, Handle handle) {
  FRAZIL_ASSIGN_OR_RETURN(const avro::Schema* array, ResolveUnion(schema, reader));
  if (array->type == avro::Type::kNull) return {};
  if (array->type != avro::Type::kArray) {
    return Error(ErrorCode::kCorruptData,
                 "a field of a manifest should be an Avro array but is " + avro::Describe(*array));
  }
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(const std::int64_t count, ReadBlockCount(reader));
    if (count == 0) return {};
    for (std::int64_t i = 0; i < count; ++i) {
      FRAZIL_RETURN_IF_ERROR(handle(array->children.front(), reader));
    }
  }
}

}  // namespace frazil::iceberg
