// SPDX-License-Identifier: Apache-2.0
// JSON objects that keep the order in which their keys were put in. Pure.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "iceberg/schema.h"
#include "iceberg/table_metadata.h"

namespace frazil::iceberg {

using OrderedJson = nlohmann::ordered_json;

// Without spaces. Text that is not UTF-8 shows U+FFFD for each fault, so that this never throws.
inline std::string Dump(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson ToJson(const Properties& properties);
OrderedJson ToJson(const Schema& schema);

}  // namespace frazil::iceberg
