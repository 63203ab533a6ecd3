// SPDX-License-Identifier: Apache-2.0
// Schemas and batches of any shape, out of a stream of choices: random numbers, or a fuzzer's
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/bytes.h"
#include "iceberg/schema.h"

namespace frazil::parquet {

class Choices {
 public:
  Choices() = default;
  Choices(const Choices&) = delete;
  Choices& operator=(const Choices&) = delete;
  virtual ~Choices() = default;

  virtual std::uint64_t Bits() = 0;
  // A number below `bound`, which is at most 256.
  virtual std::size_t Below(std::size_t bound) = 0;
};

class SeededChoices final : public Choices {
 public:
  explicit SeededChoices(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t Bits() override { return engine_(); }
  std::size_t Below(std::size_t bound) override { return engine_() % bound; }

 private:
  std::mt19937_64 engine_;
};

// One byte for each choice; zeros when there are no more.
class ByteChoices final : public Choices {
 public:
  // `bytes` must outlive it.
  explicit ByteChoices(ByteView bytes) : bytes_(bytes) {}
  std::uint64_t Bits() override;
  std::size_t Below(std::size_t bound) override { return Byte() % bound; }

 private:
  std::uint8_t Byte() { return at_ < bytes_.size() ? bytes_[at_++] : std::uint8_t{0}; }

  ByteView bytes_;
  std::size_t at_ = 0;
};

struct GeneratedBatch {
  iceberg::Schema schema;
  // May be a slice.
  std::shared_ptr<arrow::RecordBatch> batch;
  // How many rows its row groups have, some of them none; together all.
  std::vector<std::int64_t> groups;
};

// One to six columns of all types, nested up to three levels deep, of up to `most_rows` rows, or of
// few rows that are repeated up to `most_repeated`. NULLs nowhere, here and there, everywhere; few
// or many different values; texts of up to 5,000 bytes; NaN and both zeros; empty lists and maps.
GeneratedBatch GenerateBatch(Choices& choices, std::int64_t most_rows, std::int64_t most_repeated);

// The same batch with all text as dictionaries, at any depth: in another order than they come, and
// with a text that nobody uses.
std::shared_ptr<arrow::RecordBatch> WithTextFolded(const arrow::RecordBatch& batch);

}  // namespace frazil::parquet
