// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/array/util.h>

#include "decode/arrow_type_internal.h"
#include "decode/column_tree_internal.h"
#include "decode/kafka_columns.h"

namespace frazil::decode {

using iceberg::TypeKind;

namespace {

void Number(const iceberg::NestedField& field, std::size_t& next,
            std::map<FieldId, NumberedColumn>& columns) {
  columns.emplace(field.id, NumberedColumn{.field = &field, .number = next++});
  for (const auto& inside : field.type.fields) Number(inside, next, columns);
}

Error TooWide() {
  return Error(ErrorCode::kResourceExhausted,
               "the columns of one chunk would take too much memory together");
}

}  // namespace

std::map<FieldId, NumberedColumn> NumberColumns(const iceberg::Schema& schema) {
  std::map<FieldId, NumberedColumn> columns;
  std::size_t next = 0;
  for (const auto& field : schema.fields) {
    if (field.id >= kFirstValueField) Number(field, next, columns);
  }
  return columns;
}

Result<ColumnTree> ColumnTree::Make(const iceberg::Schema& schema, std::size_t rows,
                                    MemoryBudget& budget) {
  ColumnTree tree;
  tree.budget_ = &budget;
  for (const auto& field : schema.fields) {
    if (field.id < kFirstValueField) continue;
    FRAZIL_RETURN_IF_ERROR(tree.Add(field, std::nullopt));
  }
  std::int64_t bytes = 0;
  for (const std::size_t number : tree.top_) {
    bytes += tree.BytesToGrow(number, rows);
    if (!budget.Has(bytes)) return TooWide();
  }
  for (const std::size_t number : tree.top_) {
    FRAZIL_RETURN_IF_ERROR(tree.GrowAll(number, rows));
  }
  return tree;
}

Status ColumnTree::Add(const iceberg::NestedField& field, std::optional<std::size_t> parent) {
  FRAZIL_ASSIGN_OR_RETURN(auto buffers, ColumnBuffers::Make(field.type, 0, budget_));
  const std::size_t number = nodes_.size();
  nodes_.push_back(
      {.field = &field, .parent = parent, .inside = {}, .buffers = std::move(buffers)});
  (parent.has_value() ? nodes_[*parent].inside : top_).push_back(number);
  for (const auto& inside : field.type.fields) FRAZIL_RETURN_IF_ERROR(Add(inside, number));
  return {};
}

std::int64_t ColumnTree::BytesToGrow(std::size_t number, std::size_t rows) const {
  std::int64_t bytes = nodes_[number].buffers.BytesToGrow(rows);
  if (nodes_[number].field->type.kind != TypeKind::kStruct) return bytes;
  for (const std::size_t inside : nodes_[number].inside) {
    if (!budget_->Has(bytes)) break;
    bytes += BytesToGrow(inside, rows);
  }
  return bytes;
}

Status ColumnTree::Grow(std::size_t number, std::size_t rows) {
  if (!budget_->Has(BytesToGrow(number, rows))) return TooWide();
  return GrowAll(number, rows);
}

Status ColumnTree::GrowAll(std::size_t number, std::size_t rows) {
  FRAZIL_RETURN_IF_ERROR(nodes_[number].buffers.Grow(rows));
  if (nodes_[number].field->type.kind != TypeKind::kStruct) return {};
  for (const std::size_t inside : nodes_[number].inside) {
    FRAZIL_RETURN_IF_ERROR(GrowAll(inside, rows));
  }
  return {};
}

void ColumnTree::TrimItems() {
  // Parents come first.
  for (Node& node : nodes_) {
    if (!node.parent.has_value()) continue;
    const ColumnBuffers& parent = nodes_[*node.parent].buffers;
    const std::size_t rows = parent.rows();
    node.buffers.Trim(parent.has_offsets() ? static_cast<std::size_t>(parent.offsets()[rows])
                                           : rows);
  }
}

void ColumnTree::SetNull(std::size_t number, std::size_t begin, std::size_t end) {
  nodes_[number].buffers.SetNull(begin, end);
  if (nodes_[number].field->type.kind != TypeKind::kStruct) return;
  for (const std::size_t inside : nodes_[number].inside) SetNull(inside, begin, end);
}

std::size_t ColumnTree::TopRow(std::size_t number, std::size_t row) const {
  for (auto parent = nodes_[number].parent; parent.has_value(); parent = nodes_[*parent].parent) {
    const ColumnBuffers& buffers = nodes_[*parent].buffers;
    if (!buffers.has_offsets()) continue;
    // The row whose items end behind it.
    const std::int32_t* ends = buffers.offsets() + 1;
    row = static_cast<std::size_t>(
        std::upper_bound(ends, ends + buffers.rows(), static_cast<std::int32_t>(row)) - ends);
  }
  return row;
}

std::optional<ColumnTree::BadText> ColumnTree::FirstBadText() const {
  std::optional<BadText> first;
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    if (!nodes_[number].buffers.holds_text()) continue;
    const auto row = nodes_[number].buffers.FirstRowNotUtf8();
    if (!row.has_value()) continue;
    const std::size_t top = TopRow(number, *row);
    if (!first.has_value() || top < first->row) first = BadText{.row = top, .number = number};
  }
  return first;
}

std::string ColumnTree::PathOf(std::size_t number) const {
  std::string path = nodes_[number].field->name;
  for (auto parent = nodes_[number].parent; parent.has_value(); parent = nodes_[*parent].parent) {
    path.insert(0, 1, '.').insert(0, nodes_[*parent].field->name);
  }
  return path;
}

Result<std::shared_ptr<arrow::ArrayData>> ColumnTree::FinishData(std::size_t number) {
  Node& node = nodes_[number];
  if (node.buffers.folded()) return node.buffers.FinishFolded();
  auto data = node.buffers.FinishData(ArrowType(node.field->type));
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  for (const std::size_t inside : node.inside) {
    FRAZIL_ASSIGN_OR_RETURN(auto child, FinishData(inside));
    children.push_back(std::move(child));
  }
  if (node.field->type.kind == TypeKind::kMap) {
    auto entries = arrow::ArrayData::Make(data->type->field(0)->type(), children.front()->length,
                                          {nullptr}, 0);
    entries->child_data = std::move(children);
    data->child_data = {std::move(entries)};
  } else {
    data->child_data = std::move(children);
  }
  return data;
}

Result<std::shared_ptr<arrow::Array>> ColumnTree::Finish(std::size_t number) {
  FRAZIL_ASSIGN_OR_RETURN(auto data, FinishData(number));
  return arrow::MakeArray(data);
}

}  // namespace frazil::decode
