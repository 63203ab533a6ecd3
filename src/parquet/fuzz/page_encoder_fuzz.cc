// SPDX-License-Identifier: Apache-2.0
// A schema and a batch out of any bytes: what encoder version 2 writes reads back as the batch, is
// as long as was measured, and does not depend on whether text comes as dictionaries.
#include <cstdint>

#include <arrow/record_batch.h>

#include "base/check.h"
#include "parquet/chunk_encoder.h"
#include "parquet/test/generated_batch.h"
#include "parquet/test/read_back.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frazil::parquet;  // NOLINT(google-build-using-namespace)
  constexpr std::int64_t kMostRows = 100;
  constexpr std::int64_t kMostRepeated = 40'000;
  ByteChoices choices(frazil::ByteView(data, size));
  const GeneratedBatch generated = GenerateBatch(choices, kMostRows, kMostRepeated);
  const auto chunk =
      EncodeInGroups(generated.schema, *generated.batch, generated.groups, kEncoderVersion);
  FRAZIL_CHECK(chunk.ok());
  FRAZIL_CHECK(DifferenceFrom(*generated.batch, chunk->file).empty());
  const auto measured = EncodeInGroups(generated.schema, *generated.batch, generated.groups,
                                       kEncoderVersion, 0, EncoderOutput::kSizeOnly);
  FRAZIL_CHECK(measured.ok() && measured->file_size == chunk->file_size &&
               measured->columns == chunk->columns);
  const auto folded = EncodeInGroups(generated.schema, *WithTextFolded(*generated.batch),
                                     generated.groups, kEncoderVersion);
  FRAZIL_CHECK(folded.ok() && folded->file == chunk->file);
  return 0;
}
