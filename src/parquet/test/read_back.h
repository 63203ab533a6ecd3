// SPDX-License-Identifier: Apache-2.0
// Batches to files and back, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/bytes.h"
#include "base/result.h"
#include "iceberg/schema.h"
#include "parquet/chunk_encoder.h"

namespace frazil::parquet {

// The batch's rows in batches of `groups` rows. Requires: it has that many rows.
Result<EncodedChunk> EncodeInGroups(const iceberg::Schema& schema, const arrow::RecordBatch& batch,
                                    const std::vector<std::int64_t>& groups,
                                    int encoder_version = kEncoderVersion,
                                    std::size_t expected_file_bytes = 0,
                                    EncoderOutput output = EncoderOutput::kFile);

// How what libparquet reads from the file differs from the batch, in values or names of columns;
// empty: nowhere. Every NaN is one, the two zeros are two.
std::string DifferenceFrom(const arrow::RecordBatch& batch, ByteView file);

}  // namespace frazil::parquet
