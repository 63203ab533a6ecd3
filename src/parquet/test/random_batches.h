// SPDX-License-Identifier: Apache-2.0
// Random schemas with random values, the same for the same seed everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "parquet/chunk_encoder.h"
#include "parquet/test/sample_batches.h"

namespace frazil::parquet {

// Up to `rows` rows of one to eight columns, nested up to three levels deep.
Sample RandomSample(std::uint64_t seed, int rows);

// How many rows each of several batches has, some of them none, together `rows`.
std::vector<std::int64_t> RandomGroups(std::uint64_t seed, std::int64_t rows);

// The sample's rows in batches of `groups` rows. Requires: the sample has that many rows.
Result<EncodedChunk> EncodeInGroups(const Sample& sample, const std::vector<std::int64_t>& groups,
                                    int encoder_version = kEncoderVersion,
                                    std::size_t expected_file_bytes = 0,
                                    EncoderOutput output = EncoderOutput::kFile);

}  // namespace frazil::parquet
