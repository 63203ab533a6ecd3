// SPDX-License-Identifier: Apache-2.0
// The value columns of a schema, nested ones included, numbered depth first, and their buffers.
// Pure.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "decode/column_buffers_internal.h"
#include "iceberg/schema.h"

namespace frazil::decode {

// A column and its number. A number is that of every node before it in the order in which a walk
// meets them: a field, then what is inside it, then the next field. Kafka's own columns are left
// out.
struct NumberedColumn {
  const iceberg::NestedField* field = nullptr;
  std::size_t number = 0;
};
std::map<FieldId, NumberedColumn> NumberColumns(const iceberg::Schema& schema);

class ColumnTree {
 public:
  // `schema` must outlive the tree. Columns outside of arrays and maps get `rows` rows.
  // Errors: resource_exhausted.
  static Result<ColumnTree> Make(const iceberg::Schema& schema, std::size_t rows,
                                 MemoryBudget& budget);

  ColumnBuffers& at(std::size_t number) { return nodes_[number].buffers; }
  // Numbers of the columns inside.
  const std::vector<std::size_t>& inside(std::size_t number) const { return nodes_[number].inside; }

  // Room for rows up to `rows` in a column and in the structs inside it.
  // Errors: resource_exhausted.
  Status Grow(std::size_t number, std::size_t rows);
  // Forgets rows inside arrays and maps behind the last item that was filled.
  void TrimItems();
  // NULL in those rows, inside structs too.
  void SetNull(std::size_t number, std::size_t begin, std::size_t end);
  // The numbers of the columns at top level, in the schema's order.
  const std::vector<std::size_t>& top() const { return top_; }

  struct BadText {
    // At top level.
    std::size_t row = 0;
    std::size_t number = 0;
  };
  // The first row with text that is not UTF-8.
  std::optional<BadText> FirstBadText() const;
  // "items.element.sku".
  std::string PathOf(std::size_t number) const;

  // The column as an array; its buffers are gone then. Errors: resource_exhausted.
  Result<std::shared_ptr<arrow::Array>> Finish(std::size_t number);

 private:
  struct Node {
    const iceberg::NestedField* field;
    std::optional<std::size_t> parent;
    std::vector<std::size_t> inside;
    ColumnBuffers buffers;
  };

  // What growing would take, or more than there is: looked at before anything is allocated.
  std::int64_t BytesToGrow(std::size_t number, std::size_t rows) const;
  Status GrowAll(std::size_t number, std::size_t rows);
  Status Add(const iceberg::NestedField& field, std::optional<std::size_t> parent);
  std::size_t TopRow(std::size_t number, std::size_t row) const;
  Result<std::shared_ptr<arrow::ArrayData>> FinishData(std::size_t number);

  std::vector<Node> nodes_;
  std::vector<std::size_t> top_;
  MemoryBudget* budget_ = nullptr;
};

}  // namespace frazil::decode
