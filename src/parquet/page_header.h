// SPDX-License-Identifier: Apache-2.0
// What stands before each page. Internal to this module.
// Spec: parquet.thrift, "PageHeader"; Thrift compact protocol.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace frazil::parquet {

struct PageHeader {
  std::array<std::uint8_t, 64> bytes{};
  std::size_t size = 0;
};

enum class PageKind { kPlainData, kDictionaryData, kDictionary };

// Uncompressed, of version 1, levels as runs, without statistics and checksum.
// `values`: with NULLs and empty lists, or of the dictionary.
PageHeader MakePageHeader(PageKind kind, std::int32_t body_bytes, std::int32_t values);

}  // namespace frazil::parquet
