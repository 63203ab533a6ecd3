// SPDX-License-Identifier: Apache-2.0
// The row that each error code has in definitions/errors.toml.
#pragma once

#include <span>
#include <string_view>

#include "base/error_code.gen.h"

namespace frazil {

// Who can mend it.
enum class ErrorOwner { kCaller, kOperator, kUpstream, kFrazil };

struct ErrorRow {
  ErrorCode code;
  std::string_view name;
  // Iceberg REST: HTTP status and `type` of the error model.
  int http_status;
  std::string_view iceberg_type;
  // S3: HTTP status and `Code` of the XML error.
  int s3_status;
  std::string_view s3_code;
  // Exit status of a command that ends with this error.
  int exit_code;
  ErrorOwner owner;
  // Whether the same call may be tried again as it is.
  bool may_repeat;
  // Whether the effect may have happened although the call failed.
  bool outcome_unknown;
  std::string_view description;
};

// All rows, in the order of ErrorCode.
std::span<const ErrorRow> ErrorTable();

// The row of one code.
const ErrorRow& RowOf(ErrorCode code);

}  // namespace frazil
