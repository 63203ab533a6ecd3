// SPDX-License-Identifier: Apache-2.0
// The metrics of a data file as a text that the ledger keeps. Pure.
//
//   [[field id, column size, values, nulls, nans, "lower", "upper"], ...]
//
// in the order of the ids; bounds in hexadecimal, null for none. Kept on disk: the form may be
// added to, never changed.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "iceberg/data_file.h"

namespace frazil::iceberg {

std::string ColumnsToJson(const std::map<FieldId, ColumnMetrics>& columns);
// Errors: corrupt_data unless ColumnsToJson can have written it.
Result<std::map<FieldId, ColumnMetrics>> ColumnsFromJson(std::string_view json);

}  // namespace frazil::iceberg
