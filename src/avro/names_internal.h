// SPDX-License-Identifier: Apache-2.0
// The rules of Avro names. Spec: Apache Avro 1.12, "Names". Pure.
//
// As the registries' Java library has it, characters beyond ASCII count as letters and a namespace
// may hold what a name may not ("com.my-shop").
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace frazil::avro {

// Letters, digits and underscores, not beginning with a digit.
bool IsValidName(std::string_view name);

// "null" .. "string": names that stand for a type without a definition.
bool IsPrimitiveName(std::string_view name);

// "shop.orders" of "shop.orders.Line"; empty for a name without a dot.
std::string_view NamespaceOf(std::string_view full_name);

// The full name that `name` has inside `name_space`: a name with dots is full already.
std::string FullName(std::string_view name, std::string_view name_space);

// The full name of a definition. Errors: corrupt_data for a name that breaks the rules.
Result<std::string> DefinedName(std::string_view name, std::string_view name_space);

}  // namespace frazil::avro
