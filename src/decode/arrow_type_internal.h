// SPDX-License-Identifier: Apache-2.0
// The Arrow type that a column of an Iceberg type has in a decoded batch. Pure.
#pragma once

#include <memory>

#include "iceberg/schema.h"

namespace arrow {
class DataType;
class Field;
}  // namespace arrow

namespace frazil::decode {

std::shared_ptr<arrow::DataType> ArrowType(const iceberg::Type& type);
std::shared_ptr<arrow::Field> ArrowField(const iceberg::NestedField& field);

}  // namespace frazil::decode
