// SPDX-License-Identifier: Apache-2.0
#include "parquet/test/generated_batch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "base/check.h"
#include "parquet/arrow_columns.h"

namespace frazil::parquet {
namespace {

using iceberg::NestedField;
using iceberg::Type;
using iceberg::TypeKind;

constexpr int kDeepest = 3;

void Check(const arrow::Status& status) { FRAZIL_CHECK(status.ok()); }

// The next one of a well mixed sequence.
std::uint64_t Mixed(std::uint64_t& state) {
  std::uint64_t bits = state += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// What a column's values are like.
struct Profile {
  std::size_t nulls_in_256 = 0;
  // Different values at each leaf; 0: any number.
  std::size_t different = 0;
  std::size_t longest_text = 0;
  std::size_t longest_list = 0;

  // Of what lies in a list: so that a row stays within reason.
  Profile Inside() const {
    Profile inside = *this;
    inside.longest_text = std::min<std::size_t>(longest_text, 40);
    inside.longest_list = std::min<std::size_t>(longest_list, 3);
    return inside;
  }
};

class Generator {
 public:
  explicit Generator(Choices& choices) : choices_(choices) {}

  NestedField NextField(int depth) {
    const FieldId id = NextId();
    return {.id = id,
            .name = "f" + std::to_string(id.value()),
            .required = choices_.Below(3) == 0,
            .type = NextType(depth),
            .doc = ""};
  }

  Profile NextProfile() {
    static constexpr std::array<std::size_t, 4> kNulls = {0, 20, 128, 256};
    static constexpr std::array<std::size_t, 6> kDifferent = {0, 1, 2, 5, 200, 256};
    static constexpr std::array<std::size_t, 5> kTexts = {0, 7, 15, 40, 5000};
    static constexpr std::array<std::size_t, 4> kLists = {1, 3, 9, 60};
    return {.nulls_in_256 = kNulls[choices_.Below(kNulls.size())],
            .different = kDifferent[choices_.Below(kDifferent.size())],
            .longest_text = kTexts[choices_.Below(kTexts.size())],
            .longest_list = kLists[choices_.Below(kLists.size())]};
  }

  void Append(const NestedField& field, const Profile& profile, arrow::ArrayBuilder& builder) {
    if (!field.required && choices_.Below(256) < profile.nulls_in_256) {
      return Check(builder.AppendNull());
    }
    switch (field.type.kind) {
      case TypeKind::kStruct: {
        auto& structs = static_cast<arrow::StructBuilder&>(builder);
        Check(structs.Append());
        for (std::size_t i = 0; i < field.type.fields.size(); ++i) {
          Append(field.type.fields[i], profile, *structs.field_builder(static_cast<int>(i)));
        }
        return;
      }
      case TypeKind::kList: {
        auto& lists = static_cast<arrow::ListBuilder&>(builder);
        Check(lists.Append());
        for (std::size_t i = choices_.Below(profile.longest_list + 1); i > 0; --i) {
          Append(field.type.fields.at(0), profile.Inside(), *lists.value_builder());
        }
        return;
      }
      case TypeKind::kMap: {
        auto& maps = static_cast<arrow::MapBuilder&>(builder);
        Check(maps.Append());
        for (std::size_t i = choices_.Below(profile.longest_list + 1); i > 0; --i) {
          Append(field.type.fields.at(0), profile.Inside(), *maps.key_builder());
          Append(field.type.fields.at(1), profile.Inside(), *maps.item_builder());
        }
        return;
      }
      default:
        return AppendLeaf(field.type, profile, builder);
    }
  }

 private:
  FieldId NextId() { return FieldId(++last_id_); }

  Type NextType(int depth) {
    const auto kind = static_cast<TypeKind>(choices_.Below(depth < kDeepest ? 17 : 14));
    switch (kind) {
      case TypeKind::kDecimal: {
        const int precision = 1 + static_cast<int>(choices_.Below(38));
        return Type::Decimal(
            precision, static_cast<int>(choices_.Below(static_cast<std::size_t>(precision) + 1)));
      }
      case TypeKind::kFixed:
        return Type::Fixed(1 + static_cast<int>(choices_.Below(20)));
      case TypeKind::kStruct: {
        std::vector<NestedField> fields;
        for (std::size_t i = choices_.Below(3) + 1; i > 0; --i) {
          fields.push_back(NextField(depth + 1));
        }
        return Type::Struct(std::move(fields));
      }
      case TypeKind::kList: {
        const FieldId id = NextId();
        return Type::List(id, NextType(depth + 1), choices_.Below(2) == 0);
      }
      case TypeKind::kMap: {
        const FieldId key = NextId();
        const FieldId value = NextId();
        return Type::Map(key, Type::Of(TypeKind::kString), value, NextType(depth + 1),
                         choices_.Below(2) == 0);
      }
      default:
        return Type::Of(kind);
    }
  }

  std::uint64_t ValueBits(const Profile& profile) {
    return profile.different == 0 ? choices_.Bits() : choices_.Below(profile.different);
  }

  static double Real(std::uint64_t bits) {
    static constexpr std::array kReals = {std::numeric_limits<double>::quiet_NaN(),
                                          -0.0,
                                          0.0,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          1.25,
                                          -1e300,
                                          5e-324};
    const std::size_t choice = bits % 16;
    if (choice < kReals.size()) return kReals[choice];
    return static_cast<double>(static_cast<std::int64_t>(bits)) / 1024;
  }

  static std::string Text(std::uint64_t bits, std::size_t length, bool ascii) {
    std::string text(length, '\0');
    std::uint64_t state = bits;
    for (char& letter : text) {
      const std::uint64_t next = Mixed(state);
      letter = static_cast<char>(ascii ? next % 128 : next % 256);
    }
    return text;
  }

  static arrow::Decimal128 Decimal(int precision, std::uint64_t bits) {
    std::uint64_t state = bits;
    const auto low = Mixed(state);
    const arrow::Decimal128 wide(static_cast<std::int64_t>(Mixed(state)), low);
    return wide % arrow::Decimal128(arrow::Decimal128::GetScaleMultiplier(precision));
  }

  void AppendLeaf(const Type& type, const Profile& profile, arrow::ArrayBuilder& builder) {
    const std::uint64_t bits = ValueBits(profile);
    const auto number = static_cast<std::int64_t>(bits);
    switch (type.kind) {
      case TypeKind::kBoolean:
        return Check(static_cast<arrow::BooleanBuilder&>(builder).Append((bits & 1) != 0));
      case TypeKind::kInt:
        return Check(
            static_cast<arrow::Int32Builder&>(builder).Append(static_cast<std::int32_t>(bits)));
      case TypeKind::kDate:
        return Check(
            static_cast<arrow::Date32Builder&>(builder).Append(static_cast<std::int32_t>(bits)));
      case TypeKind::kLong:
        return Check(static_cast<arrow::Int64Builder&>(builder).Append(number));
      case TypeKind::kTime:
        return Check(static_cast<arrow::Time64Builder&>(builder).Append(
            static_cast<std::int64_t>(bits % 86'400'000'000)));
      case TypeKind::kTimestamp:
      case TypeKind::kTimestamptz:
        return Check(static_cast<arrow::TimestampBuilder&>(builder).Append(number));
      case TypeKind::kFloat:
        return Check(
            static_cast<arrow::FloatBuilder&>(builder).Append(static_cast<float>(Real(bits))));
      case TypeKind::kDouble:
        return Check(static_cast<arrow::DoubleBuilder&>(builder).Append(Real(bits)));
      case TypeKind::kDecimal:
        return Check(
            static_cast<arrow::Decimal128Builder&>(builder).Append(Decimal(type.precision, bits)));
      case TypeKind::kString:
      case TypeKind::kBinary:
        return Check(static_cast<arrow::BinaryBuilder&>(builder).Append(
            Text(bits, bits % (profile.longest_text + 1), type.kind == TypeKind::kString)));
      default: {
        const std::size_t length =
            type.kind == TypeKind::kUuid ? 16 : static_cast<std::size_t>(type.length);
        return Check(
            static_cast<arrow::FixedSizeBinaryBuilder&>(builder).Append(Text(bits, length, false)));
      }
    }
  }

  Choices& choices_;
  int last_id_ = 0;
};

std::shared_ptr<arrow::Array> Repeated(const std::shared_ptr<arrow::Array>& array,
                                       std::int64_t times) {
  const arrow::ArrayVector parts(static_cast<std::size_t>(times), array);
  auto whole = arrow::Concatenate(parts);
  Check(whole.status());
  return *std::move(whole);
}

std::vector<std::int64_t> Groups(Choices& choices, std::int64_t rows) {
  std::vector<std::int64_t> groups;
  for (std::size_t more = choices.Below(4); more > 0 && rows > 0; --more) {
    groups.push_back(rows * static_cast<std::int64_t>(choices.Below(256)) / 255);
    rows -= groups.back();
  }
  groups.push_back(rows);
  return groups;
}

std::shared_ptr<arrow::ArrayData> FoldText(const arrow::StringArray& texts) {
  arrow::Int32Builder indices;
  arrow::StringBuilder dictionary;
  std::map<std::string, std::int32_t> known;
  Check(dictionary.Append("nobody uses this"));
  for (std::int64_t i = texts.length() - 1; i >= 0; --i) {
    if (texts.IsNull(i)) continue;
    const auto number = static_cast<std::int32_t>(dictionary.length());
    const auto [at, is_new] = known.emplace(texts.GetString(i), number);
    if (is_new) Check(dictionary.Append(at->first));
  }
  for (std::int64_t i = 0; i < texts.length(); ++i) {
    Check(texts.IsNull(i) ? indices.AppendNull() : indices.Append(known.at(texts.GetString(i))));
  }
  std::shared_ptr<arrow::Array> folded;
  std::shared_ptr<arrow::Array> values;
  Check(indices.Finish(&folded));
  Check(dictionary.Finish(&values));
  auto data = folded->data()->Copy();
  data->type = arrow::dictionary(arrow::int32(), arrow::utf8());
  data->dictionary = values->data();
  return data;
}

std::shared_ptr<arrow::ArrayData> Fold(const std::shared_ptr<arrow::ArrayData>& data) {
  if (data->type->id() == arrow::Type::STRING) return FoldText(arrow::StringArray(data));
  auto copy = data->Copy();
  arrow::FieldVector fields;
  for (std::size_t i = 0; i < copy->child_data.size(); ++i) {
    copy->child_data[i] = Fold(copy->child_data[i]);
    fields.push_back(data->type->field(static_cast<int>(i))->WithType(copy->child_data[i]->type));
  }
  if (data->type->id() == arrow::Type::STRUCT) copy->type = arrow::struct_(fields);
  if (data->type->id() == arrow::Type::LIST) copy->type = arrow::list(fields.at(0));
  if (data->type->id() == arrow::Type::MAP) {
    const auto& entry = *fields.at(0)->type();
    copy->type = std::make_shared<arrow::MapType>(entry.field(0), entry.field(1));
  }
  return copy;
}

}  // namespace

std::uint64_t ByteChoices::Bits() {
  // Small numbers more often than large ones: a byte says how many bytes follow.
  std::uint64_t bits = 0;
  for (std::size_t i = Below(9); i > 0; --i) bits = bits << 8 | Byte();
  return bits;
}

GeneratedBatch GenerateBatch(Choices& choices, std::int64_t most_rows, std::int64_t most_repeated) {
  Generator generator(choices);
  std::vector<NestedField> fields;
  for (std::size_t i = choices.Below(6) + 1; i > 0; --i) fields.push_back(generator.NextField(1));
  GeneratedBatch generated;
  generated.schema = {.version = SchemaVersion(0), .fields = std::move(fields)};
  std::int64_t rows = most_rows * static_cast<std::int64_t>(choices.Below(256)) / 255;
  const std::int64_t skipped = static_cast<std::int64_t>(choices.Below(2) * choices.Below(20));
  const std::int64_t repeat =
      choices.Below(8) == 7 ? std::max<std::int64_t>(1, most_repeated / (rows + skipped + 1)) : 1;
  arrow::ArrayVector columns;
  for (const NestedField& field : generated.schema.fields) {
    const Profile profile = generator.NextProfile();
    std::unique_ptr<arrow::ArrayBuilder> builder;
    Check(arrow::MakeBuilder(arrow::default_memory_pool(), ArrowType(field.type), &builder));
    for (std::int64_t row = 0; row < rows + skipped; ++row) {
      generator.Append(field, profile, *builder);
    }
    std::shared_ptr<arrow::Array> column;
    Check(builder->Finish(&column));
    columns.push_back(Repeated(column, repeat)->Slice(skipped));
  }
  rows = columns.front()->length();
  generated.batch = arrow::RecordBatch::Make(ArrowSchema(generated.schema), rows, columns);
  generated.groups = Groups(choices, rows);
  return generated;
}

std::shared_ptr<arrow::RecordBatch> WithTextFolded(const arrow::RecordBatch& batch) {
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (int i = 0; i < batch.num_columns(); ++i) {
    columns.push_back(arrow::MakeArray(Fold(batch.column(i)->data())));
    fields.push_back(batch.schema()->field(i)->WithType(columns.back()->type()));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), batch.num_rows(), columns);
}

}  // namespace frazil::parquet
