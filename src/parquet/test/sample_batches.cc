// SPDX-License-Identifier: Apache-2.0
#include "parquet/test/sample_batches.h"

#include <cstdio>
#include <utility>

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/check.h"
#include "parquet/arrow_columns.h"

namespace frazil::parquet {
namespace {

using iceberg::Type;
using iceberg::TypeKind;

Type Of(TypeKind kind) { return Type::Of(kind); }

Sample Types() {
  auto schema = SchemaOf({
      Field(1, "boolean", Of(TypeKind::kBoolean)),
      Field(2, "int", Of(TypeKind::kInt)),
      Field(3, "long", Of(TypeKind::kLong), true),
      Field(4, "float", Of(TypeKind::kFloat)),
      Field(5, "double", Of(TypeKind::kDouble)),
      Field(6, "decimal_9", Type::Decimal(9, 2)),
      Field(7, "decimal_10", Type::Decimal(10, 2)),
      Field(8, "decimal_18", Type::Decimal(18, 0)),
      Field(9, "decimal_19", Type::Decimal(19, 19)),
      Field(10, "decimal_38", Type::Decimal(38, 0)),
      Field(11, "date", Of(TypeKind::kDate)),
      Field(12, "time", Of(TypeKind::kTime)),
      Field(13, "timestamp", Of(TypeKind::kTimestamp)),
      Field(14, "timestamptz", Of(TypeKind::kTimestamptz)),
      Field(15, "string", Of(TypeKind::kString)),
      Field(16, "uuid", Of(TypeKind::kUuid)),
      Field(17, "fixed", Type::Fixed(3)),
      Field(18, "binary", Of(TypeKind::kBinary)),
      Field(19, "only_nulls", Of(TypeKind::kLong)),
      Field(20, "only_nans", Of(TypeKind::kDouble)),
      Field(21, "required_string", Of(TypeKind::kString), true),
  });
  return MakeSample(
      "types", std::move(schema),
      {R"([true, false, null, false, true])",
       R"([-2147483648, 2147483647, null, 0, -1])",
       R"([-9223372036854775808, 9223372036854775807, 0, -1, 1])",
       R"([NaN, -0.0, null, 1.5, -Infinity])",
       R"([0.0, NaN, null, -0.0, 4.9e-324])",
       R"(["-7.25", "6.40", null, "-9999999.99", "9999999.99"])",
       R"(["-7.25", "6.40", null, "-99999999.99", "99999999.99"])",
       R"(["-999999999999999999", "999999999999999999", null, "0", "1"])",
       R"(["-0.9999999999999999999", "0.9999999999999999999", null, "0.0000000000000000000", "0.0000000000000000001"])",
       R"(["-99999999999999999999999999999999999999", "99999999999999999999999999999999999999", null, "0", "-1"])",
       R"([-719162, 2932896, null, 0, -1])",
       R"([0, 86399999999, null, 1, 43200000000])",
       R"([-62135596800000000, 253402300799999999, null, 0, -1])",
       R"([-62135596800000000, 253402300799999999, null, 0, -1])",
       "[\"\", \"a text that is longer than a bound\", null, "
       "\"\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e\", "
       "\"nul \\u0000 inside\"]",
       R"(["0123456789abcdef", "zzzzzzzzzzzzzzzz", null, "\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000", "AAAAAAAAAAAAAAAA"])",
       R"(["abc", "\u0000\u0000\u0000", null, "~~~", "   "])",
       R"(["", "\u0000", null, "\u007f binary longer than sixteen", "b"])",
       R"([null, null, null, null, null])",
       R"([NaN, null, NaN, NaN, NaN])",
       R"(["", "b", "c", "b", "a"])"});
}

Sample Nested() {
  const Type point = Type::Struct({Field(3, "x", Of(TypeKind::kInt), true),
                                   Field(4, "moment", Of(TypeKind::kTimestamptz)),
                                   Field(5, "ratio", Of(TypeKind::kDouble))});
  const Type inner_list = Type::List(FieldId(12), Of(TypeKind::kInt), /*element_required=*/false);
  auto schema = SchemaOf({
      Field(1, "id", Of(TypeKind::kLong), true),
      Field(2, "point", point),
      Field(6, "moments", Type::List(FieldId(7), Of(TypeKind::kTimestamp), false)),
      Field(8, "by_name",
            Type::Map(FieldId(9), Of(TypeKind::kString), FieldId(10), Of(TypeKind::kTimestamp),
                      /*value_required=*/false)),
      Field(11, "lists", Type::List(FieldId(13), inner_list, false)),
      Field(14, "required_point",
            Type::Struct({Field(15, "code", Of(TypeKind::kString)),
                          Field(16, "flag", Of(TypeKind::kBoolean), true)}),
            true),
      Field(
          17, "points",
          Type::List(FieldId(18), Type::Struct({Field(19, "ratio", Of(TypeKind::kFloat))}), false),
          true),
  });
  return MakeSample(
      "nested", std::move(schema),
      {R"([1, 2, 3, 4])",
       R"([{"x": 1, "moment": 1600000000000000, "ratio": NaN}, null, {"x": -5, "moment": null, "ratio": 2.5}, {"x": 7, "moment": 0, "ratio": null}])",
       R"([[1600000000000000, null], [], null, [-1]])",
       R"([[["a", 1], ["b", null]], null, [], [["", 1600000000000000]]])",
       R"([[[1, 2], null, []], [], null, [[null], [3]]])",
       R"([{"code": "q", "flag": true}, {"code": null, "flag": false}, {"code": "", "flag": true}, {"code": "r", "flag": true}])",
       R"([[{"ratio": 1.5}, null, {"ratio": null}], [], [{"ratio": NaN}], []])"});
}

// The shape of every speed table: the value's fields, then the Kafka columns.
Sample Kafka() {
  const Type header = Type::Struct(
      {Field(8, "key", Of(TypeKind::kString), true), Field(9, "value", Of(TypeKind::kBinary))});
  auto schema = SchemaOf({
      Field(21, "id", Of(TypeKind::kLong)),
      Field(22, "customer", Of(TypeKind::kString)),
      Field(23, "amount", Type::Decimal(10, 2)),
      Field(1, "kafka_generation", Of(TypeKind::kInt), true),
      Field(2, "kafka_partition", Of(TypeKind::kInt), true),
      Field(3, "kafka_offset", Of(TypeKind::kLong), true),
      Field(4, "kafka_timestamp", Of(TypeKind::kTimestamptz)),
      Field(5, "kafka_key", Of(TypeKind::kBinary)),
      Field(6, "kafka_headers", Type::List(FieldId(7), header, /*element_required=*/true), true),
  });
  return MakeSample(
      "kafka", std::move(schema),
      {R"([7, null, 9])", R"(["ada", null, ""])", R"(["12.50", null, "-0.01"])", R"([0, 0, 0])",
       R"([3, 3, 3])", R"([100, 101, 105])", R"([1767225600000000, 1767225600001000, null])",
       R"(["k1", null, ""])",
       R"([[], [{"key": "trace", "value": "\u0001\u0002"}, {"key": "", "value": null}], [{"key": "trace", "value": ""}]])"});
}

Sample Empty() {
  Sample types = Types();
  return MakeSample("empty", std::move(types.schema),
                    std::vector<std::string>(types.columns.size(), "[]"));
}

Sample Pages() {
  constexpr int kRows = 50'000;
  std::string numbers = "[";
  std::string texts = "[";
  std::string lists = "[";
  for (int i = 0; i < kRows; ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    numbers += comma + (i % 7 == 0 ? "null" : std::to_string(std::int64_t{i} * i - 100'000));
    texts += comma + "\"text " + std::to_string((i * 7919) % kRows) + "\"";
    lists += comma + (i % 3 == 0 ? "[]" : "[" + std::to_string(i) + ", null]");
  }
  auto schema = SchemaOf({
      Field(1, "number", Of(TypeKind::kLong)),
      Field(2, "text", Of(TypeKind::kString), true),
      Field(3, "list", Type::List(FieldId(4), Of(TypeKind::kInt), false)),
  });
  return MakeSample("pages", std::move(schema), {numbers + "]", texts + "]", lists + "]"});
}

// A column of 40,000 values.
template <typename ValueOf>
std::string Long(ValueOf value_of) {
  constexpr int kRows = 40'000;
  std::string column = "[";
  for (int i = 0; i < kRows; ++i) column += (i == 0 ? "" : ", ") + std::string(value_of(i));
  return column + "]";
}

constexpr const char* kStates[] = {"null", "\"NEW\"", "\"PAID\"", "\"SENT AWAY\"", "\"\""};

// Few values, as dictionaries hold them, one alone, and many; no column nested, which some readers
// read in another way.
Sample Repeats() {
  auto schema = SchemaOf({
      Field(1, "constant", Of(TypeKind::kInt), true),
      Field(2, "one_or_null", Of(TypeKind::kLong)),
      Field(3, "state", Of(TypeKind::kString)),
      Field(4, "amount", Type::Decimal(30, 18)),
      Field(5, "price", Type::Decimal(10, 2)),
      Field(6, "flag", Of(TypeKind::kBoolean)),
      Field(7, "number", Of(TypeKind::kLong)),
      Field(8, "text", Of(TypeKind::kString), true),
      Field(9, "real", Of(TypeKind::kDouble)),
      Field(10, "fixed", Type::Fixed(3), true),
  });
  return MakeSample(
      "repeats", std::move(schema),
      {Long([](int) { return "3"; }), Long([](int i) { return i % 9 == 0 ? "null" : "-7"; }),
       Long([](int i) { return kStates[(i * 7919) % 5]; }), Long([](int i) {
         return i % 2 == 0 ? "\"-1.000000000000000000\"" : "\"2.000000000000000000\"";
       }),
       Long([](int) { return "\"12.50\""; }),
       Long([](int i) { return i % 5 == 0 ? "null" : (i % 3 == 0 ? "true" : "false"); }),
       Long([](int i) { return i % 7 == 0 ? "null" : std::to_string(std::int64_t{i} * i); }),
       Long([](int i) { return "\"text " + std::to_string(i) + "\""; }),
       Long([](int i) { return i % 11 == 0 ? "NaN" : std::to_string(i) + ".5"; }),
       Long([](int i) { return i % 1000 == 0 ? "\"abc\"" : "\"xyz\""; })});
}

Sample RepeatsInLists() {
  auto schema =
      SchemaOf({Field(1, "list", Type::List(FieldId(2), Of(TypeKind::kString), false)),
                Field(3, "empty", Type::List(FieldId(4), Of(TypeKind::kInt), false), true)});
  return MakeSample("repeats_in_lists", std::move(schema),
                    {Long([](int i) {
                       return i % 4 == 0 ? "null"
                                         : "[\"a name\", " + std::string(kStates[i % 3]) + "]";
                     }),
                     Long([](int) { return "[]"; })});
}

}  // namespace

iceberg::NestedField Field(int id, const std::string& name, iceberg::Type type, bool required) {
  return {
      .id = FieldId(id), .name = name, .required = required, .type = std::move(type), .doc = ""};
}

iceberg::Schema SchemaOf(std::vector<iceberg::NestedField> fields) {
  return {.version = SchemaVersion(0), .fields = std::move(fields)};
}

Sample MakeSample(std::string name, iceberg::Schema schema, std::vector<std::string> columns) {
  FRAZIL_CHECK(schema.fields.size() == columns.size());
  arrow::ArrayVector arrays;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto array = arrow::json::ArrayFromJSONString(ArrowType(schema.fields[i].type), columns[i]);
    if (!array.ok()) std::fprintf(stderr, "%s\n", array.status().ToString().c_str());
    FRAZIL_CHECK(array.ok());
    arrays.push_back(*std::move(array));
  }
  const std::int64_t rows = arrays.front()->length();
  auto batch = arrow::RecordBatch::Make(ArrowSchema(schema), rows, std::move(arrays));
  return {.name = std::move(name),
          .schema = std::move(schema),
          .columns = std::move(columns),
          .batch = std::move(batch)};
}

std::vector<Sample> FixedSamples() {
  std::vector<Sample> samples;
  samples.push_back(Types());
  samples.push_back(Nested());
  samples.push_back(Kafka());
  samples.push_back(Empty());
  samples.push_back(Pages());
  samples.push_back(Repeats());
  samples.push_back(RepeatsInLists());
  return samples;
}

}  // namespace frazil::parquet
