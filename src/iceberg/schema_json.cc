// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "avro/bounded_json.h"
#include "base/encoding.h"
#include "iceberg/json_internal.h"
#include "iceberg/schema.h"

namespace frazil::iceberg {
namespace {

using Json = nlohmann::json;

OrderedJson FieldsToJson(const std::vector<NestedField>& fields);

OrderedJson TypeToJson(const Type& type) {
  if (type.is_primitive()) return ToString(type);
  OrderedJson json;
  if (type.kind == TypeKind::kStruct) {
    json["type"] = "struct";
    json["fields"] = FieldsToJson(type.fields);
  } else if (type.kind == TypeKind::kList) {
    const NestedField& element = type.fields.at(0);
    json["type"] = "list";
    json["element-id"] = element.id.value();
    json["element"] = TypeToJson(element.type);
    json["element-required"] = element.required;
  } else {
    const NestedField& key = type.fields.at(0);
    const NestedField& value = type.fields.at(1);
    json["type"] = "map";
    json["key-id"] = key.id.value();
    json["key"] = TypeToJson(key.type);
    json["value-id"] = value.id.value();
    json["value"] = TypeToJson(value.type);
    json["value-required"] = value.required;
  }
  return json;
}

OrderedJson FieldsToJson(const std::vector<NestedField>& fields) {
  OrderedJson list = OrderedJson::array();
  for (const NestedField& field : fields) {
    OrderedJson json;
    json["id"] = field.id.value();
    json["name"] = field.name;
    json["required"] = field.required;
    json["type"] = TypeToJson(field.type);
    if (!field.doc.empty()) json["doc"] = field.doc;
    list.push_back(std::move(json));
  }
  return list;
}

Error Broken(const std::string& what) {
  return Error(ErrorCode::kCorruptData, "the Iceberg schema cannot be read: " + what);
}

// Reads one schema; knows the ids it has met.
class SchemaReader {
 public:
  Result<std::vector<NestedField>> Fields(const Json& json);

 private:
  Result<Type> ReadType(const Json& json);
  Result<Type> ReadList(const Json& json);
  Result<Type> ReadMap(const Json& json);
  Result<FieldId> ReadId(const Json& object, const char* key);
  static Result<bool> ReadFlag(const Json& object, const char* key);
  static Result<Type> ReadPrimitive(std::string_view text);

  std::set<FieldId> ids_;
};

Result<FieldId> SchemaReader::ReadId(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned() ||
      found->get<std::uint64_t>() > 0x7fffffff) {
    return Broken(std::string("\"") + key + "\" is missing or no field id");
  }
  const FieldId id(found->get<std::int32_t>());
  if (!ids_.insert(id).second) {
    return Broken("a field id stands twice: " + std::to_string(id.value()));
  }
  return id;
}

Result<bool> SchemaReader::ReadFlag(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_boolean()) {
    return Broken(std::string("\"") + key + "\" is missing or neither true nor false");
  }
  return found->get<bool>();
}

// The numbers of "decimal(10, 2)" or "fixed[16]", whose text begins with `prefix`.
std::optional<std::vector<int>> Parameters(std::string_view text, std::string_view prefix,
                                           char close) {
  if (!text.starts_with(prefix) || !text.ends_with(close)) return std::nullopt;
  text.remove_prefix(prefix.size());
  text.remove_suffix(1);
  std::vector<int> numbers;
  while (numbers.size() < 2) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.empty()) return numbers;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

Result<Type> SchemaReader::ReadPrimitive(std::string_view text) {
  static constexpr std::array kPlain = {
      TypeKind::kBoolean, TypeKind::kInt,  TypeKind::kLong,        TypeKind::kFloat,
      TypeKind::kDouble,  TypeKind::kDate, TypeKind::kTime,        TypeKind::kTimestamp,
      TypeKind::kString,  TypeKind::kUuid, TypeKind::kTimestamptz, TypeKind::kBinary};
  for (const TypeKind kind : kPlain) {
    Type type = Type::Of(kind);
    if (ToString(type) == text) return type;
  }
  if (const auto numbers = Parameters(text, "decimal(", ')'); numbers && numbers->size() == 2) {
    const int precision = numbers->at(0);
    const int scale = numbers->at(1);
    if (precision >= 1 && precision <= 38 && scale <= precision) {
      return Type::Decimal(precision, scale);
    }
  }
  if (const auto numbers = Parameters(text, "fixed[", ']'); numbers && numbers->size() == 1) {
    return Type::Fixed(numbers->at(0));
  }
  return Broken("a type is unknown or not of format version 2: " + Printable(text));
}

Result<Type> SchemaReader::ReadList(const Json& json) {
  const auto element = json.find("element");
  if (element == json.end()) return Broken("a list has no \"element\"");
  FRAZIL_ASSIGN_OR_RETURN(const FieldId id, ReadId(json, "element-id"));
  FRAZIL_ASSIGN_OR_RETURN(const bool required, ReadFlag(json, "element-required"));
  FRAZIL_ASSIGN_OR_RETURN(Type type, ReadType(*element));
  return Type::List(id, std::move(type), required);
}

Result<Type> SchemaReader::ReadMap(const Json& json) {
  const auto key = json.find("key");
  const auto value = json.find("value");
  if (key == json.end() || value == json.end()) return Broken("a map has no \"key\" or \"value\"");
  FRAZIL_ASSIGN_OR_RETURN(const FieldId key_id, ReadId(json, "key-id"));
  FRAZIL_ASSIGN_OR_RETURN(const FieldId value_id, ReadId(json, "value-id"));
  FRAZIL_ASSIGN_OR_RETURN(const bool required, ReadFlag(json, "value-required"));
  FRAZIL_ASSIGN_OR_RETURN(Type key_type, ReadType(*key));
  FRAZIL_ASSIGN_OR_RETURN(Type value_type, ReadType(*value));
  return Type::Map(key_id, std::move(key_type), value_id, std::move(value_type), required);
}

Result<Type> SchemaReader::ReadType(const Json& json) {
  if (json.is_string()) return ReadPrimitive(json.get_ref<const std::string&>());
  const auto name = json.is_object() ? json.find("type") : json.end();
  if (name != json.end() && *name == "list") return ReadList(json);
  if (name != json.end() && *name == "map") return ReadMap(json);
  if (name != json.end() && *name == "struct") {
    FRAZIL_ASSIGN_OR_RETURN(std::vector<NestedField> fields, Fields(json));
    return Type::Struct(std::move(fields));
  }
  return Broken("a type is neither a text nor a struct, list or map");
}

Result<std::vector<NestedField>> SchemaReader::Fields(const Json& json) {
  const auto list = json.find("fields");
  if (list == json.end() || !list->is_array()) return Broken("a struct has no list of fields");
  std::vector<NestedField> fields;
  std::set<std::string> names;
  for (const Json& item : *list) {
    if (!item.is_object()) return Broken("a field is no object");
    NestedField field;
    FRAZIL_ASSIGN_OR_RETURN(field.id, ReadId(item, "id"));
    FRAZIL_ASSIGN_OR_RETURN(field.required, ReadFlag(item, "required"));
    const auto name = item.find("name");
    const auto type = item.find("type");
    if (name == item.end() || !name->is_string() || type == item.end()) {
      return Broken("a field has no name or no type: " + std::to_string(field.id.value()));
    }
    field.name = name->get<std::string>();
    if (!names.insert(field.name).second) {
      return Broken("a struct has two fields of one name: " + Printable(field.name));
    }
    FRAZIL_ASSIGN_OR_RETURN(field.type, ReadType(*type));
    const auto doc = item.find("doc");
    if (doc != item.end() && doc->is_string()) field.doc = doc->get<std::string>();
    fields.push_back(std::move(field));
  }
  return fields;
}

Result<Schema> ReadSchema(const Json& json) {
  if (!json.is_object() || json.value("type", Json()) != "struct") {
    return Broken("it is no object of type \"struct\"");
  }
  Schema schema;
  const auto id = json.find("schema-id");
  if (id != json.end()) {
    if (!id->is_number_unsigned() || id->get<std::uint64_t>() > 0x7fffffff) {
      return Broken("\"schema-id\" is no number of a schema");
    }
    schema.version = SchemaVersion(id->get<std::int32_t>());
  }
  FRAZIL_ASSIGN_OR_RETURN(schema.fields, SchemaReader().Fields(json));
  return schema;
}

}  // namespace

OrderedJson ToJson(const Schema& schema) {
  OrderedJson json;
  json["type"] = "struct";
  json["schema-id"] = schema.version.value();
  json["fields"] = FieldsToJson(schema.fields);
  return json;
}

std::string SchemaToJson(const Schema& schema) { return Dump(ToJson(schema)); }

Result<Schema> SchemaFromJson(std::string_view json) {
  try {
    FRAZIL_ASSIGN_OR_RETURN(const Json parsed, avro::ParseBoundedJson(json));
    return ReadSchema(parsed);
  } catch (const std::exception& e) {
    return Broken(e.what());
  }
}

}  // namespace frazil::iceberg
