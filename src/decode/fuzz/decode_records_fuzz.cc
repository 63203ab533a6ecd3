// SPDX-License-Identifier: Apache-2.0
// Bytes as records of a few fixed schemas. Input: one byte that picks the writer's schema, then
// records as a length byte (255: a tombstone) and that many bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <arrow/record_batch.h>

#include "avro/schema.h"
#include "base/check.h"
#include "decode/block_decoder.h"
#include "decode/schema_mapping.h"

namespace {

using frazil::decode::AvroPlan;

struct Writer {
  frazil::iceberg::Schema target;
  frazil::decode::PlansById plans;
};

// Every flat type.
constexpr const char* kEveryType =
    R"({"name":"a","type":"boolean"},{"name":"b","type":["null","int"]},{"name":"c","type":"long"},)"
    R"({"name":"d","type":"float"},{"name":"e","type":["double"]},{"name":"f","type":"bytes"},)"
    R"({"name":"g","type":["string","null"]},)"
    R"({"name":"h","type":{"type":"enum","name":"E","symbols":["A","B"]}},)"
    R"({"name":"i","type":{"type":"fixed","name":"F","size":3}},)"
    R"({"name":"j","type":{"type":"bytes","logicalType":"decimal","precision":9}},)"
    R"({"name":"k","type":{"type":"fixed","name":"G","size":20,"logicalType":"decimal",)"
    R"("precision":38}},{"name":"l","type":{"type":"string","logicalType":"uuid"}})";
constexpr const char* kTimes =
    R"({"name":"a","type":"string"},)"
    R"({"name":"t","type":["null",{"type":"long","logicalType":"timestamp-millis"}]},)"
    R"({"name":"n","type":{"type":"long","logicalType":"timestamp-nanos"}})";
constexpr const char* kText = R"({"name":"a","type":"string"})";

// Every nested type, in one another.
constexpr const char* kNested =
    R"({"name":"o","type":["null",{"type":"record","name":"O","fields":[{"name":"s","type":"string"},)"
    R"({"name":"l","type":{"type":"array","items":["null",{"type":"record","name":"O2","fields":[)"
    R"({"name":"x","type":["null","int"]}]},"long"]}},)"
    R"({"name":"e","type":{"type":"record","name":"E","fields":[]}}]}]},)"
    R"({"name":"m","type":{"type":"map","values":{"type":"array","items":{"type":"map",)"
    R"("values":["boolean","null"]}}}},)"
    R"({"name":"u","type":["null","int",{"type":"array","items":"E"},"O2",)"
    R"({"type":"enum","name":"N","symbols":["A","B"]}]},)"
    R"({"name":"i","type":{"type":"array","items":{"type":"record","name":"I","fields":[)"
    R"({"name":"d","type":"double"},{"name":"b","type":["null","bytes"]}]}}})";

// Fields without a column: every nested type, and one that refers to itself.
constexpr const char* kPassed =
    R"(,{"name":"x","type":{"type":"array","items":{"type":"map","values":["null","string",)"
    R"({"type":"record","name":"N","fields":[{"name":"e","type":{"type":"array",)"
    R"("items":"null"}}]}]}}})";
constexpr const char* kRecursive =
    R"(,{"name":"x","type":{"type":"record","name":"T","fields":[{"name":"l",)"
    R"("type":{"type":"array","items":"T"}},{"name":"r","type":["null","T"]}]}})";

struct Fields {
  const char* with_column;
  const char* without_column;
};
constexpr Fields kWriters[] = {
    {kEveryType, ""}, {kTimes, kPassed}, {kText, kRecursive}, {kNested, ""}};

frazil::avro::Schema Parse(const std::string& fields) {
  auto schema =
      frazil::avro::ParseSchema(R"({"type":"record","name":"R","fields":[)" + fields + "]}");
  FRAZIL_CHECK(schema.ok());
  return std::move(schema).value();
}

std::vector<Writer> MakeWriters() {
  std::vector<Writer> writers;
  for (const Fields& fields : kWriters) {
    const auto mapped =
        frazil::decode::MapFirstSchema(Parse(fields.with_column), frazil::FieldId(21));
    FRAZIL_CHECK(mapped.ok());
    auto columns = mapped->schema;
    columns.fields.push_back(
        {.id = frazil::FieldId(1000), .name = "x", .required = false, .type = {}, .doc = ""});
    auto plan = AvroPlan::Compile(Parse(std::string(fields.with_column) + fields.without_column),
                                  columns, mapped->schema);
    FRAZIL_CHECK(plan.ok());
    Writer writer{.target = mapped->schema, .plans = {}};
    writer.plans.emplace(frazil::WriterSchemaId(1), std::move(plan).value());
    writers.push_back(std::move(writer));
  }
  return writers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Writer> writers = MakeWriters();
  if (size == 0) return 0;
  const Writer& writer = writers[data[0] % writers.size()];
  std::vector<frazil::Bytes> values;
  std::vector<bool> null;
  for (std::size_t at = 1; at < size && values.size() < 64;) {
    const std::uint8_t length = data[at++];
    const std::size_t taken = length == 255 ? 0 : std::min<std::size_t>(length, size - at);
    frazil::Bytes value{0, 0, 0, 0, 1};
    value.insert(value.end(), data + at, data + at + taken);
    value.shrink_to_fit();
    at += taken;
    values.push_back(std::move(value));
    null.push_back(length == 255);
  }
  std::vector<frazil::decode::RecordBlock> blocks(1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    frazil::decode::SourceRecord record;
    record.offset = static_cast<std::int64_t>(i);
    if (!null[i]) record.value = {values[i].data(), static_cast<std::int32_t>(values[i].size())};
    blocks[0].records.push_back(record);
  }
  const auto batch = frazil::decode::DecodeBlocks({.topic = "t", .generation = {}, .partition = {}},
                                                  writer.target, writer.plans, blocks);
  if (batch.ok()) FRAZIL_CHECK((*batch)->ValidateFull().ok());
  return 0;
}
