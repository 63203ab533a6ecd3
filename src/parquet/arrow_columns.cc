// SPDX-License-Identifier: Apache-2.0
#include "parquet/arrow_columns.h"

#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/data.h>
#include <arrow/type.h>

#include "parquet/library_error.h"

namespace frazil::parquet {
namespace {

using iceberg::NestedField;
using iceberg::TypeKind;

constexpr int kUuidLength = 16;

std::shared_ptr<arrow::Field> ArrowField(const NestedField& field, const std::string& name) {
  return arrow::field(name, ArrowType(field.type), /*nullable=*/!field.required);
}

bool IsTextDictionary(const arrow::DataType& type) {
  if (type.id() != arrow::Type::DICTIONARY) return false;
  const auto& dictionary = static_cast<const arrow::DictionaryType&>(type);
  return dictionary.index_type()->id() == arrow::Type::INT32 &&
         dictionary.value_type()->id() == arrow::Type::STRING;
}

// Whether values of `found` lie in memory as values of `wanted` do, and mean the same.
bool SameForm(const arrow::DataType& wanted, const arrow::DataType& found) {
  if (wanted.id() == arrow::Type::STRING && IsTextDictionary(found)) return true;
  if (wanted.id() != found.id() || wanted.num_fields() != found.num_fields()) return false;
  if (wanted.id() == arrow::Type::TIMESTAMP) {
    const auto& left = static_cast<const arrow::TimestampType&>(wanted);
    const auto& right = static_cast<const arrow::TimestampType&>(found);
    return left.unit() == right.unit() && left.timezone().empty() == right.timezone().empty();
  }
  if (wanted.num_fields() == 0) return wanted.Equals(found);
  for (int i = 0; i < wanted.num_fields(); ++i) {
    if (!SameForm(*wanted.field(i)->type(), *found.field(i)->type())) return false;
  }
  return true;
}

Status CheckDictionary(const arrow::DictionaryArray& array) {
  const auto& indices = static_cast<const arrow::Int32Array&>(*array.indices());
  const std::int64_t size = array.dictionary()->length();
  bool good = true;
  if (indices.null_count() == 0) {
    const std::int32_t* const values = indices.raw_values();
    for (std::int64_t i = 0; i < indices.length(); ++i) good &= values[i] >= 0 && values[i] < size;
  } else {
    for (std::int64_t i = 0; i < indices.length(); ++i) {
      good &= indices.IsNull(i) || (indices.Value(i) >= 0 && indices.Value(i) < size);
    }
  }
  if (good && array.dictionary()->null_count() == 0) return {};
  return Error(ErrorCode::kInternal, "a dictionary of text lacks a value");
}

Result<std::shared_ptr<arrow::ArrayData>> Unfold(const arrow::DictionaryArray& array) {
  const auto& indices = static_cast<const arrow::Int32Array&>(*array.indices());
  const auto& texts = static_cast<const arrow::StringArray&>(*array.dictionary());
  arrow::StringBuilder builder;
  arrow::Status status = builder.Reserve(indices.length());
  for (std::int64_t i = 0; status.ok() && i < indices.length(); ++i) {
    status =
        indices.IsNull(i) ? builder.AppendNull() : builder.Append(texts.GetView(indices.Value(i)));
  }
  std::shared_ptr<arrow::Array> unfolded;
  if (status.ok()) status = builder.Finish(&unfolded);
  if (!status.ok()) return LibraryError(status);
  return unfolded->data();
}

// The nested type with these in the places of its children.
std::shared_ptr<arrow::DataType> WithChildren(
    const std::shared_ptr<arrow::DataType>& type,
    const std::vector<std::shared_ptr<arrow::ArrayData>>& children) {
  arrow::FieldVector fields;
  bool same = true;
  for (std::size_t i = 0; i < children.size(); ++i) {
    fields.push_back(type->field(static_cast<int>(i))->WithType(children[i]->type));
    same = same && fields.back()->type() == type->field(static_cast<int>(i))->type();
  }
  if (same) return type;
  switch (type->id()) {
    case arrow::Type::STRUCT:
      return arrow::struct_(std::move(fields));
    case arrow::Type::LIST:
      return arrow::list(fields.front());
    default:  // MAP
      return std::make_shared<arrow::MapType>(fields.front()->type()->field(0),
                                              fields.front()->type()->field(1));
  }
}

Result<std::shared_ptr<arrow::ArrayData>> WithType(const std::shared_ptr<arrow::ArrayData>& data,
                                                   const std::shared_ptr<arrow::DataType>& type,
                                                   Dictionaries dictionaries) {
  if (data->type->id() == arrow::Type::DICTIONARY) {
    const arrow::DictionaryArray array(data);
    FRAZIL_RETURN_IF_ERROR(CheckDictionary(array));
    if (dictionaries == Dictionaries::kKeep) return data;
    return Unfold(array);
  }
  auto copy = data->Copy();
  for (std::size_t i = 0; i < copy->child_data.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(
        copy->child_data[i],
        WithType(copy->child_data[i], type->field(static_cast<int>(i))->type(), dictionaries));
  }
  copy->type = WithChildren(type, copy->child_data);
  return copy;
}

}  // namespace

std::shared_ptr<arrow::DataType> ArrowType(const iceberg::Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return arrow::boolean();
    case TypeKind::kInt:
      return arrow::int32();
    case TypeKind::kLong:
      return arrow::int64();
    case TypeKind::kFloat:
      return arrow::float32();
    case TypeKind::kDouble:
      return arrow::float64();
    case TypeKind::kDecimal:
      return arrow::decimal128(type.precision, type.scale);
    case TypeKind::kDate:
      return arrow::date32();
    case TypeKind::kTime:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case TypeKind::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeKind::kTimestamptz:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case TypeKind::kString:
      return arrow::utf8();
    case TypeKind::kUuid:
      return arrow::fixed_size_binary(kUuidLength);
    case TypeKind::kFixed:
      return arrow::fixed_size_binary(type.length);
    case TypeKind::kBinary:
      return arrow::binary();
    case TypeKind::kStruct: {
      arrow::FieldVector fields;
      fields.reserve(type.fields.size());
      for (const NestedField& field : type.fields) fields.push_back(ArrowField(field, field.name));
      return arrow::struct_(std::move(fields));
    }
    case TypeKind::kList:
      return arrow::list(ArrowField(type.fields.at(0), "element"));
    case TypeKind::kMap:
      return std::make_shared<arrow::MapType>(ArrowField(type.fields.at(0), "key"),
                                              ArrowField(type.fields.at(1), "value"));
  }
  return arrow::null();
}

std::shared_ptr<arrow::Schema> ArrowSchema(const iceberg::Schema& schema) {
  arrow::FieldVector fields;
  fields.reserve(schema.fields.size());
  for (const NestedField& field : schema.fields) fields.push_back(ArrowField(field, field.name));
  return arrow::schema(std::move(fields));
}

Result<std::shared_ptr<arrow::Array>> ConformColumn(const NestedField& field,
                                                    const std::shared_ptr<arrow::Array>& column,
                                                    Dictionaries dictionaries) {
  const auto type = ArrowType(field.type);
  if (!SameForm(*type, *column->type())) {
    return Error(ErrorCode::kInternal, "column " + field.name + " is " + ToString(field.type) +
                                           " but the batch holds " + column->type()->ToString());
  }
  FRAZIL_ASSIGN_OR_RETURN(auto data, WithType(column->data(), type, dictionaries));
  return arrow::MakeArray(std::move(data));
}

}  // namespace frazil::parquet
