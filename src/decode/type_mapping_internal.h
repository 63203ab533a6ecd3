// SPDX-License-Identifier: Apache-2.0
// From an Avro record to columns, level by level: ids by name, types that only widen. Pure.
#pragma once

#include <string>
#include <vector>

#include "avro/schema.h"
#include "base/ids.h"
#include "base/result.h"
#include "decode/column_type_internal.h"
#include "iceberg/schema.h"

namespace frazil::decode {

// The only column of a value that is no record at its top level.
inline constexpr std::string_view kBareValue = "value";
// The only column of a record that has no columns of its own, at any level but the top.
inline constexpr std::string_view kPresent = "kafka_present";

// A value's schema as a record: itself, or for another type a record of one field, which has the
// same bytes.
avro::Schema AsRecord(const avro::Schema& value);

class TypeMapper {
 public:
  // New columns get `next` and the ids above it.
  explicit TypeMapper(FieldId next) : next_(next) {}

  using Columns = std::vector<iceberg::NestedField>;

  // The columns of the record's fields, in its order. `before`: those that the record had in the
  // version before; null: it had none.
  // Errors: schema_incompatible, naming the path of the field.
  Result<Columns> MapFields(const avro::Schema& record, const Columns* before);

  FieldId next() const { return next_; }

 private:
  using Column = iceberg::NestedField;

  Status CheckNames(const avro::Schema& record) const;
  // The column that the field continues; null: it is a new one.
  Result<const Column*> Predecessor(const avro::Field& field, const avro::Schema& record,
                                    const Columns* before) const;
  // Gives the column the id of `before`, or a new one, then its type.
  Status Fill(Column& column, const FieldShape& shape, const Column* before);
  Status FillType(Column& column, const FieldShape& shape, const Column* before);
  Result<iceberg::Type> MapNested(const avro::Schema& value, const Column* before);
  Result<Column> MapInside(std::string_view name, bool required, const avro::Schema& schema,
                           const Column* before);
  Result<Columns> MapBranches(const avro::Schema& branches, const Columns* before);
  Result<std::string> BranchName(const std::string& identity, const Columns& taken,
                                 const Columns* before) const;
  Result<iceberg::Type> Wider(const iceberg::Type& before, const iceberg::Type& after,
                              bool same_unit) const;
  Error Fail(const std::string& reason, const std::string& more = {}) const;

  FieldId next_;
  // Names of the fields that are being mapped, outermost first.
  std::vector<std::string> path_;
  // Whether the column that is filled next keeps its documentation.
  bool documented_ = true;
};

}  // namespace frazil::decode
