// SPDX-License-Identifier: Apache-2.0
#include "parquet/arrow_columns.h"

#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/data.h>
#include <arrow/type.h>

namespace frazil::parquet {
namespace {

using iceberg::NestedField;
using iceberg::TypeKind;

constexpr int kUuidLength = 16;

std::shared_ptr<arrow::Field> ArrowField(const NestedField& field, const std::string& name) {
  return arrow::field(name, ArrowType(field.type), /*nullable=*/!field.required);
}

// Whether values of `found` lie in memory as values of `wanted` do, and mean the same.
bool SameForm(const arrow::DataType& wanted, const arrow::DataType& found) {
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

std::shared_ptr<arrow::ArrayData> WithType(const arrow::ArrayData& data,
                                           const std::shared_ptr<arrow::DataType>& type) {
  auto copy = data.Copy();
  copy->type = type;
  for (std::size_t i = 0; i < copy->child_data.size(); ++i) {
    copy->child_data[i] = WithType(*copy->child_data[i], type->field(static_cast<int>(i))->type());
  }
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
                                                    const std::shared_ptr<arrow::Array>& column) {
  const auto type = ArrowType(field.type);
  if (!SameForm(*type, *column->type())) {
    return Error(ErrorCode::kInternal, "column " + field.name + " is " + ToString(field.type) +
                                           " but the batch holds " + column->type()->ToString());
  }
  return arrow::MakeArray(WithType(*column->data(), type));
}

}  // namespace frazil::parquet
