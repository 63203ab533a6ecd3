// SPDX-License-Identifier: Apache-2.0
// How a topic's values are read. Pure.
#pragma once

#include <string_view>

namespace frazil::decode {

enum class ValueFormat {
  // Confluent framing, then Avro.
  kAvro,
  // Bytes as they are, in the column kafka_value.
  kRaw,
};

// "avro", "raw": part of chunk names and of the ledger, so they never change.
constexpr std::string_view NameOf(ValueFormat format) {
  return format == ValueFormat::kAvro ? "avro" : "raw";
}

}  // namespace frazil::decode
