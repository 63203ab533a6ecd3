// SPDX-License-Identifier: Apache-2.0
#include "avro/schema.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "avro/bounded_json.h"
#include "avro/logical_type_internal.h"
#include "avro/names_internal.h"
#include "base/encoding.h"

namespace frazil::avro {
namespace {

using Json = nlohmann::json;

Error Broken(const std::string& what) {
  return Error(ErrorCode::kCorruptData, "the Avro schema cannot be used: " + what);
}

Error TooLarge(const std::string& what) {
  return Error(ErrorCode::kSchemaIncompatible, "the Avro schema is too large to be used: " + what);
}

constexpr std::array<std::pair<std::string_view, Type>, 14> kTypeNames = {{
    {"null", Type::kNull},
    {"boolean", Type::kBoolean},
    {"int", Type::kInt},
    {"long", Type::kLong},
    {"float", Type::kFloat},
    {"double", Type::kDouble},
    {"bytes", Type::kBytes},
    {"string", Type::kString},
    {"record", Type::kRecord},
    {"enum", Type::kEnum},
    {"array", Type::kArray},
    {"map", Type::kMap},
    {"union", Type::kUnion},
    {"fixed", Type::kFixed},
}};

std::string_view NameOf(Type type) {
  return std::ranges::find(kTypeNames, type, &std::pair<std::string_view, Type>::second)->first;
}

bool IsNamed(Type type) {
  return type == Type::kRecord || type == Type::kEnum || type == Type::kFixed;
}

// The text under `key`; empty when it is absent or no text.
const std::string& TextOrEmpty(const Json& object, const char* key) {
  static const std::string kEmpty;
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get_ref<const std::string&>()
                                                     : kEmpty;
}

// Builds the tree by walking the JSON. A reference to a named type walks its definition again, so
// that references become copies, a type inside itself shows as one that is still open, and the
// limits hold for what is built, not for what was written.
class SchemaBuilder {
 public:
  explicit SchemaBuilder(const SchemaLimits& limits) : limits_(limits) {}

  // `json` must outlive the builder. Named types stay known for the texts that follow.
  Result<Schema> BuildText(const Json& json) {
    nodes_ = 0;
    text_bytes_ = 0;
    return Build(json, "");
  }

 private:
  // Where a named type stands, and the namespace around it.
  struct Definition {
    const Json* json;
    std::string name_space;
  };

  Result<Schema> Build(const Json& json, const std::string& name_space);
  Result<Schema> BuildReference(const std::string& name, const std::string& name_space);
  Result<Schema> BuildUnion(const Json& json, const std::string& name_space);
  Result<Schema> BuildObject(const Json& json, const std::string& name_space);
  Result<Schema> BuildNamed(Type type, const Json& json, const std::string& name_space);
  Result<Schema> BuildChild(Type type, const Json& json, const std::string& name_space);
  Status FillRecord(const Json& json, Schema& record);
  Result<Field> BuildField(const Json& json, const std::string& name_space);
  Status FillEnum(const Json& json, Schema& schema);
  Status FillFixed(const Json& json, Schema& schema);
  Result<std::vector<std::string>> Aliases(const Json& json, const std::string* name_space);
  Status Charge(std::size_t text_bytes);

  const SchemaLimits limits_;
  std::map<std::string, Definition> definitions_;
  std::set<std::string> open_;
  std::size_t depth_ = 0;
  std::size_t nodes_ = 0;
  std::size_t text_bytes_ = 0;
};

// Copies may repeat long documentation as they repeat nodes.
Status SchemaBuilder::Charge(std::size_t text_bytes) {
  text_bytes_ += text_bytes;
  if (text_bytes_ > 4 * limits_.text_bytes) {
    return TooLarge("its named types, copied wherever they are used, are too long");
  }
  return {};
}

Result<Schema> SchemaBuilder::Build(const Json& json, const std::string& name_space) {
  if (depth_ >= limits_.depth) {
    return TooLarge("it nests deeper than the limit of " + std::to_string(limits_.depth));
  }
  if (++nodes_ > limits_.nodes) {
    return TooLarge("it has more types than the limit of " + std::to_string(limits_.nodes) +
                    ", copies of named types counted");
  }
  ++depth_;
  Result<Schema> built = Broken("a type is neither a text, nor an object, nor a list");
  if (json.is_string()) {
    built = BuildReference(json.get_ref<const std::string&>(), name_space);
  } else if (json.is_array()) {
    built = BuildUnion(json, name_space);
  } else if (json.is_object()) {
    built = BuildObject(json, name_space);
  }
  --depth_;
  return built;
}

Result<Schema> SchemaBuilder::BuildReference(const std::string& name,
                                             const std::string& name_space) {
  if (IsPrimitiveName(name)) {
    Schema primitive;
    primitive.type = std::ranges::find(kTypeNames, std::string_view(name),
                                       &std::pair<std::string_view, Type>::first)
                         ->second;
    return primitive;
  }
  auto found = definitions_.find(FullName(name, name_space));
  // Writers that leave the namespace out are understood as long as the name stands alone.
  if (found == definitions_.end()) found = definitions_.find(name);
  if (found == definitions_.end()) {
    return Broken("it uses a type that is not defined before: " +
                  Printable(FullName(name, name_space)));
  }
  return BuildObject(*found->second.json, found->second.name_space);
}

Result<Schema> SchemaBuilder::BuildUnion(const Json& json, const std::string& name_space) {
  if (json.empty()) return Broken("a union has no branches");
  Schema schema;
  schema.type = Type::kUnion;
  std::set<std::string> seen;
  for (const Json& branch : json) {
    FRAZIL_ASSIGN_OR_RETURN(Schema child, Build(branch, name_space));
    if (child.type == Type::kUnion) return Broken("a union stands directly inside a union");
    const std::string kind = IsNamed(child.type) ? child.name : std::string(NameOf(child.type));
    if (!seen.insert(kind).second) {
      return Broken("a union has two branches of one type: " + Printable(kind));
    }
    schema.children.push_back(std::move(child));
  }
  return schema;
}

Result<Schema> SchemaBuilder::BuildObject(const Json& json, const std::string& name_space) {
  const std::string& type_name = TextOrEmpty(json, "type");
  if (type_name == "record" || type_name == "error") {
    return BuildNamed(Type::kRecord, json, name_space);
  }
  if (type_name == "enum") return BuildNamed(Type::kEnum, json, name_space);
  if (type_name == "fixed") return BuildNamed(Type::kFixed, json, name_space);
  if (type_name == "array") return BuildChild(Type::kArray, json, name_space);
  if (type_name == "map") return BuildChild(Type::kMap, json, name_space);
  if (type_name.empty()) return Broken("an object that should be a type has no \"type\" text");
  FRAZIL_ASSIGN_OR_RETURN(Schema schema, BuildReference(type_name, name_space));
  if (!IsNamed(schema.type)) ApplyLogicalType(json, schema);
  return schema;
}

Result<Schema> SchemaBuilder::BuildChild(Type type, const Json& json,
                                         const std::string& name_space) {
  const char* key = type == Type::kArray ? "items" : "values";
  const auto child = json.find(key);
  if (child == json.end()) {
    return Broken("type \"" + std::string(NameOf(type)) + "\" has no \"" + key + "\"");
  }
  Schema schema;
  schema.type = type;
  FRAZIL_ASSIGN_OR_RETURN(Schema built, Build(*child, name_space));
  schema.children.push_back(std::move(built));
  return schema;
}

Result<Schema> SchemaBuilder::BuildNamed(Type type, const Json& json,
                                         const std::string& name_space) {
  const auto own_namespace = json.find("namespace");
  const bool has_namespace = own_namespace != json.end() && own_namespace->is_string();
  Schema schema;
  schema.type = type;
  FRAZIL_ASSIGN_OR_RETURN(
      schema.name,
      DefinedName(TextOrEmpty(json, "name"),
                  has_namespace ? own_namespace->get_ref<const std::string&>() : name_space));
  const auto [definition, is_new] =
      definitions_.try_emplace(schema.name, Definition{&json, name_space});
  if (!is_new && definition->second.json != &json) {
    return Broken("it defines a name twice: " + Printable(schema.name));
  }
  if (open_.contains(schema.name)) {
    schema.recursive_reference = true;
    return schema;
  }
  schema.doc = TextOrEmpty(json, "doc");
  const std::string inner_namespace(NamespaceOf(schema.name));
  FRAZIL_ASSIGN_OR_RETURN(schema.aliases, Aliases(json, &inner_namespace));
  FRAZIL_RETURN_IF_ERROR(Charge(schema.name.size() + schema.doc.size()));
  if (type == Type::kRecord) {
    open_.insert(schema.name);
    const Status filled = FillRecord(json, schema);
    open_.erase(schema.name);
    FRAZIL_RETURN_IF_ERROR(filled);
  } else if (type == Type::kEnum) {
    FRAZIL_RETURN_IF_ERROR(FillEnum(json, schema));
  } else {
    FRAZIL_RETURN_IF_ERROR(FillFixed(json, schema));
  }
  return schema;
}

Status SchemaBuilder::FillRecord(const Json& json, Schema& record) {
  const auto fields = json.find("fields");
  if (fields == json.end() || !fields->is_array()) {
    return Broken("a record has no list of fields: " + Printable(record.name));
  }
  const std::string name_space(NamespaceOf(record.name));
  std::set<std::string> names;
  for (const Json& field_json : *fields) {
    FRAZIL_ASSIGN_OR_RETURN(Field field, BuildField(field_json, name_space));
    if (!names.insert(field.name).second) {
      return Broken("record " + Printable(record.name) +
                    " has two fields of one name: " + Printable(field.name));
    }
    record.fields.push_back(std::move(field));
  }
  return {};
}

Result<Field> SchemaBuilder::BuildField(const Json& json, const std::string& name_space) {
  if (!json.is_object()) return Broken("a field of a record is no object");
  Field field;
  field.name = TextOrEmpty(json, "name");
  if (!IsValidName(field.name)) {
    return Broken("a field's name may hold letters, digits and underscores only: " +
                  Printable(field.name));
  }
  field.doc = TextOrEmpty(json, "doc");
  FRAZIL_ASSIGN_OR_RETURN(field.aliases, Aliases(json, nullptr));
  FRAZIL_RETURN_IF_ERROR(Charge(field.name.size() + field.doc.size()));
  if (const auto value = json.find("default"); value != json.end()) {
    field.default_json = value->dump();
    FRAZIL_RETURN_IF_ERROR(Charge(field.default_json->size()));
  }
  if (const auto id = json.find("field-id"); id != json.end() && id->is_number_integer()) {
    const auto number = id->get<std::int64_t>();
    if (std::in_range<std::int32_t>(number)) field.field_id = static_cast<std::int32_t>(number);
  }
  const auto type = json.find("type");
  if (type == json.end()) return Broken("a field has no type: " + Printable(field.name));
  FRAZIL_ASSIGN_OR_RETURN(field.schema, Build(*type, name_space));
  return field;
}

Status SchemaBuilder::FillEnum(const Json& json, Schema& schema) {
  const auto symbols = json.find("symbols");
  if (symbols == json.end() || !symbols->is_array() || symbols->empty()) {
    return Broken("an enum has no symbols: " + Printable(schema.name));
  }
  std::set<std::string> seen;
  for (const Json& symbol : *symbols) {
    const std::string text = symbol.is_string() ? symbol.get<std::string>() : std::string();
    if (!IsValidName(text)) {
      return Broken("a symbol of enum " + Printable(schema.name) +
                    " may hold letters, digits and underscores only: " + Printable(text));
    }
    if (!seen.insert(text).second) {
      return Broken("enum " + Printable(schema.name) + " has a symbol twice: " + Printable(text));
    }
    FRAZIL_RETURN_IF_ERROR(Charge(text.size() + sizeof(std::string)));
    schema.symbols.push_back(text);
  }
  const auto fallback = json.find("default");
  if (fallback != json.end() &&
      !(fallback->is_string() && seen.contains(fallback->get_ref<const std::string&>()))) {
    return Broken("the default of an enum is none of its symbols: " + Printable(schema.name));
  }
  return {};
}

Status SchemaBuilder::FillFixed(const Json& json, Schema& schema) {
  const auto size = json.find("size");
  if (size == json.end() || !size->is_number_integer() || !size->is_number_unsigned() ||
      size->get<std::uint64_t>() > 0x7fffffff) {
    return Broken("a fixed type needs a size between 0 and 2147483647: " + Printable(schema.name));
  }
  schema.size = size->get<std::size_t>();
  ApplyLogicalType(json, schema);
  return {};
}

// With a namespace, aliases are made full names in it.
Result<std::vector<std::string>> SchemaBuilder::Aliases(const Json& json,
                                                        const std::string* name_space) {
  std::vector<std::string> aliases;
  const auto found = json.find("aliases");
  if (found == json.end()) return aliases;
  if (!found->is_array()) return Broken("\"aliases\" is no list of names");
  for (const Json& alias : *found) {
    if (!alias.is_string()) return Broken("\"aliases\" is no list of names");
    const auto& text = alias.get_ref<const std::string&>();
    aliases.push_back(name_space == nullptr ? text : FullName(text, *name_space));
    FRAZIL_RETURN_IF_ERROR(Charge(aliases.back().size() + sizeof(std::string)));
  }
  return aliases;
}

// Written out, one level of schema takes up to three of JSON: type, list of fields, field.
JsonLimits JsonLimitsOf(const SchemaLimits& limits) {
  return {.text_bytes = limits.text_bytes, .nesting = 4 * limits.depth + 16};
}

Result<Json> ParseText(std::string_view text, const SchemaLimits& limits) {
  const JsonLimits json_limits = JsonLimitsOf(limits);
  if (const auto passed = PassedLimit(text, json_limits); passed.has_value()) {
    return TooLarge("its text is " + *passed);
  }
  return ParseBoundedJson(text, json_limits);
}

Result<Schema> BuildAll(std::string_view json, const std::vector<std::string>& references,
                        const SchemaLimits& limits) {
  // A deque: definitions point into the trees.
  std::deque<Json> texts;
  std::set<std::string_view> known;
  SchemaBuilder builder(limits);
  for (const std::string& reference : references) {
    // Registries list a schema twice that two others use.
    if (!known.insert(reference).second) continue;
    Result<Json> parsed = ParseText(reference, limits);
    if (!parsed.ok()) return parsed.error().Within("a referenced Avro schema");
    const Result<Schema> built = builder.BuildText(texts.emplace_back(std::move(*parsed)));
    if (!built.ok()) return built.error().Within("a referenced Avro schema");
  }
  FRAZIL_ASSIGN_OR_RETURN(Json parsed, ParseText(json, limits));
  return builder.BuildText(texts.emplace_back(std::move(parsed)));
}

}  // namespace

Result<Schema> ParseSchema(std::string_view json, const std::vector<std::string>& references,
                           const SchemaLimits& limits) {
  try {
    return BuildAll(json, references, limits);
  } catch (const std::exception& e) {
    return Broken(e.what());
  }
}

std::string Describe(const Schema& schema) {
  std::string text(NameOf(schema.type));
  if (!schema.name.empty()) text += ' ' + schema.name;
  if (schema.logical_type == LogicalType::kDecimal) {
    text += " (decimal(" + std::to_string(schema.precision) + ", " + std::to_string(schema.scale) +
            "))";
  } else if (schema.logical_type != LogicalType::kNone) {
    text += " (" + std::string(NameOf(schema.logical_type)) + ")";
  }
  return text;
}

}  // namespace frazil::avro
