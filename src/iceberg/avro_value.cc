// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "iceberg/avro_value_internal.h"

namespace frazil::iceberg {
namespace {

using avro::BinaryReader;
using avro::Type;

Error Unexpected(const char* wanted, const avro::Schema& schema) {
  return Error(ErrorCode::kCorruptData, std::string("a field of a manifest should be ") + wanted +
                                            " but is " + avro::Describe(schema));
}

Error UnexpectedNull() {
  return Error(ErrorCode::kCorruptData, "a field of a manifest that needs a value is null");
}

// Whether values of the type take no bytes at all.
bool IsEmpty(const avro::Schema& schema) {
  switch (schema.type) {
    case Type::kNull:
      return true;
    case Type::kFixed:
      return schema.size == 0;
    case Type::kRecord:
      return !schema.recursive_reference &&
             std::ranges::all_of(schema.fields, IsEmpty, &avro::Field::schema);
    default:
      return false;
  }
}

// Blocks that state their size are skipped whole. Items that take no bytes are not counted off:
// their number is not bounded by the file.
Status SkipBlocks(const avro::Schema& schema, BinaryReader& reader) {
  const bool is_map = schema.type == Type::kMap;
  const avro::Schema& item = schema.children.front();
  const bool is_empty = !is_map && IsEmpty(item);
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(const std::int64_t count, reader.ReadLong());
    if (count == 0) return {};
    if (count < 0) {
      FRAZIL_RETURN_IF_ERROR(reader.ReadBytes());
      continue;
    }
    for (std::int64_t i = 0; i < count && !is_empty; ++i) {
      if (is_map) FRAZIL_RETURN_IF_ERROR(reader.ReadBytes());
      FRAZIL_RETURN_IF_ERROR(SkipValue(item, reader));
    }
  }
}

Status SkipRecord(const avro::Schema& schema, BinaryReader& reader) {
  if (schema.recursive_reference) return Unexpected("of a type that ends", schema);
  for (const avro::Field& field : schema.fields) {
    FRAZIL_RETURN_IF_ERROR(SkipValue(field.schema, reader));
  }
  return {};
}

template <typename T>
Status Drop(const Result<T>& result) {
  return result.ok() ? Status() : Status(result.error());
}

}  // namespace

Result<const avro::Schema*> ResolveUnion(const avro::Schema& schema, BinaryReader& reader) {
  if (schema.type != Type::kUnion) return &schema;
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t branch, reader.ReadLong());
  if (branch < 0 || static_cast<std::size_t>(branch) >= schema.children.size()) {
    return Error(ErrorCode::kCorruptData,
                 "a value names a branch that its union lacks: " + std::to_string(branch));
  }
  return &schema.children[static_cast<std::size_t>(branch)];
}

// Recursion ends: the schema's depth is bounded, and it holds no reference to itself.
Status SkipValue(const avro::Schema& schema, BinaryReader& reader) {
  FRAZIL_ASSIGN_OR_RETURN(const avro::Schema* type, ResolveUnion(schema, reader));
  switch (type->type) {
    case Type::kNull:
      return {};
    case Type::kBoolean:
      return Drop(reader.ReadBoolean());
    case Type::kInt:
    case Type::kLong:
    case Type::kEnum:
      return Drop(reader.ReadLong());
    case Type::kFloat:
      return Drop(reader.ReadFixed(sizeof(float)));
    case Type::kDouble:
      return Drop(reader.ReadFixed(sizeof(double)));
    case Type::kBytes:
    case Type::kString:
      return Drop(reader.ReadBytes());
    case Type::kFixed:
      return Drop(reader.ReadFixed(type->size));
    case Type::kArray:
    case Type::kMap:
      return SkipBlocks(*type, reader);
    case Type::kRecord:
      return SkipRecord(*type, reader);
    case Type::kUnion:
      break;
  }
  return Unexpected("no union inside a union", *type);
}

Result<std::optional<std::int64_t>> ReadOptionalInteger(const avro::Schema& schema,
                                                        BinaryReader& reader) {
  FRAZIL_ASSIGN_OR_RETURN(const avro::Schema* type, ResolveUnion(schema, reader));
  if (type->type == Type::kNull) return std::optional<std::int64_t>();
  if (type->type != Type::kInt && type->type != Type::kLong) {
    return Unexpected("an int or a long", *type);
  }
  FRAZIL_ASSIGN_OR_RETURN(const std::int64_t value, reader.ReadLong());
  return std::optional(value);
}

Result<std::optional<ByteView>> ReadOptionalBytes(const avro::Schema& schema,
                                                  BinaryReader& reader) {
  FRAZIL_ASSIGN_OR_RETURN(const avro::Schema* type, ResolveUnion(schema, reader));
  if (type->type == Type::kNull) return std::optional<ByteView>();
  if (type->type != Type::kBytes && type->type != Type::kString && type->type != Type::kFixed) {
    return Unexpected("a string or bytes", *type);
  }
  FRAZIL_ASSIGN_OR_RETURN(const ByteView value, type->type == Type::kFixed
                                                    ? reader.ReadFixed(type->size)
                                                    : reader.ReadBytes());
  return std::optional(value);
}

Result<std::int64_t> ReadInteger(const avro::Schema& schema, BinaryReader& reader) {
  FRAZIL_ASSIGN_OR_RETURN(const auto value, ReadOptionalInteger(schema, reader));
  if (!value) return UnexpectedNull();
  return *value;
}

Result<ByteView> ReadBytes(const avro::Schema& schema, BinaryReader& reader) {
  FRAZIL_ASSIGN_OR_RETURN(const auto value, ReadOptionalBytes(schema, reader));
  if (!value) return UnexpectedNull();
  return *value;
}

Result<std::int64_t> ReadBlockCount(BinaryReader& reader) {
  FRAZIL_ASSIGN_OR_RETURN(std::int64_t count, reader.ReadLong());
  if (count < 0 && count != std::numeric_limits<std::int64_t>::min()) {
    count = -count;
    FRAZIL_RETURN_IF_ERROR(reader.ReadLong());
  }
  if (count < 0 || static_cast<std::uint64_t>(count) > reader.remaining()) {
    return Error(ErrorCode::kCorruptData,
                 "an Avro array claims more items than bytes are left: " + std::to_string(count));
  }
  return count;
}

}  // namespace frazil::iceberg
