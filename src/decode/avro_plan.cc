// SPDX-License-Identifier: Apache-2.0
#include "decode/avro_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "decode/avro_plan_internal.h"
#include "decode/column_tree_internal.h"
#include "decode/column_type_internal.h"
#include "decode/decimal_internal.h"
#include "decode/item_reader_internal.h"
#include "decode/kafka_columns.h"
#include "decode/type_mapping_internal.h"

namespace frazil::decode {

using avro::LogicalType;
using iceberg::NestedField;
using iceberg::TypeKind;

namespace {

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

std::vector<EnumSymbol> SymbolsOf(const avro::Schema& value) {
  std::vector<EnumSymbol> symbols(1);
  for (const std::string& text : value.symbols) {
    EnumSymbol symbol{.begin = {}, .size = text.size(), .text = text};
    std::copy_n(text.begin(), std::min(text.size(), symbol.begin.size()), symbol.begin.begin());
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

// Walks a writer's schema beside the columns that it was mapped to, and finds each column in the
// target by its id.
class PlanCompiler {
 public:
  using Columns = std::vector<NestedField>;

  // With `not_held`, columns that the target lacks or has too narrow are listed there, and the
  // operations are of no use.
  PlanCompiler(const iceberg::Schema& target, std::vector<FieldId>* not_held)
      : target_(NumberColumns(target)), not_held_(not_held) {}

  Result<Op> CompileTop(const avro::Schema& record, const iceberg::Schema& writer_columns,
                        const iceberg::Schema& target) {
    std::vector<const NestedField*> wanted;
    for (const NestedField& field : target.fields) {
      if (field.id >= kFirstValueField) wanted.push_back(&field);
    }
    Op root;
    root.code = OpCode::kRecord;
    FRAZIL_RETURN_IF_ERROR(CompileFields(record, writer_columns.fields, wanted, root));
    return root;
  }

 private:
  static std::vector<const NestedField*> Inside(const NestedField& column) {
    std::vector<const NestedField*> inside;
    inside.reserve(column.type.fields.size());
    for (const NestedField& field : column.type.fields) inside.push_back(&field);
    return inside;
  }

  Error Fail(const std::string& reason) const {
    return Error(ErrorCode::kSchemaIncompatible, reason + ": field " + Path());
  }

  std::string Path() const {
    std::string path;
    for (const std::string& name : path_) path += (path.empty() ? "" : ".") + name;
    return path;
  }

  Op SkipOp(const avro::Schema& schema) const {
    Op op;
    op.path = Path();
    op.skip = SkipProgram(schema);
    op.read_item = ReadItemOf(op.code, false);
    return op;
  }

  // A column that some operation fills is not among `null_columns`.
  Status MarkFilled(const NestedField& column) {
    if (filled_.insert(column.id).second) return {};
    return Fail("two fields go to the same column");
  }
  void FindNullColumns(const std::vector<const NestedField*>& wanted, Op& op) const {
    for (const NestedField* column : wanted) {
      if (!filled_.contains(column->id)) {
        op.null_columns.push_back(target_.at(column->id).number);
      }
    }
  }

  Status CompileFields(const avro::Schema& record, const Columns& columns,
                       const std::vector<const NestedField*>& wanted, Op& op) {
    if (record.recursive_reference) return Fail("a type that contains itself has no columns");
    std::map<std::string_view, const NestedField*> by_name;
    for (const NestedField& column : columns) by_name.emplace(column.name, &column);
    for (const avro::Field& field : record.fields) {
      path_.push_back(field.name);
      const auto found = by_name.find(field.name);
      FRAZIL_ASSIGN_OR_RETURN(
          Op made, CompileValue(field.schema, found == by_name.end() ? nullptr : found->second));
      path_.pop_back();
      if (made.code == OpCode::kSkip && made.skip.skips_nothing()) continue;
      op.children.push_back(std::move(made));
    }
    const auto present = by_name.find(kPresent);
    if (present != by_name.end()) {
      FRAZIL_ASSIGN_OR_RETURN(const NestedField* column, Target(*present->second));
      if (column != nullptr) {
        FRAZIL_RETURN_IF_ERROR(MarkFilled(*column));
        Op here;
        here.code = OpCode::kPresent;
        here.column = target_.at(column->id).number;
        here.read_item = ReadItemOf(here.code, false);
        op.children.push_back(std::move(here));
      }
    }
    FindNullColumns(wanted, op);
    return {};
  }

  // The target's column; null when it has none.
  Result<const NestedField*> Target(const NestedField& mapped) {
    const auto found = target_.find(mapped.id);
    if (found != target_.end()) return found->second.field;
    if (not_held_ != nullptr) not_held_->push_back(mapped.id);
    return nullptr;
  }

  // The operation for a value; a skip where the target has no column for it.
  Result<Op> CompileValue(const avro::Schema& schema, const NestedField* mapped) {
    const FieldShape shape = ShapeOf(schema);
    // A field that is always null was left out of the mapping; any other one would be lost.
    if (shape.always_null()) return SkipOp(schema);
    if (mapped == nullptr) {
      return Fail(
          "the field is missing in the table schema that its writer's schema was mapped to");
    }
    if (mapped->id < kFirstValueField) {
      return Fail("names that begin with kafka_ are kept for Kafka's own columns");
    }
    FRAZIL_ASSIGN_OR_RETURN(const NestedField* column, Target(*mapped));
    if (column == nullptr) return SkipOp(schema);
    FRAZIL_RETURN_IF_ERROR(MarkFilled(*column));
    Op op;
    op.path = Path();
    op.column = target_.at(column->id).number;
    op.in_union = shape.in_union;
    op.null_branch = shape.null_branch;
    op.value_branch = shape.value_branch;
    if (shape.branches != nullptr) {
      FRAZIL_RETURN_IF_ERROR(CompileBranches(*shape.branches, *mapped, *column, op));
    } else if (IsNested(*shape.value)) {
      FRAZIL_RETURN_IF_ERROR(CompileNested(*shape.value, *mapped, *column, op));
    } else {
      FRAZIL_RETURN_IF_ERROR(CompileLeaf(*shape.value, *column, op));
    }
    op.read_item = ReadItemOf(op.code, op.in_union);
    return op;
  }

  Status CheckKind(TypeKind kind, const avro::Schema& value, const NestedField& mapped,
                   const NestedField& column) const {
    if (mapped.type.kind == kind && column.type.kind == kind) return {};
    return Fail("the field's type does not fit its column: " + avro::Describe(value) + " into " +
                iceberg::ToString(column.type));
  }

  Status CompileLeaf(const avro::Schema& value, const NestedField& column, Op& op) {
    auto leaf = LeafTypeOf(value);
    if (!leaf.ok()) return Fail(leaf.error().message());
    if (!iceberg::IsPromotion(*leaf, column.type)) {
      if (not_held_ != nullptr) {
        not_held_->push_back(column.id);
        return {};
      }
      return Fail("the field's type does not fit its column: " + iceberg::ToString(*leaf) +
                  " into " + iceberg::ToString(column.type));
    }
    op.code = CodeOf(value, column.type.kind);
    op.size = value.size;
    op.precision = value.precision;
    if (column.type.kind == TypeKind::kDecimal) op.short_limit = ShortLimit(value.precision);
    if (op.code == OpCode::kEnum) op.symbols = SymbolsOf(value);
    return {};
  }

  Status CompileNested(const avro::Schema& value, const NestedField& mapped,
                       const NestedField& column, Op& op) {
    if (value.type == avro::Type::kRecord) {
      FRAZIL_RETURN_IF_ERROR(CheckKind(TypeKind::kStruct, value, mapped, column));
      op.code = OpCode::kRecord;
      return CompileFields(value, mapped.type.fields, Inside(column), op);
    }
    const bool is_map = value.type == avro::Type::kMap;
    FRAZIL_RETURN_IF_ERROR(
        CheckKind(is_map ? TypeKind::kMap : TypeKind::kList, value, mapped, column));
    op.code = is_map ? OpCode::kMap : OpCode::kArray;
    op.empty_items = !is_map && SkipProgram(value.children.front()).skips_nothing();
    if (is_map) {
      avro::Schema text;
      text.type = avro::Type::kString;
      FRAZIL_RETURN_IF_ERROR(CompileInside("key", text, mapped.type.fields.front(), op));
    }
    return CompileInside(is_map ? "value" : "element", value.children.front(),
                         mapped.type.fields.back(), op);
  }

  Status CompileInside(const char* name, const avro::Schema& schema, const NestedField& mapped,
                       Op& op) {
    path_.emplace_back(name);
    FRAZIL_ASSIGN_OR_RETURN(Op inside, CompileValue(schema, &mapped));
    path_.pop_back();
    op.children.push_back(std::move(inside));
    return {};
  }

  Status CompileBranches(const avro::Schema& branches, const NestedField& mapped,
                         const NestedField& column, Op& op) {
    FRAZIL_RETURN_IF_ERROR(CheckKind(TypeKind::kStruct, branches, mapped, column));
    op.code = OpCode::kBranches;
    for (const avro::Schema& branch : branches.children) {
      path_.push_back(BranchIdentity(branch));
      FRAZIL_ASSIGN_OR_RETURN(
          Op made, CompileValue(branch, FindBranch(mapped.type.fields, branch, branches)));
      path_.pop_back();
      op.children.push_back(std::move(made));
    }
    FindNullColumns(Inside(column), op);
    return {};
  }

  const std::map<FieldId, NumberedColumn> target_;
  std::vector<FieldId>* const not_held_;
  std::set<FieldId> filled_;
  std::vector<std::string> path_;
};

}  // namespace

AvroPlan::AvroPlan(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
AvroPlan::AvroPlan(AvroPlan&&) noexcept = default;
AvroPlan& AvroPlan::operator=(AvroPlan&&) noexcept = default;
AvroPlan::~AvroPlan() = default;

Result<AvroPlan> AvroPlan::Compile(const avro::Schema& writer,
                                   const iceberg::Schema& writer_columns,
                                   const iceberg::Schema& target) {
  PlanCompiler compiler(target, nullptr);
  FRAZIL_ASSIGN_OR_RETURN(Op root, compiler.CompileTop(AsRecord(writer), writer_columns, target));
  return AvroPlan(std::make_unique<const Program>(Program{.root = std::move(root)}));
}

std::vector<FieldId> FieldsNotHeld(const avro::Schema& writer,
                                   const iceberg::Schema& writer_columns,
                                   const iceberg::Schema& target) {
  std::vector<FieldId> missing;
  PlanCompiler compiler(target, &missing);
  // What cannot be compiled at all is told by Compile.
  IgnoreError(compiler.CompileTop(AsRecord(writer), writer_columns, target));
  return missing;
}

}  // namespace frazil::decode
