// SPDX-License-Identifier: Apache-2.0
// Reads Avro values one by one in the plainest way: what the decoder's columns are compared with.
#pragma once

#include <random>
#include <string>

#include "avro/binary.h"
#include "avro/schema.h"
#include "base/bytes.h"
#include "base/result.h"

namespace frazil::decode {

// The value as the fixture's Cell gives it, "NULL" for null. Errors: what is wrong with the bytes.
// Requires: branches of unions are of types without a name.
Result<std::string> ReferenceCell(const avro::Schema& schema, avro::BinaryReader& from);

// Writes a value of that type: numbers and texts of all lengths, blocks of both forms.
void WriteRandom(const avro::Schema& schema, std::mt19937_64& random, avro::BinaryWriter& to);

}  // namespace frazil::decode
