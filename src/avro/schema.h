// SPDX-License-Identifier: Apache-2.0
// An Avro schema as a tree of values, and its parser.
// Spec: Apache Avro 1.12, "Schema Declaration", "Names", "Logical Types". Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frazil::avro {

enum class Type {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kRecord,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kFixed,
};

// Unknown and invalid logical types are kNone, as the spec asks.
enum class LogicalType {
  kNone,
  kDecimal,
  kUuid,
  kDate,
  kTimeMillis,
  kTimeMicros,
  kTimestampMillis,
  kTimestampMicros,
  kTimestampNanos,
  kLocalTimestampMillis,
  kLocalTimestampMicros,
  kLocalTimestampNanos,
  kDuration,
};

struct Field;

struct Schema {
  Type type = Type::kNull;
  LogicalType logical_type = LogicalType::kNone;
  // kDecimal: 0 <= scale <= precision, precision >= 1.
  int precision = 0;
  int scale = 0;
  // Record, enum, fixed: full name ("shop.Order"); aliases, full too.
  std::string name;
  std::vector<std::string> aliases;
  std::string doc;
  // kRecord, in declared order.
  std::vector<Field> fields;
  // kEnum; not empty, distinct.
  std::vector<std::string> symbols;
  // kArray: [items]; kMap: [values]; kUnion: the branches, at least one.
  std::vector<Schema> children;
  // kFixed: size in bytes.
  std::size_t size = 0;
  // A record that stands inside itself: its name only, no fields. Such a schema cannot be shown as
  // columns. Other references to a named type are copies of its definition.
  bool recursive_reference = false;
};

struct Field {
  std::string name;
  std::vector<std::string> aliases;
  std::string doc;
  // The default, as JSON text; nullopt: none.
  std::optional<std::string> default_json;
  // Iceberg's attribute "field-id", where a writer gave one.
  std::optional<std::int32_t> field_id;
  Schema schema;
};

// What the parser accepts.
struct SchemaLimits {
  std::size_t text_bytes = 4 << 20;
  std::size_t depth = 64;
  // Schema nodes after references have been replaced by copies.
  std::size_t nodes = 20000;
};

// Parses a schema from its JSON text. `references` are texts of schemas whose named types the text
// may use, in an order in which each uses only earlier ones.
// Errors: corrupt_data for JSON that is broken or breaks the spec; schema_incompatible for a schema
// that passes a limit.
Result<Schema> ParseSchema(std::string_view json, const std::vector<std::string>& references = {},
                           const SchemaLimits& limits = {});

// "record shop.Order", "long (timestamp-millis)": for messages.
std::string Describe(const Schema& schema);

}  // namespace frazil::avro
