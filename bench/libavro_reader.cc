// SPDX-License-Identifier: Apache-2.0
#include "bench/libavro_reader.h"

#include <avro.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace frazil::bench {
namespace {

void Check(int status) {
  if (status == 0) return;
  std::fprintf(stderr, "libavro: %s\n", avro_strerror());
  std::exit(1);
}

}  // namespace

struct LibavroReader::State {
  avro_schema_t schema = nullptr;
  avro_value_iface_t* values = nullptr;
  avro_value_t value{};
  avro_reader_t reader = nullptr;
};

LibavroReader::LibavroReader(std::string_view schema_text) : state_(std::make_unique<State>()) {
  Check(avro_schema_from_json_length(schema_text.data(), schema_text.size(), &state_->schema));
  state_->values = avro_generic_class_from_schema(state_->schema);
  Check(state_->values == nullptr ? 1 : 0);
  Check(avro_generic_value_new(state_->values, &state_->value));
  state_->reader = avro_reader_memory("", 0);
}

LibavroReader::~LibavroReader() {
  avro_reader_free(state_->reader);
  avro_value_decref(&state_->value);
  avro_value_iface_decref(state_->values);
  avro_schema_decref(state_->schema);
}

bool LibavroReader::Read(const char* data, std::size_t size) {
  avro_reader_memory_set_source(state_->reader, data, static_cast<std::int64_t>(size));
  return avro_value_reset(&state_->value) == 0 &&
         avro_value_read(state_->reader, &state_->value) == 0;
}

}  // namespace frazil::bench
