// SPDX-License-Identifier: Apache-2.0
#include "iceberg/data_file_json.h"

#include <optional>
#include <utility>

#include "avro/bounded_json.h"
#include "base/encoding.h"
#include "iceberg/json_internal.h"

namespace frazil::iceberg {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kItems = 7;
// A table of a few thousand columns takes less than a megabyte.
constexpr avro::JsonLimits kLimits = {.text_bytes = 64 << 20, .nesting = 2};

OrderedJson BoundToJson(const std::optional<Bytes>& bound) {
  return bound ? OrderedJson(HexEncode(*bound)) : OrderedJson(nullptr);
}

Error Broken(const std::string& what) {
  return Error(ErrorCode::kCorruptData,
               "the stored metrics of a data file cannot be read: " + what);
}

// nullopt for a number that is no integer of 64 bits with a sign.
std::optional<std::int64_t> ToInteger(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  return json.get<std::int64_t>();
}

Result<std::optional<Bytes>> ToBound(const Json& json) {
  if (json.is_null()) return std::optional<Bytes>();
  auto bytes = json.is_string() ? HexDecode(json.get_ref<const std::string&>()) : std::nullopt;
  if (!bytes) return Broken("a bound is neither null nor hexadecimal");
  return bytes;
}

Result<std::pair<FieldId, ColumnMetrics>> ToColumn(const Json& json) {
  if (!json.is_array() || json.size() != kItems) return Broken("a column is no list of 7 items");
  const auto id = ToInteger(json[0]);
  const auto size = ToInteger(json[1]);
  const auto values = ToInteger(json[2]);
  const auto nulls = ToInteger(json[3]);
  const auto nans = ToInteger(json[4]);
  if (!id || !std::in_range<std::int32_t>(*id) || !size || !values || !nulls || !nans) {
    return Broken("a number of a column is missing or out of range");
  }
  ColumnMetrics column{.column_size = *size,
                       .value_count = *values,
                       .null_count = *nulls,
                       .nan_count = *nans,
                       .lower_bound = {},
                       .upper_bound = {}};
  FRAZIL_ASSIGN_OR_RETURN(column.lower_bound, ToBound(json[5]));
  FRAZIL_ASSIGN_OR_RETURN(column.upper_bound, ToBound(json[6]));
  return std::pair(FieldId(static_cast<std::int32_t>(*id)), std::move(column));
}

}  // namespace

std::string ColumnsToJson(const std::map<FieldId, ColumnMetrics>& columns) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [id, column] : columns) {
    list.push_back(OrderedJson::array(
        {id.value(), column.column_size, column.value_count, column.null_count, column.nan_count,
         BoundToJson(column.lower_bound), BoundToJson(column.upper_bound)}));
  }
  return Dump(list);
}

Result<std::map<FieldId, ColumnMetrics>> ColumnsFromJson(std::string_view json) {
  FRAZIL_ASSIGN_OR_RETURN(const Json parsed, avro::ParseBoundedJson(json, kLimits));
  if (!parsed.is_array()) return Broken("they are no list");
  std::map<FieldId, ColumnMetrics> columns;
  for (const Json& item : parsed) {
    FRAZIL_ASSIGN_OR_RETURN(auto column, ToColumn(item));
    if (!columns.empty() && column.first <= columns.rbegin()->first) {
      return Broken("the columns do not stand in the order of their ids");
    }
    columns.insert(std::move(column));
  }
  return columns;
}

}  // namespace frazil::iceberg
