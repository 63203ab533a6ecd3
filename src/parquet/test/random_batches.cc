// SPDX-License-Identifier: Apache-2.0
#include "parquet/test/random_batches.h"

#include <array>
#include <random>
#include <string>
#include <utility>

#include <arrow/record_batch.h>

#include "parquet/test/read_back.h"

namespace frazil::parquet {
namespace {

using iceberg::NestedField;
using iceberg::Type;
using iceberg::TypeKind;

constexpr int kDeepest = 3;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : engine_(seed) {}

  Sample Next(std::uint64_t seed, int max_rows) {
    std::vector<NestedField> fields;
    const int columns = 1 + Below(8);
    for (int i = 0; i < columns; ++i) fields.push_back(NextField(1));
    const int rows = Below(max_rows + 1);
    std::vector<std::string> values;
    for (const NestedField& field : fields) {
      // Columns without NULLs take other paths in the library than those with some or many.
      nulls_in_ten_ = std::array{0, 1, 5, 10}[static_cast<std::size_t>(Below(4))];
      std::string column = "[";
      for (int row = 0; row < rows; ++row) column += (row == 0 ? "" : ", ") + FieldValue(field);
      values.push_back(column + "]");
    }
    return MakeSample("random_" + std::to_string(seed), SchemaOf(std::move(fields)),
                      std::move(values));
  }

 private:
  // The engine's numbers are fixed by the standard, those of its distributions are not.
  int Below(int bound) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(bound)); }
  FieldId NextId() { return FieldId(++last_id_); }

  NestedField NextField(int depth) {
    const FieldId id = NextId();
    return {.id = id,
            .name = "f" + std::to_string(id.value()),
            .required = Below(3) == 0,
            .type = NextType(depth),
            .doc = ""};
  }

  Type NextType(int depth) {
    const auto kind = static_cast<TypeKind>(Below(depth < kDeepest ? 17 : 14));
    switch (kind) {
      case TypeKind::kDecimal: {
        const int precision = 1 + Below(38);
        return Type::Decimal(precision, Below(precision + 1));
      }
      case TypeKind::kFixed:
        return Type::Fixed(1 + Below(20));
      case TypeKind::kStruct: {
        std::vector<NestedField> fields;
        for (int i = Below(3); i >= 0; --i) fields.push_back(NextField(depth + 1));
        return Type::Struct(std::move(fields));
      }
      case TypeKind::kList: {
        const FieldId id = NextId();
        return Type::List(id, NextType(depth + 1), Below(2) == 0);
      }
      case TypeKind::kMap: {
        const FieldId key = NextId();
        const FieldId value = NextId();
        return Type::Map(key, Type::Of(TypeKind::kString), value, NextType(depth + 1),
                         Below(2) == 0);
      }
      default:
        return Type::Of(kind);
    }
  }

  std::string FieldValue(const NestedField& field) {
    if (!field.required && Below(10) < nulls_in_ten_) return "null";
    return Value(field.type);
  }

  std::string Text(int length) {
    std::string text = "\"";
    for (int i = 0; i < length; ++i) text += static_cast<char>('a' + Below(26));
    return text + "\"";
  }

  std::string Real() {
    static constexpr std::array kReals = {"NaN", "-0.0", "0.0", "Infinity", "-Infinity", "1.25"};
    const int choice = Below(12);
    if (choice < 6) return kReals[static_cast<std::size_t>(choice)];
    return std::to_string(Below(2'000'001) - 1'000'000) + "e-3";
  }

  std::string Decimal(const Type& type) {
    std::string digits;
    for (int i = 0; i < type.precision; ++i) digits += static_cast<char>('0' + Below(10));
    digits.insert(digits.size() - static_cast<std::size_t>(type.scale), ".");
    if (digits.front() == '.') digits.insert(0, "0");
    if (digits.back() == '.') digits.pop_back();
    return std::string("\"") + (Below(2) == 0 ? "-" : "") + digits + "\"";
  }

  std::string Sequence(int length, const NestedField& element) {
    std::string values;
    for (int i = 0; i < length; ++i) values += (i == 0 ? "" : ", ") + FieldValue(element);
    return values;
  }

  std::string Struct(const Type& type) {
    std::string values = "{";
    for (const NestedField& field : type.fields) {
      values += (values.size() == 1 ? "\"" : ", \"") + field.name + "\": " + FieldValue(field);
    }
    return values + "}";
  }

  std::string Map(const Type& type) {
    std::string entries = "[";
    for (int i = Below(4); i > 0; --i) {
      entries += (entries.size() == 1 ? "[" : ", [") + FieldValue(type.fields[0]) + ", " +
                 FieldValue(type.fields[1]) + "]";
    }
    return entries + "]";
  }

  std::string Value(const Type& type) {
    switch (type.kind) {
      case TypeKind::kBoolean:
        return Below(2) == 0 ? "true" : "false";
      case TypeKind::kInt:
      case TypeKind::kDate:
        return std::to_string(static_cast<std::int32_t>(engine_()));
      case TypeKind::kLong:
      case TypeKind::kTimestamp:
      case TypeKind::kTimestamptz:
        return std::to_string(static_cast<std::int64_t>(engine_()));
      case TypeKind::kTime:
        return std::to_string(engine_() % 86'400'000'000U);
      case TypeKind::kFloat:
      case TypeKind::kDouble:
        return Real();
      case TypeKind::kDecimal:
        return Decimal(type);
      case TypeKind::kString:
      case TypeKind::kBinary:
        return Text(Below(24));
      case TypeKind::kUuid:
        return Text(16);
      case TypeKind::kFixed:
        return Text(type.length);
      case TypeKind::kStruct:
        return Struct(type);
      case TypeKind::kList:
        return "[" + Sequence(Below(4), type.fields[0]) + "]";
      case TypeKind::kMap:
        return Map(type);
    }
    return "null";
  }

  std::mt19937_64 engine_;
  int last_id_ = 0;
  int nulls_in_ten_ = 0;
};

}  // namespace

Sample RandomSample(std::uint64_t seed, int rows) { return Generator(seed).Next(seed, rows); }

std::vector<std::int64_t> RandomGroups(std::uint64_t seed, std::int64_t rows) {
  std::mt19937_64 engine(seed);
  std::vector<std::int64_t> groups;
  while (rows > 0) {
    // None, one, or up to all of what is left.
    const auto most = static_cast<std::uint64_t>(engine() % 3 == 0 ? 2 : rows + 1);
    groups.push_back(static_cast<std::int64_t>(engine() % most));
    rows -= groups.back();
  }
  return groups;
}

Result<EncodedChunk> EncodeInGroups(const Sample& sample, const std::vector<std::int64_t>& groups,
                                    int encoder_version, std::size_t expected_file_bytes,
                                    EncoderOutput output) {
  return EncodeInGroups(sample.schema, *sample.batch, groups, encoder_version, expected_file_bytes,
                        output);
}

}  // namespace frazil::parquet
