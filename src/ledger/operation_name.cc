// SPDX-License-Identifier: Apache-2.0
#include "ledger/operation_name.h"

#include <array>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/encoding.h"

namespace frazil::ledger {
namespace {

using iceberg::Operation;

constexpr std::array<std::pair<Operation, std::string_view>, 4> kNames = {{
    {Operation::kAppend, "append"},
    {Operation::kReplace, "replace"},
    {Operation::kOverwrite, "overwrite"},
    {Operation::kDelete, "delete"},
}};

}  // namespace

std::string_view NameOf(Operation operation) {
  for (const auto& [known, name] : kNames) {
    if (known == operation) return name;
  }
  FRAZIL_CHECK(false);
  return {};
}

Result<Operation> OperationOf(std::string_view name) {
  for (const auto& [operation, known] : kNames) {
    if (known == name) return operation;
  }
  return Error(ErrorCode::kCorruptData,
               "the ledger holds a cut of an unknown operation: " + Printable(name));
}

}  // namespace frazil::ledger
