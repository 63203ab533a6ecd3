// SPDX-License-Identifier: Apache-2.0
// A decode plan: how the bytes of one writer's schema fill the columns of one table schema. Pure.
#pragma once

#include <memory>
#include <vector>

#include "avro/schema.h"
#include "base/result.h"
#include "iceberg/schema.h"

namespace frazil::decode {

// Immutable, so it may be shared by threads.
class AvroPlan {
 public:
  // `writer_columns` is the table schema version that the writer's schema was mapped to: it gives
  // each of the writer's fields its id by name. `target` is the schema that the columns shall have:
  // a field goes to the column of its id, widened where `target` is wider; a field whose id is not
  // in `target` is skipped; a column without a field is NULL (R3).
  // Errors: schema_incompatible when a field does not fit its column.
  static Result<AvroPlan> Compile(const avro::Schema& writer, const iceberg::Schema& writer_columns,
                                  const iceberg::Schema& target);

  AvroPlan(AvroPlan&&) noexcept;
  AvroPlan& operator=(AvroPlan&&) noexcept;
  ~AvroPlan();

  struct Program;  // avro_plan_internal.h
  const Program& program() const { return *program_; }

 private:
  explicit AvroPlan(std::unique_ptr<const Program> program);
  std::unique_ptr<const Program> program_;
};

// The ids of `writer`'s fields (by name in `writer_columns`) that `target` has no column for, or
// only one that is too narrow: when empty, `target` holds all fields of the writer's records (R5).
std::vector<FieldId> FieldsNotHeld(const avro::Schema& writer,
                                   const iceberg::Schema& writer_columns,
                                   const iceberg::Schema& target);

}  // namespace frazil::decode
