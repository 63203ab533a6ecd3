// SPDX-License-Identifier: Apache-2.0
// Writes sample chunks into a folder, each as NAME.parquet, with NAME.json beside it: the schema
// the values and the metrics that a reader must find. For tests/interop/parquet_interop.py.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <arrow/record_batch.h>

#include "base/encoding.h"
#include "iceberg/schema.h"
#include "parquet/chunk_encoder.h"
#include "parquet/test/random_batches.h"
#include "parquet/test/sample_batches.h"

namespace frazil::parquet {
namespace {

constexpr std::uint64_t kRandomSamples = 60;

std::string Bound(const std::optional<Bytes>& bound) {
  return bound.has_value() ? "\"" + HexEncode(*bound) + "\"" : "null";
}

std::string MetricsToJson(const EncodedChunk& chunk) {
  std::string json = "{";
  for (const auto& [id, column] : chunk.columns) {
    json += (json.size() == 1 ? "\n\"" : ",\n\"") + std::to_string(id.value()) + "\": [" +
            std::to_string(column.value_count) + ", " + std::to_string(column.null_count) + ", " +
            std::to_string(column.nan_count) + ", " + Bound(column.lower_bound) + ", " +
            Bound(column.upper_bound) + "]";
  }
  return json + "}";
}

bool Write(const std::filesystem::path& folder, const std::string& name, const Sample& sample,
           const std::vector<std::int64_t>& groups, int version) {
  const auto chunk = EncodeInGroups(sample, groups, version);
  if (!chunk.ok()) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), chunk.error().ToString().c_str());
    return false;
  }
  std::ofstream file(folder / (name + ".parquet"), std::ios::binary);
  file.write(reinterpret_cast<const char*>(chunk->file.data()),
             static_cast<std::streamsize>(chunk->file.size()));
  std::ofstream values(folder / (name + ".json"), std::ios::binary);
  values << "{\"schema\": " << SchemaToJson(sample.schema)
         << ",\n \"metrics\": " << MetricsToJson(*chunk) << ",\n \"columns\": [";
  for (std::size_t i = 0; i < sample.columns.size(); ++i) {
    values << (i == 0 ? "\n" : ",\n") << sample.columns[i];
  }
  values << "]}\n";
  return file.good() && values.good();
}

// By each version, in one batch and in several.
bool WriteAll(const std::filesystem::path& folder, const Sample& sample, std::uint64_t seed) {
  const std::int64_t rows = sample.batch->num_rows();
  bool good = true;
  for (int version = kOldestEncoderVersion; version <= kEncoderVersion; ++version) {
    const std::string name = sample.name + "_v" + std::to_string(version);
    good = Write(folder, name, sample, {rows}, version) &&
           Write(folder, name + "_groups", sample, RandomGroups(seed, rows), version) && good;
  }
  return good;
}

}  // namespace
}  // namespace frazil::parquet

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: parquet_sample_writer FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder(argv[1]);
  std::filesystem::create_directories(folder);
  bool good = true;
  for (const auto& sample : frazil::parquet::FixedSamples()) {
    good = frazil::parquet::WriteAll(folder, sample, 1) && good;
  }
  for (std::uint64_t seed = 1; seed <= frazil::parquet::kRandomSamples; ++seed) {
    const auto sample = frazil::parquet::RandomSample(seed, 40);
    good = frazil::parquet::WriteAll(folder, sample, seed) && good;
  }
  return good ? 0 : 1;
}
