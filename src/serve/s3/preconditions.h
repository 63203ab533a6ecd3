// SPDX-License-Identifier: Apache-2.0
// The conditions that a reading request may set. Spec: RFC 9110 13. Pure.
#pragma once

#include "net/http.h"
#include "table/table_catalog.h"

namespace frazil::serve::s3 {

enum class ConditionOutcome { kProceed, kNotModified, kFailed };

// Whether the request sets a condition on the object at all (If-Range apart).
bool HasConditions(const net::HttpHeaders& headers);

// If-Match or If-Unmodified-Since, then If-None-Match or If-Modified-Since. Dates that cannot be
// read count as absent.
ConditionOutcome CheckConditions(const net::HttpHeaders& headers, const table::ObjectInfo& info);

// Whether the Range header counts: there is no If-Range, or it names this very state.
bool RangeApplies(const net::HttpHeaders& headers, const table::ObjectInfo& info);

}  // namespace frazil::serve::s3
