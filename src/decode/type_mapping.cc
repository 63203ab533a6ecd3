// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "decode/kafka_columns.h"
#include "decode/type_mapping_internal.h"

namespace frazil::decode {

using iceberg::NestedField;
using iceberg::Type;
using iceberg::TypeKind;

namespace {

// Ends the documentation of a time of day: says the unit, and tells such a column from a plain
// number's.
constexpr std::string_view kTimeOfDayDoc = "(microseconds since midnight)";

// Avro names are ASCII where case matters, so this is the whole of case.
std::string LowerCase(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

const NestedField* FindColumn(const std::vector<NestedField>& columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name, &NestedField::name);
  return found == columns.end() ? nullptr : &*found;
}

bool HasField(const avro::Schema& record, std::string_view name) {
  return std::ranges::find(record.fields, name, &avro::Field::name) != record.fields.end();
}

bool IsCaseOf(const NestedField& column, std::string_view lower) {
  return LowerCase(column.name) == lower;
}

std::string FullNameAsColumn(std::string identity) {
  std::ranges::replace(identity, '.', '_');
  return identity;
}

}  // namespace

avro::Schema AsRecord(const avro::Schema& value) {
  if (value.type == avro::Type::kRecord) return value;
  avro::Schema record;
  record.type = avro::Type::kRecord;
  avro::Field field;
  field.name = kBareValue;
  field.schema = value;
  record.fields.push_back(std::move(field));
  return record;
}

Error TypeMapper::Fail(const std::string& reason, const std::string& more) const {
  std::string path;
  for (const std::string& name : path_) path += (path.empty() ? "" : ".") + name;
  return Error(ErrorCode::kSchemaIncompatible,
               reason + ": field " + (path.empty() ? "(top level)" : path) + more);
}

Status TypeMapper::CheckNames(const avro::Schema& record) const {
  const bool top = path_.empty();
  std::map<std::string, std::string_view> seen;
  for (const avro::Field& field : record.fields) {
    std::string lower = LowerCase(field.name);
    std::string path;
    for (const std::string& name : path_) path += name + ".";
    if (top ? lower.starts_with(kReservedPrefix) : lower == kPresent) {
      return Error(ErrorCode::kSchemaIncompatible,
                   "names that begin with kafka_ are kept for Kafka's own columns: field " + path +
                       field.name);
    }
    const auto [other, added] = seen.emplace(std::move(lower), field.name);
    if (!added) {
      return Error(ErrorCode::kSchemaIncompatible,
                   "two names differ only by case, which query engines do not tell apart: field " +
                       path + std::string(other->second) + " and field " + path + field.name);
    }
  }
  return {};
}

Result<const NestedField*> TypeMapper::Predecessor(const avro::Field& field,
                                                   const avro::Schema& record,
                                                   const Columns* before) const {
  if (before == nullptr) return nullptr;
  if (const auto* same = FindColumn(*before, field.name); same != nullptr) return same;
  const NestedField* found = nullptr;
  for (const std::string& alias : field.aliases) {
    if (HasField(record, alias)) continue;
    const NestedField* named = FindColumn(*before, alias);
    if (named == nullptr || named == found) continue;
    if (named->name == kPresent) continue;
    if (found != nullptr) {
      return Fail("the aliases of a field name two columns, which cannot become one",
                  ", aliases " + found->name + " and " + named->name);
    }
    found = named;
  }
  return found;
}

Result<TypeMapper::Columns> TypeMapper::MapFields(const avro::Schema& record,
                                                  const Columns* before) {
  if (record.recursive_reference) {
    return Fail("a type that contains itself cannot be shown as columns",
                ", " + avro::Describe(record));
  }
  FRAZIL_RETURN_IF_ERROR(CheckNames(record));
  const bool top = path_.empty();
  std::map<FieldId, std::string> continued;
  Columns columns;
  columns.reserve(record.fields.size());
  for (const avro::Field& field : record.fields) {
    const FieldShape shape = ShapeOf(field.schema);
    if (shape.always_null()) continue;
    path_.push_back(field.name);
    FRAZIL_ASSIGN_OR_RETURN(const Column* predecessor, Predecessor(field, record, before));
    if (predecessor != nullptr) {
      const auto [other, added] = continued.emplace(predecessor->id, field.name);
      if (!added) {
        return Fail("two fields continue one column by their names and aliases",
                    ", with field " + other->second + ", column " + predecessor->name);
      }
    }
    Column column{.id = {}, .name = field.name, .required = false, .type = {}, .doc = field.doc};
    FRAZIL_RETURN_IF_ERROR(Fill(column, shape, predecessor));
    columns.push_back(std::move(column));
    path_.pop_back();
  }
  if (columns.empty() && !top) {
    const Column* predecessor = before == nullptr ? nullptr : FindColumn(*before, kPresent);
    Column column{.id = {},
                  .name = std::string(kPresent),
                  .required = false,
                  .type = Type::Of(TypeKind::kBoolean),
                  .doc = "true where the record, which has no columns, is there"};
    path_.emplace_back(kPresent);
    FRAZIL_RETURN_IF_ERROR(Fill(column, {}, predecessor));
    path_.pop_back();
    columns.push_back(std::move(column));
  }
  return columns;
}

Status TypeMapper::Fill(Column& column, const FieldShape& shape, const Column* before) {
  if (before != nullptr) {
    column.id = before->id;
  } else if (next_.value() == std::numeric_limits<std::int32_t>::max()) {
    return Fail("the topic has used up its field ids");
  } else {
    column.id = next_;
    next_ = next_ + 1;
  }
  return shape.always_null() ? Status() : FillType(column, shape, before);
}

Status TypeMapper::FillType(Column& column, const FieldShape& shape, const Column* before) {
  const bool documented = std::exchange(documented_, true);
  if (shape.branches != nullptr || IsNested(*shape.value)) {
    const auto kind = shape.branches != nullptr                 ? TypeKind::kStruct
                      : shape.value->type == avro::Type::kArray ? TypeKind::kList
                      : shape.value->type == avro::Type::kMap   ? TypeKind::kMap
                                                                : TypeKind::kStruct;
    const bool was_branches = before != nullptr && !before->type.fields.empty() &&
                              !IdentityOfBranch(before->type.fields.front()).empty();
    if (before != nullptr &&
        (before->type.kind != kind || was_branches != (shape.branches != nullptr))) {
      return Fail("a field's type may only be widened; give the new type a new name",
                  ", from " + iceberg::ToString(before->type) + " to " +
                      avro::Describe(shape.branches != nullptr ? *shape.branches : *shape.value));
    }
    if (shape.branches != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(
          auto columns,
          MapBranches(*shape.branches, before == nullptr ? nullptr : &before->type.fields));
      column.type = Type::Struct(std::move(columns));
      return {};
    }
    FRAZIL_ASSIGN_OR_RETURN(column.type, MapNested(*shape.value, before));
    return {};
  }
  auto leaf = LeafTypeOf(*shape.value);
  if (!leaf.ok()) return Fail(leaf.error().message());
  column.type = std::move(leaf).value();
  if (IsTimeOfDay(*shape.value)) {
    column.doc += (column.doc.empty() ? "" : " ") + std::string(kTimeOfDayDoc);
  }
  if (before == nullptr) return {};
  const bool same_unit =
      !documented || before->doc.ends_with(kTimeOfDayDoc) == column.doc.ends_with(kTimeOfDayDoc);
  FRAZIL_ASSIGN_OR_RETURN(column.type, Wider(before->type, column.type, same_unit));
  return {};
}

Result<Type> TypeMapper::MapNested(const avro::Schema& value, const Column* before) {
  const Columns* inside = before == nullptr ? nullptr : &before->type.fields;
  if (value.type == avro::Type::kRecord) {
    FRAZIL_ASSIGN_OR_RETURN(auto columns, MapFields(value, inside));
    return Type::Struct(std::move(columns));
  }
  const auto at = [inside](std::size_t index) {
    return inside == nullptr ? nullptr : &(*inside)[index];
  };
  const avro::Schema& child = value.children.front();
  Type type;
  if (value.type == avro::Type::kArray) {
    type.kind = TypeKind::kList;
    FRAZIL_ASSIGN_OR_RETURN(Column element, MapInside("element", false, child, at(0)));
    type.fields.push_back(std::move(element));
    return type;
  }
  type.kind = TypeKind::kMap;
  avro::Schema text;
  text.type = avro::Type::kString;
  FRAZIL_ASSIGN_OR_RETURN(Column key, MapInside("key", true, text, at(0)));
  FRAZIL_ASSIGN_OR_RETURN(Column item, MapInside("value", false, child, at(1)));
  type.fields.push_back(std::move(key));
  type.fields.push_back(std::move(item));
  return type;
}

Result<NestedField> TypeMapper::MapInside(std::string_view name, bool required,
                                          const avro::Schema& schema, const Column* before) {
  path_.emplace_back(name);
  const FieldShape shape = ShapeOf(schema);
  if (shape.always_null()) return Fail("items that are always null have no column type");
  Column column{.id = {}, .name = std::string(name), .required = required, .type = {}, .doc = {}};
  // Iceberg keeps no documentation of elements, keys and values.
  documented_ = false;
  FRAZIL_RETURN_IF_ERROR(Fill(column, shape, before));
  column.doc.clear();
  path_.pop_back();
  return column;
}

Result<TypeMapper::Columns> TypeMapper::MapBranches(const avro::Schema& branches,
                                                    const Columns* before) {
  Columns columns;
  std::map<FieldId, std::string> continued;
  for (const avro::Schema& branch : branches.children) {
    const FieldShape shape = ShapeOf(branch);
    if (shape.always_null()) continue;
    const std::string identity = BranchIdentity(branch);
    path_.push_back(identity);
    const Column* predecessor = before == nullptr ? nullptr : FindBranch(*before, branch, branches);
    if (predecessor != nullptr && !continued.emplace(predecessor->id, identity).second) {
      return Fail("two branches of a union continue one column by their names and aliases",
                  ", with " + continued[predecessor->id]);
    }
    Column column{.id = {}, .name = {}, .required = false, .type = {}, .doc = BranchDoc(identity)};
    if (predecessor != nullptr) {
      column.name = predecessor->name;
    } else {
      FRAZIL_ASSIGN_OR_RETURN(column.name, BranchName(identity, columns, before));
    }
    FRAZIL_RETURN_IF_ERROR(Fill(column, shape, predecessor));
    columns.push_back(std::move(column));
    path_.pop_back();
  }
  return columns;
}

Result<std::string> TypeMapper::BranchName(const std::string& identity, const Columns& taken,
                                           const Columns* before) const {
  for (std::string name : {std::string(SimpleName(identity)), FullNameAsColumn(identity)}) {
    const std::string lower = LowerCase(name);
    const auto is_taken = [&lower](const Column& column) { return IsCaseOf(column, lower); };
    if (std::ranges::any_of(taken, is_taken)) continue;
    if (before != nullptr && std::ranges::any_of(*before, is_taken)) continue;
    return name;
  }
  return Fail("two branches of a union cannot be told apart by their names",
              ", branch " + identity);
}

Result<Type> TypeMapper::Wider(const Type& before, const Type& after, bool same_unit) const {
  if (same_unit) {
    if (before == after || iceberg::IsPromotion(after, before)) return before;
    if (iceberg::IsPromotion(before, after)) return after;
  }
  return Fail(
      "a field's type may only be widened (int to long, float to double, a decimal "
      "of more digits and the same scale); give the new type a new name",
      ", from " + iceberg::ToString(before) + " to " + iceberg::ToString(after) +
          (same_unit ? "" : ", where only one of them is a time of day"));
}

}  // namespace frazil::decode
