// SPDX-License-Identifier: Apache-2.0
// The texts by which the ledger's file names operations. Internal to this module.
#pragma once

#include <string_view>

#include "base/result.h"
#include "iceberg/table_metadata.h"

namespace frazil::ledger {

std::string_view NameOf(iceberg::Operation operation);
// Errors: corrupt_data.
Result<iceberg::Operation> OperationOf(std::string_view name);

}  // namespace frazil::ledger
