// SPDX-License-Identifier: Apache-2.0
#include "decode/test/topic_fixture.h"

#include <algorithm>
#include <bit>

#include <arrow/array.h>

#include "base/check.h"
#include "base/encoding.h"
#include "decode/kafka_columns.h"

namespace frazil::decode {

namespace {

std::string DecimalText(const std::uint8_t* little_endian) {
  __int128 value = 0;
  std::memcpy(&value, little_endian, sizeof(value));
  const bool negative = value < 0;
  auto rest = static_cast<unsigned __int128>(value);
  if (negative) rest = -rest;
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

template <typename Integer>
std::string BitsText(Integer bits) {
  Bytes bytes;
  AppendBigEndian(bits, bytes);
  return HexEncode(bytes);
}

template <typename ArrayType>
auto ValueAt(const arrow::Array& array, std::int64_t row) {
  return static_cast<const ArrayType&>(array).Value(row);
}

std::string FixedText(const arrow::Array& array, std::int64_t row) {
  const auto& fixed = static_cast<const arrow::FixedSizeBinaryArray&>(array);
  if (array.type_id() == arrow::Type::DECIMAL128) return DecimalText(fixed.GetValue(row));
  return HexEncode({fixed.GetValue(row), static_cast<std::size_t>(fixed.byte_width())});
}

std::string CellText(const arrow::Array& array, std::int64_t row);

std::string CellOrNull(const arrow::Array& array, std::int64_t row) {
  return array.IsNull(row) ? "NULL" : CellText(array, row);
}

std::string StructText(const arrow::StructArray& array, std::int64_t row) {
  std::string text = "{";
  for (int i = 0; i < array.num_fields(); ++i) {
    if (i > 0) text += ", ";
    text += array.type()->field(i)->name() + ": " + CellOrNull(*array.field(i), row);
  }
  return text + "}";
}

std::string ListText(const arrow::ListArray& array, std::int64_t row) {
  std::string text = "[";
  for (std::int64_t i = array.value_offset(row); i < array.value_offset(row + 1); ++i) {
    if (text.size() > 1) text += ", ";
    text += CellOrNull(*array.values(), i);
  }
  return text + "]";
}

std::string MapText(const arrow::MapArray& array, std::int64_t row) {
  std::string text = "<";
  for (std::int64_t i = array.value_offset(row); i < array.value_offset(row + 1); ++i) {
    if (text.size() > 1) text += ", ";
    text += CellText(*array.keys(), i) + " = " + CellOrNull(*array.items(), i);
  }
  return text + ">";
}

std::string CellText(const arrow::Array& array, std::int64_t row) {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return ValueAt<arrow::BooleanArray>(array, row) ? "true" : "false";
    case arrow::Type::INT32:
      return std::to_string(ValueAt<arrow::Int32Array>(array, row));
    case arrow::Type::DATE32:
      return std::to_string(ValueAt<arrow::Date32Array>(array, row));
    case arrow::Type::INT64:
      return std::to_string(ValueAt<arrow::Int64Array>(array, row));
    case arrow::Type::TIMESTAMP:
      return std::to_string(ValueAt<arrow::TimestampArray>(array, row));
    case arrow::Type::FLOAT:
      return BitsText(std::bit_cast<std::uint32_t>(ValueAt<arrow::FloatArray>(array, row)));
    case arrow::Type::DOUBLE:
      return BitsText(std::bit_cast<std::uint64_t>(ValueAt<arrow::DoubleArray>(array, row)));
    case arrow::Type::DECIMAL128:
    case arrow::Type::FIXED_SIZE_BINARY:
      return FixedText(array, row);
    case arrow::Type::STRING:
      return static_cast<const arrow::StringArray&>(array).GetString(row);
    case arrow::Type::BINARY:
      return HexEncode(AsBytes(static_cast<const arrow::BinaryArray&>(array).GetView(row)));
    case arrow::Type::STRUCT:
      return StructText(static_cast<const arrow::StructArray&>(array), row);
    case arrow::Type::LIST:
      return ListText(static_cast<const arrow::ListArray&>(array), row);
    case arrow::Type::MAP:
      return MapText(static_cast<const arrow::MapArray&>(array), row);
    default:
      return "?";
  }
}

}  // namespace

avro::Schema ParsedSchema(const std::string& json) {
  auto schema = avro::ParseSchema(json);
  if (!schema.ok())
    std::fprintf(stderr, "%s: %s\n", schema.error().ToString().c_str(), json.c_str());
  FRAZIL_CHECK(schema.ok());
  return std::move(schema).value();
}

std::string RecordJson(const std::string& fields) {
  return R"({"type":"record","name":"R","fields":[)" + fields + "]}";
}

Status TopicFixture::Register(int id, const std::string& schema_json) {
  avro::Schema schema = ParsedSchema(schema_json);
  auto mapped = versions_.empty() ? MapFirstSchema(schema, next_field_id_)
                                  : MapNextSchema(versions_.back(), schema, next_field_id_);
  if (!mapped.ok()) return mapped.error();
  next_field_id_ = mapped->next_field_id;
  if (versions_.empty() || versions_.back() != mapped->schema) versions_.push_back(mapped->schema);
  RegisterMapped(id, std::move(schema), mapped->schema);
  return {};
}

void TopicFixture::RegisterMapped(int id, avro::Schema schema, iceberg::Schema columns) {
  writers_.insert_or_assign(id, std::move(schema));
  columns_.insert_or_assign(id, std::move(columns));
}

NullableView TopicFixture::Keep(std::optional<Bytes> bytes) {
  if (!bytes.has_value()) return {};
  kept_.push_back(std::make_shared<Bytes>(bytes->begin(), bytes->end()));
  return {kept_.back()->data(), static_cast<std::int32_t>(kept_.back()->size())};
}

void TopicFixture::AddValue(std::optional<Bytes> value) {
  SourceRecord record;
  record.offset = next_offset_++;
  record.header_begin = static_cast<std::uint32_t>(block_.headers.size());
  record.value = Keep(std::move(value));
  block_.records.push_back(record);
}

void TopicFixture::Add(int id, const Bytes& body) {
  Bytes value{0};
  AppendBigEndian(static_cast<std::int32_t>(id), value);
  Append(body, value);
  AddValue(std::move(value));
}

void TopicFixture::AddHeader(const std::string& key, std::optional<Bytes> value) {
  const NullableView kept_key = Keep(Bytes(key.begin(), key.end()));
  block_.headers.push_back({kept_key.view(), Keep(std::move(value))});
  ++last_record().header_count;
}

void TopicFixture::EndBlock() {
  ended_.push_back(std::move(block_));
  block_ = {};
}

std::vector<RecordBlock> TopicFixture::Blocks() const {
  std::vector<RecordBlock> blocks = ended_;
  blocks.push_back(block_);
  return blocks;
}

Result<std::shared_ptr<arrow::RecordBatch>> TopicFixture::Decode(const iceberg::Schema& target,
                                                                 EnumForm enums) const {
  const auto blocks = Blocks();
  if (FormatOf(target) == ValueFormat::kRaw) return DecodeBlocks(origin, target, {}, blocks);
  FRAZIL_ASSIGN_OR_RETURN(const auto ids, WriterSchemaIds(origin, blocks));
  PlansById plans;
  for (const WriterSchemaId id : ids) {
    FRAZIL_ASSIGN_OR_RETURN(
        auto plan, AvroPlan::Compile(writers_.at(id.value()), columns_.at(id.value()), target));
    plans.emplace(id, std::move(plan));
  }
  auto batch = DecodeBlocks(origin, target, plans, blocks, enums);
  if (batch.ok()) {
    const auto valid = (*batch)->ValidateFull();
    if (!valid.ok()) return Error(ErrorCode::kInternal, valid.ToString());
  }
  return batch;
}

std::optional<std::string> Cell(const arrow::RecordBatch& batch, const std::string& column,
                                std::int64_t row) {
  const auto array = batch.GetColumnByName(column);
  if (array == nullptr) return "no such column";
  if (array->IsNull(row)) return std::nullopt;
  return CellText(*array, row);
}

std::vector<std::string> Column(const arrow::RecordBatch& batch, const std::string& column) {
  std::vector<std::string> cells;
  cells.reserve(static_cast<std::size_t>(batch.num_rows()));
  for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
    cells.push_back(Cell(batch, column, row).value_or("NULL"));
  }
  return cells;
}

}  // namespace frazil::decode
