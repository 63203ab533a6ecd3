// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "avro/logical_type_internal.h"

namespace frazil::avro {
namespace {

struct Row {
  std::string_view name;
  LogicalType logical_type;
  Type type;
  // kFixed only.
  std::size_t size;
};

// decimal is not here: its base type and its attributes depend on each other.
constexpr std::array<Row, 13> kRows = {{
    {"uuid", LogicalType::kUuid, Type::kString, 0},
    {"uuid", LogicalType::kUuid, Type::kFixed, 16},
    {"date", LogicalType::kDate, Type::kInt, 0},
    {"time-millis", LogicalType::kTimeMillis, Type::kInt, 0},
    {"time-micros", LogicalType::kTimeMicros, Type::kLong, 0},
    {"timestamp-millis", LogicalType::kTimestampMillis, Type::kLong, 0},
    {"timestamp-micros", LogicalType::kTimestampMicros, Type::kLong, 0},
    {"timestamp-nanos", LogicalType::kTimestampNanos, Type::kLong, 0},
    {"local-timestamp-millis", LogicalType::kLocalTimestampMillis, Type::kLong, 0},
    {"local-timestamp-micros", LogicalType::kLocalTimestampMicros, Type::kLong, 0},
    {"local-timestamp-nanos", LogicalType::kLocalTimestampNanos, Type::kLong, 0},
    {"duration", LogicalType::kDuration, Type::kFixed, 12},
    {"decimal", LogicalType::kDecimal, Type::kBytes, 0},
}};

// The integer under `key`, or `absent`; nullopt for anything else there.
std::optional<std::int64_t> Integer(const nlohmann::json& json, const char* key,
                                    std::optional<std::int64_t> absent) {
  const auto found = json.find(key);
  if (found == json.end()) return absent;
  if (!found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() &&
      found->get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return found->get<std::int64_t>();
}

// The digits that every value of so many bytes in two's complement can have.
std::int64_t DigitsOf(std::size_t bytes) {
  if (bytes == 0) return 0;
  return static_cast<std::int64_t>((8.0 * static_cast<double>(bytes) - 1) * std::log10(2.0));
}

void ApplyDecimal(const nlohmann::json& json, Schema& schema) {
  if (schema.type != Type::kBytes && schema.type != Type::kFixed) return;
  const auto precision = Integer(json, "precision", std::nullopt);
  const auto scale = Integer(json, "scale", 0);
  if (!precision || !scale || *precision < 1 || *scale < 0 || *scale > *precision) return;
  if (schema.type == Type::kFixed && *precision > DigitsOf(schema.size)) return;
  schema.logical_type = LogicalType::kDecimal;
  schema.precision = static_cast<int>(*precision);
  schema.scale = static_cast<int>(*scale);
}

}  // namespace

void ApplyLogicalType(const nlohmann::json& json, Schema& schema) {
  const auto found = json.find("logicalType");
  if (found == json.end() || !found->is_string()) return;
  const auto& name = found->get_ref<const std::string&>();
  if (name == "decimal") return ApplyDecimal(json, schema);
  for (const Row& row : kRows) {
    if (row.name == name && row.type == schema.type && row.size == schema.size) {
      schema.logical_type = row.logical_type;
    }
  }
}

std::string_view NameOf(LogicalType type) {
  const auto* row = std::ranges::find(kRows, type, &Row::logical_type);
  return row == kRows.end() ? std::string_view() : row->name;
}

}  // namespace frazil::avro
