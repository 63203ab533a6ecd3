// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "iceberg/data_file_json.h"
#include "iceberg/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frazil;  // NOLINT(google-build-using-namespace)
  const std::string_view text = AsText(ByteView(data, size));
  const auto schema = iceberg::SchemaFromJson(text);
  if (schema.ok()) {
    const auto again = iceberg::SchemaFromJson(iceberg::SchemaToJson(*schema));
    FRAZIL_CHECK(again.ok() && *again == *schema);
    iceberg::LeafFields(*schema);
  }
  const auto columns = iceberg::ColumnsFromJson(text);
  if (columns.ok()) {
    const auto again = iceberg::ColumnsFromJson(iceberg::ColumnsToJson(*columns));
    FRAZIL_CHECK(again.ok() && *again == *columns);
  }
  return 0;
}
