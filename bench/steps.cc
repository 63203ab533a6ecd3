// SPDX-License-Identifier: Apache-2.0
#include "bench/steps.h"

#include "bench/sample_records.h"
#include "bench/steps_internal.h"

namespace frazil::bench {
namespace {

std::shared_ptr<const Values> MakeValues(Shape shape, std::int64_t count) {
  auto values = std::make_shared<Values>();
  for (std::int64_t number = 0; number < count; ++number) {
    AppendValue(shape, number, kSchemaId, values->bytes);
    values->ends.push_back(values->bytes.size());
    values->leaves += LeafValues(shape, number);
  }
  return values;
}

}  // namespace

std::vector<Step> MakeSteps(std::int64_t flat_records, std::int64_t nested_records) {
  std::vector<Step> steps;
  const auto flat = MakeValues(Shape::kFlat, flat_records);
  AddWireSteps(*flat, steps);
  AddTableSteps("flat", flat, steps);
  const auto nested = MakeValues(Shape::kNested, nested_records);
  AddTableSteps("nested", nested, steps);
  return steps;
}

}  // namespace frazil::bench
