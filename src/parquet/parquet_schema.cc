// SPDX-License-Identifier: Apache-2.0
#include "parquet/parquet_schema.h"

#include <memory>
#include <string>
#include <utility>

#include <parquet/types.h>

namespace frazil::parquet {
namespace {

using iceberg::NestedField;
using iceberg::TypeKind;
using ::parquet::LogicalType;
using ::parquet::Repetition;
using ::parquet::schema::GroupNode;
using ::parquet::schema::NodePtr;
using ::parquet::schema::NodeVector;
using ::parquet::schema::PrimitiveNode;
using Physical = ::parquet::Type;

constexpr int kMaxPrecision = 38;
constexpr int kMostNumberDigits = 18;
constexpr int kUuidLength = 16;

struct LeafForm {
  Physical::type physical = Physical::BOOLEAN;
  std::shared_ptr<const LogicalType> logical = LogicalType::None();
  int length = -1;
};

std::shared_ptr<const LogicalType> Timestamp(bool adjusted_to_utc) {
  // The older converted type is set as well: readers that know nothing newer see a timestamp.
  return LogicalType::Timestamp(adjusted_to_utc, LogicalType::TimeUnit::MICROS,
                                /*is_from_converted_type=*/false,
                                /*force_set_converted_type=*/true);
}

// The fewest bytes of two's complement that hold every value of that many digits.
int DecimalLength(int precision) {
  int length = 1;
  // log10(2^(8n-1)) digits fit into n bytes.
  while ((8 * length - 1) * 0.30102999566398120 < precision) ++length;
  return length;
}

LeafForm DecimalForm(int precision, int scale) {
  const auto logical = LogicalType::Decimal(precision, scale);
  if (precision <= 9) return {Physical::INT32, logical};
  if (precision <= kMostNumberDigits) return {Physical::INT64, logical};
  return {Physical::FIXED_LEN_BYTE_ARRAY, logical, DecimalLength(precision)};
}

Result<LeafForm> FormOf(const iceberg::Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return LeafForm{Physical::BOOLEAN};
    case TypeKind::kInt:
      return LeafForm{Physical::INT32};
    case TypeKind::kLong:
      return LeafForm{Physical::INT64};
    case TypeKind::kFloat:
      return LeafForm{Physical::FLOAT};
    case TypeKind::kDouble:
      return LeafForm{Physical::DOUBLE};
    case TypeKind::kDecimal:
      if (type.precision < 1 || type.precision > kMaxPrecision || type.scale < 0 ||
          type.scale > type.precision) {
        break;
      }
      return DecimalForm(type.precision, type.scale);
    case TypeKind::kDate:
      return LeafForm{Physical::INT32, LogicalType::Date()};
    case TypeKind::kTime:
      return LeafForm{Physical::INT64, LogicalType::Time(/*is_adjusted_to_utc=*/false,
                                                         LogicalType::TimeUnit::MICROS)};
    case TypeKind::kTimestamp:
      return LeafForm{Physical::INT64, Timestamp(/*adjusted_to_utc=*/false)};
    case TypeKind::kTimestamptz:
      return LeafForm{Physical::INT64, Timestamp(/*adjusted_to_utc=*/true)};
    case TypeKind::kString:
      return LeafForm{Physical::BYTE_ARRAY, LogicalType::String()};
    case TypeKind::kUuid:
      return LeafForm{Physical::FIXED_LEN_BYTE_ARRAY, LogicalType::UUID(), kUuidLength};
    case TypeKind::kFixed:
      if (type.length < 1) break;
      return LeafForm{Physical::FIXED_LEN_BYTE_ARRAY, LogicalType::None(), type.length};
    case TypeKind::kBinary:
      return LeafForm{Physical::BYTE_ARRAY};
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      break;
  }
  return Error(ErrorCode::kInternal, "Parquet has no column for the type " + ToString(type));
}

Result<NodePtr> FieldNode(const NestedField& field, const std::string& name);

Result<NodeVector> StructNodes(const std::vector<NestedField>& fields) {
  // Parquet has no group without columns.
  if (fields.empty()) {
    return Error(ErrorCode::kInternal, "a struct without fields cannot stand in a Parquet file");
  }
  NodeVector nodes;
  nodes.reserve(fields.size());
  for (const NestedField& field : fields) {
    FRAZIL_ASSIGN_OR_RETURN(NodePtr node, FieldNode(field, field.name));
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Result<NodePtr> FieldNode(const NestedField& field, const std::string& name) {
  const auto repetition = field.required ? Repetition::REQUIRED : Repetition::OPTIONAL;
  const int id = field.id.value();
  const auto& children = field.type.fields;
  switch (field.type.kind) {
    case TypeKind::kStruct: {
      FRAZIL_ASSIGN_OR_RETURN(const NodeVector nodes, StructNodes(children));
      return GroupNode::Make(name, repetition, nodes, std::shared_ptr<const LogicalType>(), id);
    }
    case TypeKind::kList: {
      FRAZIL_ASSIGN_OR_RETURN(const NodePtr element, FieldNode(children.at(0), "element"));
      const auto list = GroupNode::Make("list", Repetition::REPEATED, {element});
      return GroupNode::Make(name, repetition, {list}, LogicalType::List(), id);
    }
    case TypeKind::kMap: {
      FRAZIL_ASSIGN_OR_RETURN(const NodePtr key, FieldNode(children.at(0), "key"));
      FRAZIL_ASSIGN_OR_RETURN(const NodePtr value, FieldNode(children.at(1), "value"));
      const auto entries = GroupNode::Make("key_value", Repetition::REPEATED, {key, value});
      return GroupNode::Make(name, repetition, {entries}, LogicalType::Map(), id);
    }
    default: {
      FRAZIL_ASSIGN_OR_RETURN(const LeafForm form, FormOf(field.type));
      return PrimitiveNode::Make(name, repetition, form.logical, form.physical, form.length, id);
    }
  }
}

}  // namespace

bool IsDecimalNumber(const iceberg::Type& type) {
  return type.kind == TypeKind::kDecimal && type.precision <= kMostNumberDigits;
}

std::size_t ParquetWidth(const iceberg::Type& type) {
  const auto form = FormOf(type);
  if (!form.ok()) return 0;
  switch (form->physical) {
    case Physical::INT32:
    case Physical::FLOAT:
      return sizeof(std::int32_t);
    case Physical::INT64:
    case Physical::DOUBLE:
      return sizeof(std::int64_t);
    case Physical::FIXED_LEN_BYTE_ARRAY:
      return static_cast<std::size_t>(form->length);
    default:
      return 0;
  }
}

Result<NodePtr> ParquetSchema(const iceberg::Schema& schema) {
  FRAZIL_ASSIGN_OR_RETURN(const NodeVector nodes, StructNodes(schema.fields));
  return GroupNode::Make("table", Repetition::REQUIRED, nodes);
}

}  // namespace frazil::parquet
