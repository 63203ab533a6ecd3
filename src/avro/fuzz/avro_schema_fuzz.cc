// SPDX-License-Identifier: Apache-2.0
#include "avro/schema.h"
#include "base/bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frazil;  // NOLINT(google-build-using-namespace)
  const std::string_view text = AsText(ByteView(data, size));
  const auto schema = avro::ParseSchema(text);
  if (schema.ok()) avro::Describe(*schema);
  // The same text as reference and as schema: names that are known already.
  IgnoreError(avro::ParseSchema(text, {std::string(text)}));
  return 0;
}
