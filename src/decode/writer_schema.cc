// SPDX-License-Identifier: Apache-2.0
#include "decode/writer_schema.h"

#include <utility>

#include "avro/schema.h"
#include "base/encoding.h"

namespace frazil::decode {

Result<WriterSchema> WriterSchema::Parse(std::string_view format, std::string_view text,
                                         const std::vector<std::string>& references) {
  if (format != "AVRO") {
    return Error(ErrorCode::kSchemaIncompatible,
                 "only Avro schemas are shown as tables yet, and this one is " + Printable(format));
  }
  FRAZIL_ASSIGN_OR_RETURN(avro::Schema parsed, avro::ParseSchema(text, references));
  return WriterSchema(std::make_shared<const avro::Schema>(std::move(parsed)));
}

std::vector<std::string> WriterSchema::FieldNames() const {
  std::vector<std::string> names;
  for (const avro::Field& field : avro_->fields) names.push_back(field.name);
  return names;
}

}  // namespace frazil::decode
