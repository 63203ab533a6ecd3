// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace frazil {

const ErrorRow& RowOf(ErrorCode code) { return ErrorTable()[static_cast<std::size_t>(code)]; }

}  // namespace frazil
