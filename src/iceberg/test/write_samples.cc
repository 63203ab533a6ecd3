// SPDX-License-Identifier: Apache-2.0
// iceberg_samples DIRECTORY: writes the sample files there, and expected.json, which says what the
// Avro files hold.
#include <cstdio>
#include <fstream>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "iceberg/test/samples.h"

namespace frazil::iceberg::test {
namespace {

using Json = nlohmann::ordered_json;

// What `number` gives for each column, as [[id, value], ...]; columns without one left out.
template <typename Number>
Json Pairs(const DataFile& file, Number number) {
  Json pairs = Json::array();
  for (const auto& [id, column] : file.columns) {
    const Json value = number(column);
    if (!value.is_null()) pairs.push_back({id.value(), value});
  }
  return pairs;
}

Json Hex(const std::optional<Bytes>& bound) { return bound ? Json(HexEncode(*bound)) : Json(); }

Json Expected(const ManifestEntry& entry) {
  const DataFile& file = entry.file;
  Json json;
  json["status"] = static_cast<int>(entry.status);
  json["snapshot_id"] = entry.snapshot_id.value();
  json["sequence_number"] = entry.sequence_number.value();
  json["file_sequence_number"] = entry.file_sequence_number.value();
  json["file_path"] = file.path;
  json["record_count"] = file.record_count;
  json["file_size_in_bytes"] = file.file_size;
  json["column_sizes"] = Pairs(file, [](const auto& c) { return Json(c.column_size); });
  json["value_counts"] = Pairs(file, [](const auto& c) { return Json(c.value_count); });
  json["null_value_counts"] = Pairs(file, [](const auto& c) { return Json(c.null_count); });
  json["nan_value_counts"] =
      Pairs(file, [](const auto& c) { return c.nan_count < 0 ? Json() : Json(c.nan_count); });
  json["lower_bounds"] = Pairs(file, [](const auto& c) { return Hex(c.lower_bound); });
  json["upper_bounds"] = Pairs(file, [](const auto& c) { return Hex(c.upper_bound); });
  return json;
}

Json Expected(const ManifestFile& manifest) {
  Json json;
  json["manifest_path"] = manifest.path;
  json["manifest_length"] = manifest.length;
  json["sequence_number"] = manifest.sequence_number.value();
  json["min_sequence_number"] = manifest.min_sequence_number.value();
  json["added_snapshot_id"] = manifest.added_snapshot_id.value();
  json["added_files_count"] = manifest.added_files;
  json["existing_files_count"] = manifest.existing_files;
  json["deleted_files_count"] = manifest.deleted_files;
  json["added_rows_count"] = manifest.added_rows;
  json["existing_rows_count"] = manifest.existing_rows;
  json["deleted_rows_count"] = manifest.deleted_rows;
  return json;
}

bool Write(const std::string& path, ByteView content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << AsText(content) << std::flush;
  if (!file) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return file.good();
}

int WriteAll(const std::string& directory) {
  Json expected;
  for (const ManifestEntry& entry : SampleEntries()) {
    expected["manifest.avro"].push_back(Expected(entry));
  }
  for (const ManifestFile& manifest : SampleManifestFiles()) {
    expected["manifest_list.avro"].push_back(Expected(manifest));
  }
  bool written = Write(directory + "/expected.json", AsBytes(expected.dump(1)));
  for (const SampleFile& file : SampleFiles()) {
    written = Write(directory + "/" + file.name, file.content) && written;
  }
  return written ? 0 : 1;
}

}  // namespace
}  // namespace frazil::iceberg::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: iceberg_samples DIRECTORY\n");
    return 2;
  }
  return frazil::iceberg::test::WriteAll(argv[1]);
}
