// SPDX-License-Identifier: Apache-2.0
// A call whose exceptions (memory that is not there, a library's own) become errors, so that
// whoever waits for its outcome gets one.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/result.h"

namespace frazil::table {

// Returns what `call` returns; resource_exhausted or internal when it throws.
template <typename Call>
auto GuardedCall(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::kResourceExhausted,
                 "there is not enough memory for this request; lower chunk-bytes or "
                 "fetch-parallel, or give the process more memory");
  } catch (const std::exception& exception) {
    return Error(ErrorCode::kInternal, std::string("unexpected failure: ") + exception.what());
  }
}

}  // namespace frazil::table
