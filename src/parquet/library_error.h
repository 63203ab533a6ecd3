// SPDX-License-Identifier: Apache-2.0
// Errors of Arrow and libparquet as ours. Internal to this module.
#pragma once

#include <arrow/status.h>

#include "base/result.h"

namespace frazil::parquet {

inline Error OutOfMemory() {
  return Error(ErrorCode::kResourceExhausted, "there is no memory to encode a Parquet file");
}

inline Error LibraryError(const arrow::Status& status) {
  if (status.IsOutOfMemory()) return OutOfMemory();
  return Error(ErrorCode::kInternal, "Parquet encoding failed: " + status.message());
}

}  // namespace frazil::parquet
