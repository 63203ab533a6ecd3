// SPDX-License-Identifier: Apache-2.0
// Writes sample chunks into a folder, each as NAME.parquet, with NAME.json beside it: the schema
// and the values that a reader must find. For tests/interop/parquet_interop.py.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "iceberg/schema.h"
#include "parquet/chunk_encoder.h"
#include "parquet/test/random_batches.h"
#include "parquet/test/sample_batches.h"

namespace frazil::parquet {
namespace {

constexpr std::uint64_t kRandomSamples = 60;

bool Write(const std::filesystem::path& folder, const Sample& sample) {
  const auto chunk = EncodeChunk(*sample.batch, sample.schema);
  if (!chunk.ok()) {
    std::fprintf(stderr, "%s: %s\n", sample.name.c_str(), chunk.error().ToString().c_str());
    return false;
  }
  std::ofstream file(folder / (sample.name + ".parquet"), std::ios::binary);
  file.write(reinterpret_cast<const char*>(chunk->file.data()),
             static_cast<std::streamsize>(chunk->file.size()));
  std::ofstream values(folder / (sample.name + ".json"), std::ios::binary);
  values << "{\"schema\": " << SchemaToJson(sample.schema) << ",\n \"columns\": [";
  for (std::size_t i = 0; i < sample.columns.size(); ++i) {
    values << (i == 0 ? "\n" : ",\n") << sample.columns[i];
  }
  values << "]}\n";
  return file.good() && values.good();
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
    good = frazil::parquet::Write(folder, sample) && good;
  }
  for (std::uint64_t seed = 1; seed <= frazil::parquet::kRandomSamples; ++seed) {
    good = frazil::parquet::Write(folder, frazil::parquet::RandomSample(seed, 40)) && good;
  }
  return good ? 0 : 1;
}
