// SPDX-License-Identifier: Apache-2.0
// The first byte picks the codec; the rest is its data.
#include "kafka/wire/compression.h"

using namespace frazil;               // NOLINT
using namespace frazil::kafka::wire;  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxBytes = 1U << 20;
  if (size < 1) return 0;
  Decompressor decompressor;
  const auto codec = static_cast<CompressionCodec>(data[0] % 4 + 1);
  const auto result = decompressor.Decompress(codec, {data + 1, size - 1}, kMaxBytes);
  if (!result.ok()) return 0;
  std::size_t sum = 0;
  for (const std::uint8_t byte : result->bytes) sum += byte;
  return sum == SIZE_MAX || result->bytes.size() > kMaxBytes ? 1 : 0;
}
