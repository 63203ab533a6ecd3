// SPDX-License-Identifier: Apache-2.0
// Encoder version 1: libparquet writes the pages. Internal to this module.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "iceberg/schema.h"
#include "parquet/file_encoder.h"

namespace frazil::parquet {

// Errors: internal for a schema that Parquet cannot hold.
Result<std::unique_ptr<FileEncoder>> OpenLibraryEncoder(const iceberg::Schema& schema,
                                                        std::size_t expected_file_bytes,
                                                        EncoderOutput output);

}  // namespace frazil::parquet
