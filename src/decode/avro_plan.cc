// SPDX-License-Identifier: Apache-2.0
#include "decode/avro_plan.h"

#include <optional>
#include <string>
#include <utility>

#include "decode/avro_plan_internal.h"
#include "decode/column_type_internal.h"
#include "decode/kafka_columns.h"

namespace frazil::decode {

using avro::LogicalType;
using iceberg::TypeKind;

namespace {

std::optional<std::size_t> ColumnOf(const iceberg::Schema& target, FieldId id) {
  for (std::size_t i = 0; i < target.fields.size(); ++i) {
    if (target.fields[i].id == id) return i;
  }
  return std::nullopt;
}

OpCode LongCode(const avro::Schema& value) {
  switch (value.logical_type) {
    case LogicalType::kTimestampMillis:
    case LogicalType::kLocalTimestampMillis:
      return OpCode::kMillisToMicros;
    case LogicalType::kTimestampNanos:
    case LogicalType::kLocalTimestampNanos:
      return OpCode::kNanosToMicros;
    default:
      return OpCode::kLong;
  }
}

OpCode IntCode(const avro::Schema& value, TypeKind column) {
  if (value.logical_type == LogicalType::kTimeMillis) return OpCode::kIntMillisToLong;
  return column == TypeKind::kLong ? OpCode::kIntToLong : OpCode::kInt;
}

// Requires: the value's column type fits `column`.
OpCode CodeOf(const avro::Schema& value, TypeKind column) {
  switch (value.type) {
    case avro::Type::kBoolean:
      return OpCode::kBoolean;
    case avro::Type::kInt:
      return IntCode(value, column);
    case avro::Type::kLong:
      return LongCode(value);
    case avro::Type::kFloat:
      return column == TypeKind::kDouble ? OpCode::kFloatToDouble : OpCode::kFloat;
    case avro::Type::kDouble:
      return OpCode::kDouble;
    case avro::Type::kBytes:
      return column == TypeKind::kDecimal ? OpCode::kDecimalBytes : OpCode::kBytes;
    case avro::Type::kString:
      return column == TypeKind::kUuid ? OpCode::kUuidText : OpCode::kBytes;
    case avro::Type::kEnum:
      return OpCode::kEnum;
    case avro::Type::kFixed:
      return column == TypeKind::kDecimal ? OpCode::kDecimalFixed : OpCode::kFixed;
    default:
      return OpCode::kSkip;
  }
}

bool Fits(const iceberg::Type& value, const iceberg::Type& column) {
  return value == column || iceberg::IsPromotion(value, column);
}

Op SkipOp(const avro::Field& field) {
  Op op;
  op.field = field.name;
  op.skip = SkipProgram(field.schema);
  return op;
}

Result<Op> ValueOp(const avro::Field& field, const FieldShape& shape, std::size_t column,
                   const iceberg::Type& column_type) {
  FRAZIL_ASSIGN_OR_RETURN(const auto value_type, ColumnTypeOf(*shape.value));
  if (!Fits(value_type, column_type)) {
    return Error(ErrorCode::kSchemaIncompatible,
                 "the field's type does not fit its column: " + iceberg::ToString(value_type) +
                     " into " + iceberg::ToString(column_type));
  }
  Op op;
  op.code = CodeOf(*shape.value, column_type.kind);
  op.field = field.name;
  op.column = column;
  op.in_union = shape.in_union;
  op.null_branch = shape.null_branch;
  op.value_branch = shape.value_branch;
  op.size = shape.value->size;
  op.precision = shape.value->precision;
  op.symbols = shape.value->symbols;
  return op;
}

// The operation for one field; a skip where the target has no column for it.
Result<Op> OpFor(const avro::Field& field, const iceberg::Schema& writer_columns,
                 const iceberg::Schema& target) {
  const iceberg::NestedField* mapped = iceberg::FindField(writer_columns, field.name);
  if (mapped != nullptr) {
    if (mapped->id < kFirstValueField) {
      return Error(ErrorCode::kSchemaIncompatible,
                   "names that begin with kafka_ are kept for Kafka's own columns");
    }
    const auto column = ColumnOf(target, mapped->id);
    if (!column.has_value()) return SkipOp(field);
    FRAZIL_ASSIGN_OR_RETURN(const auto shape, ShapeOf(field.schema));
    if (shape.value == nullptr) return SkipOp(field);
    return ValueOp(field, shape, *column, target.fields[*column].type);
  }
  const auto shape = ShapeOf(field.schema);
  // Only a field that is always null was left out of the mapping; any other one would be lost.
  if (shape.ok() && shape->value == nullptr) return SkipOp(field);
  return Error(ErrorCode::kSchemaIncompatible,
               "the field is missing in the table schema that its writer's schema was mapped to");
}

}  // namespace

AvroPlan::AvroPlan(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
AvroPlan::AvroPlan(AvroPlan&&) noexcept = default;
AvroPlan& AvroPlan::operator=(AvroPlan&&) noexcept = default;
AvroPlan::~AvroPlan() = default;

Result<AvroPlan> AvroPlan::Compile(const avro::Schema& writer,
                                   const iceberg::Schema& writer_columns,
                                   const iceberg::Schema& target) {
  if (writer.type != avro::Type::kRecord || writer.recursive_reference) {
    return Error(ErrorCode::kSchemaIncompatible,
                 "a value that is not a record at its top level cannot be shown as columns: " +
                     avro::Describe(writer));
  }
  auto program = std::make_unique<Program>();
  std::vector<bool> filled(target.fields.size(), false);
  for (const avro::Field& field : writer.fields) {
    auto op = OpFor(field, writer_columns, target);
    if (!op.ok()) return op.error().Within("field " + field.name);
    if (op->code == OpCode::kSkip) {
      if (op->skip.skips_nothing()) continue;
    } else if (filled[op->column]) {
      return Error(ErrorCode::kSchemaIncompatible,
                   "two fields go to the same column: field " + field.name);
    } else {
      filled[op->column] = true;
    }
    program->ops.push_back(std::move(op).value());
  }
  for (std::size_t i = 0; i < target.fields.size(); ++i) {
    if (!filled[i] && target.fields[i].id >= kFirstValueField) program->null_columns.push_back(i);
  }
  return AvroPlan(std::move(program));
}

std::vector<FieldId> FieldsNotHeld(const avro::Schema& writer,
                                   const iceberg::Schema& writer_columns,
                                   const iceberg::Schema& target) {
  std::vector<FieldId> missing;
  for (const avro::Field& field : writer.fields) {
    const iceberg::NestedField* mapped = iceberg::FindField(writer_columns, field.name);
    if (mapped == nullptr) continue;
    const auto shape = ShapeOf(field.schema);
    if (shape.ok() && shape->value == nullptr) continue;
    const auto column = ColumnOf(target, mapped->id);
    bool held = column.has_value();
    if (held && shape.ok()) {
      const auto type = ColumnTypeOf(*shape->value);
      held = !type.ok() || Fits(*type, target.fields[*column].type);
    }
    if (!held) missing.push_back(mapped->id);
  }
  return missing;
}

}  // namespace frazil::decode
