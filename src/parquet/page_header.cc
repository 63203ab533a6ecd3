// SPDX-License-Identifier: Apache-2.0
#include "parquet/page_header.h"

#include "parquet/level_runs.h"

namespace frazil::parquet {
namespace {

// The numbers of parquet.thrift.
constexpr std::int32_t kDataPage = 0;
constexpr std::int32_t kDictionaryPage = 2;
constexpr std::int32_t kPlain = 0;
constexpr std::int32_t kRle = 3;
constexpr std::int32_t kRleDictionary = 8;

// Fields of Thrift's compact protocol, each one a small step after the one before it.
class StructWriter {
 public:
  explicit StructWriter(PageHeader& header) : header_(header) {}

  void Integer(std::uint8_t id, std::int32_t value) {
    constexpr std::uint8_t kInteger = 5;
    Head(id, kInteger);
    const auto bits = static_cast<std::uint32_t>(value);
    // Zigzag.
    const std::uint32_t zigzag = (bits << 1) ^ (value < 0 ? ~std::uint32_t{0} : 0);
    const std::uint8_t* const end = WriteVarint(zigzag, header_.bytes.data() + header_.size);
    header_.size = static_cast<std::size_t>(end - header_.bytes.data());
  }
  // A struct in the field; its writer's End() ends it.
  StructWriter Struct(std::uint8_t id) {
    constexpr std::uint8_t kStruct = 12;
    Head(id, kStruct);
    return StructWriter(header_);
  }
  void End() { Put(0); }

 private:
  void Head(std::uint8_t id, std::uint8_t type) {
    Put(static_cast<std::uint8_t>((id - last_) << 4 | type));
    last_ = id;
  }
  void Put(std::uint8_t byte) { header_.bytes.at(header_.size++) = byte; }

  PageHeader& header_;
  std::uint8_t last_ = 0;
};

}  // namespace

PageHeader MakePageHeader(PageKind kind, std::int32_t body_bytes, std::int32_t values) {
  PageHeader header;
  StructWriter page(header);
  const bool dictionary = kind == PageKind::kDictionary;
  page.Integer(1, dictionary ? kDictionaryPage : kDataPage);
  page.Integer(2, body_bytes);
  page.Integer(3, body_bytes);  // compressed
  StructWriter inner = page.Struct(dictionary ? 7 : 5);
  inner.Integer(1, values);
  inner.Integer(2, kind == PageKind::kDictionaryData ? kRleDictionary : kPlain);
  if (!dictionary) {
    inner.Integer(3, kRle);  // definition levels
    inner.Integer(4, kRle);  // repetition levels
  }
  inner.End();
  page.End();
  return header;
}

}  // namespace frazil::parquet
