// SPDX-License-Identifier: Apache-2.0
#include "table/table_description.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace frazil::table {
namespace {

using Json = nlohmann::json;

constexpr int kDeepestType = 12;

void AddColumns(const std::string& prefix, const std::vector<iceberg::NestedField>& fields,
                std::vector<ColumnDescription>& columns) {
  for (const iceberg::NestedField& field : fields) {
    const std::string path = prefix + field.name;
    columns.push_back({.id = field.id,
                       .path = path,
                       .type = iceberg::ToString(field.type),
                       .required = field.required,
                       .origin = std::nullopt});
    AddColumns(path + ".", field.type.fields, columns);
  }
}

std::string TextOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string NumberOf(const Json& object, const char* key, const char* otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->dump() : otherwise;
}

// "null | string", "array<long>", "record Address", "bytes decimal(10,2)".
std::string AvroType(const Json& type, int depth) {
  if (depth > kDeepestType) return "...";
  if (type.is_string()) return type.get<std::string>();
  if (type.is_array()) {
    std::string text;
    for (const Json& branch : type) {
      text += (text.empty() ? "" : " | ") + AvroType(branch, depth + 1);
    }
    return text;
  }
  if (!type.is_object()) return {};
  const auto inner = type.find("type");
  if (inner == type.end()) return {};
  std::string text = AvroType(*inner, depth + 1);
  if (text == "array" && type.contains("items")) {
    text = "array<" + AvroType(type["items"], depth + 1) + ">";
  } else if (text == "map" && type.contains("values")) {
    text = "map<" + AvroType(type["values"], depth + 1) + ">";
  } else if (const std::string name = TextOf(type, "name"); !name.empty()) {
    text += " " + name;
  }
  const std::string logical = TextOf(type, "logicalType");
  if (!logical.empty()) text += " " + logical;
  if (logical == "decimal") {
    text += "(" + NumberOf(type, "precision", "?") + "," + NumberOf(type, "scale", "0") + ")";
  }
  return text;
}

}  // namespace

std::vector<ColumnDescription> DescribeColumns(const iceberg::Schema& schema) {
  std::vector<ColumnDescription> columns;
  AddColumns("", schema.fields, columns);
  return columns;
}

std::string AvroTypeOfField(const std::string& schema_text, const std::string& field) {
  const Json schema = Json::parse(schema_text, nullptr, false);
  if (!schema.is_object()) return {};
  const auto fields = schema.find("fields");
  if (fields == schema.end() || !fields->is_array()) return {};
  for (const Json& item : *fields) {
    if (item.is_object() && TextOf(item, "name") == field && item.contains("type")) {
      return AvroType(item["type"], 0);
    }
  }
  return {};
}

}  // namespace frazil::table
