// SPDX-License-Identifier: Apache-2.0
// Decodes cases that another Avro implementation wrote, for tests/interop/decode_interop.py.
//
// Input: one case a line, as JSON: {"schemas": [text, ...], "records": [{"writer": index, "body":
// hex}, ...], "parquet": whether to encode, too}. Schemas are the versions of one subject; records
// are decoded into the newest. Output: parts of a kind byte, a length (four bytes, little-endian)
// and that many bytes; for each case one of E (an error's text) or A (an Arrow IPC stream), and
// then, where asked for, P (a Parquet file).
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/encoding.h"
#include "decode/block_decoder.h"
#include "decode/schema_mapping.h"
#include "decode/writer_schema.h"
#include "parquet/chunk_encoder.h"

namespace frazil {
namespace {

using Json = nlohmann::json;

struct Decoded {
  iceberg::Schema schema;
  std::shared_ptr<arrow::RecordBatch> batch;
};

struct Subject {
  std::vector<decode::WriterSchema> writers;
  std::vector<iceberg::Schema> columns;
};

Result<Subject> MapSubject(const Json& texts) {
  Subject subject;
  FieldId next(21);
  for (const Json& text : texts) {
    FRAZIL_ASSIGN_OR_RETURN(auto writer,
                            decode::WriterSchema::Parse("AVRO", text.get<std::string>(), {}));
    FRAZIL_ASSIGN_OR_RETURN(
        auto mapped, subject.columns.empty()
                         ? decode::MapFirstSchema(writer.avro(), next)
                         : decode::MapNextSchema(subject.columns.back(), writer.avro(), next));
    next = mapped.next_field_id;
    subject.columns.push_back(std::move(mapped.schema));
    subject.writers.push_back(std::move(writer));
  }
  return subject;
}

Result<Decoded> Decode(const Json& wanted) {
  FRAZIL_ASSIGN_OR_RETURN(const Subject subject, MapSubject(wanted["schemas"]));
  const iceberg::Schema& target = subject.columns.back();
  decode::PlansById plans;
  for (std::size_t i = 0; i < subject.writers.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto plan, decode::AvroPlan::Compile(subject.writers[i].avro(),
                                                                 subject.columns[i], target));
    plans.emplace(WriterSchemaId(static_cast<std::int32_t>(i)), std::move(plan));
  }
  std::vector<Bytes> values;
  for (const Json& record : wanted["records"]) {
    Bytes value{0};
    AppendBigEndian(record["writer"].get<std::int32_t>(), value);
    const auto body = HexDecode(record["body"].get<std::string>());
    FRAZIL_CHECK(body.has_value());
    Append(*body, value);
    values.push_back(std::move(value));
  }
  std::vector<decode::RecordBlock> blocks(1);
  for (const Bytes& value : values) {
    decode::SourceRecord record;
    record.offset = static_cast<std::int64_t>(blocks[0].records.size());
    record.value = {value.data(), static_cast<std::int32_t>(value.size())};
    blocks[0].records.push_back(record);
  }
  FRAZIL_ASSIGN_OR_RETURN(
      auto batch, decode::DecodeBlocks({.topic = "t", .generation = {}, .partition = {}}, target,
                                       plans, blocks));
  const auto valid = batch->ValidateFull();
  if (!valid.ok()) return Error(ErrorCode::kInternal, valid.ToString());
  return Decoded{.schema = target, .batch = std::move(batch)};
}

void WritePart(char kind, const void* data, std::size_t size) {
  const auto length = static_cast<std::uint32_t>(size);
  std::fputc(kind, stdout);
  std::fwrite(&length, sizeof(length), 1, stdout);
  std::fwrite(data, 1, size, stdout);
}

void WriteArrow(const arrow::RecordBatch& batch) {
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto writer = arrow::ipc::MakeStreamWriter(sink, batch.schema()).ValueOrDie();
  FRAZIL_CHECK(writer->WriteRecordBatch(batch).ok() && writer->Close().ok());
  const auto buffer = sink->Finish().ValueOrDie();
  WritePart('A', buffer->data(), static_cast<std::size_t>(buffer->size()));
}

void RunCase(const Json& wanted) {
  const auto decoded = Decode(wanted);
  if (!decoded.ok()) {
    const std::string text = decoded.error().ToString();
    WritePart('E', text.data(), text.size());
    return;
  }
  WriteArrow(*decoded->batch);
  if (!wanted.value("parquet", false)) return;
  const auto encoded = parquet::EncodeChunk(*decoded->batch, decoded->schema);
  if (!encoded.ok()) {
    const std::string text = encoded.error().ToString();
    WritePart('E', text.data(), text.size());
    return;
  }
  WritePart('P', encoded->file.data(), encoded->file.size());
}

}  // namespace
}  // namespace frazil

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: decode_sampler CASES\n";
    return 2;
  }
  std::ifstream cases(argv[1]);
  for (std::string line; std::getline(cases, line);) frazil::RunCase(nlohmann::json::parse(line));
  return 0;
}
