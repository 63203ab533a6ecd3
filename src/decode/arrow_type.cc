// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include "base/check.h"
#include "decode/arrow_type_internal.h"

namespace frazil::decode {

using iceberg::TypeKind;

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
      return arrow::fixed_size_binary(16);
    case TypeKind::kFixed:
      return arrow::fixed_size_binary(type.length);
    case TypeKind::kBinary:
      return arrow::binary();
    case TypeKind::kStruct: {
      arrow::FieldVector fields;
      for (const auto& field : type.fields) fields.push_back(ArrowField(field));
      return arrow::struct_(std::move(fields));
    }
    case TypeKind::kList:
      return arrow::list(ArrowField(type.fields.front()));
    case TypeKind::kMap:
      return arrow::map(ArrowType(type.fields.front().type), ArrowField(type.fields.back()));
  }
  FRAZIL_CHECK(!"every kind of type has an Arrow type");
  return nullptr;
}

std::shared_ptr<arrow::Field> ArrowField(const iceberg::NestedField& field) {
  return arrow::field(field.name, ArrowType(field.type), !field.required);
}

}  // namespace frazil::decode
