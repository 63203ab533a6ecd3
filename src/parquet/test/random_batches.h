// SPDX-License-Identifier: Apache-2.0
// Random schemas with random values, the same for the same seed everywhere.
#pragma once

#include <cstdint>

#include "parquet/test/sample_batches.h"

namespace frazil::parquet {

// Up to `rows` rows of one to eight columns, nested up to three levels deep.
Sample RandomSample(std::uint64_t seed, int rows);

}  // namespace frazil::parquet
