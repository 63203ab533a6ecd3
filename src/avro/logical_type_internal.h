// SPDX-License-Identifier: Apache-2.0
// Spec: Apache Avro 1.12, "Logical Types". Pure.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "avro/schema.h"

namespace frazil::avro {

// Takes over the logical type that `json` declares for `schema`, which is complete otherwise. One
// that is unknown, stands on a type that it does not go with, or has bad attributes leaves the
// schema as it is.
void ApplyLogicalType(const nlohmann::json& json, Schema& schema);

// "timestamp-millis"; empty for kNone.
std::string_view NameOf(LogicalType type);

}  // namespace frazil::avro
